import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { fileDatabase } from '../../test/support/postgres.js';
import { PASSWORD } from '../../test/support/test-postgres.js';
import { ConfigError } from '../model/errors.js';
import { connectPostgres, type Database, isConnectionLost } from './connect-postgres.js';
import { DatabaseUnreachable } from './database-error.js';

const postgres = fileDatabase();
const toClose: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function connected(context: TestContext): Promise<Database> {
  const database = await connectPostgres((await postgres(context)).url, process.env, {
    applicationName: 'pawl-connect-test',
  });
  toClose.push(() => database.close());
  return database;
}

async function failureOf(url: string): Promise<Error> {
  const failed: unknown = await connectPostgres(url, process.env).then(
    () => 'connected',
    (error: unknown) => error,
  );
  if (!(failed instanceof Error)) throw new Error(`no error but ${String(failed)}`);
  expect(failed.message).not.toContain(PASSWORD);
  expect(failed.message).not.toContain('wrong-password');
  return failed;
}

async function killAll({ query }: Database, name = 'pawl-connect-test'): Promise<void> {
  await query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()',
    [name],
  );
}

describe('what is wrong is said in words, without the password', () => {
  it.each(['not a url', 'http://localhost/x', ''])('the URL %j', async (url) => {
    expect(await failureOf(url)).toBeInstanceOf(ConfigError);
  });

  it('a wrong password, an unknown user and an unknown database', async (context) => {
    const server = await postgres(context);
    const refused = await failureOf(server.urlOf('postgres', 'postgres', 'wrong-password'));
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused.message).toMatch(
      new RegExp(`database postgres://postgres@127.0.0.1:${server.port}/postgres .*password`),
    );
    expect(await failureOf(server.urlOf('postgres', 'nobody-known'))).toBeInstanceOf(ConfigError);
    const bare = await failureOf(`postgres://postgres@127.0.0.1:${server.port}/postgres`);
    expect(bare).toBeInstanceOf(ConfigError);
    expect(bare.message).toMatch(/asks for a password/);
    expect((await failureOf(server.urlOf('nowhere'))).message).toMatch(/^there is no such database: .*\/nowhere$/);
  });

  it.each([
    ['?port=abc', 'there is no such port'],
    ['?port=99999', 'there is no such port'],
    ['/%E0%A4%A', 'URI malformed'],
  ])('a URL that goes on with %s', async (rest, why) => {
    const failed = await failureOf(`postgres://me:${PASSWORD}@127.0.0.1${rest}`);
    expect(failed).toBeInstanceOf(ConfigError);
    expect(failed.message).toMatch(new RegExp(`^the URL .*: ${why}$`));
  });

  it('a setting that the server does not know, and blanks around a URL, which are none', async (context) => {
    const { url } = await postgres(context);
    const failed = await failureOf(`${url}?options=-c%20nope%3D1`);
    expect(failed).toBeInstanceOf(ConfigError);
    expect(failed.message).toMatch(/the URL .*: unrecognized configuration parameter/);
    await (await connectPostgres(` ${url}\n`, process.env)).close();
  });

  it('a server that is not there, and a host that has no name', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    server.close();
    const refused = await failureOf(`postgres://someone:${PASSWORD}@127.0.0.1:${port}/fleet`);
    expect(refused).toMatchObject({ name: 'DatabaseUnreachable', exitCode: 5 });
    expect(refused.message).toContain('nothing listens there');
    expect(isConnectionLost(refused)).toBe(true);
    expect(await failureOf('postgres://h.invalid/fleet')).toBeInstanceOf(DatabaseUnreachable);
    expect(await failureOf('postgres:///fleet?host=/nowhere/at/all')).toBeInstanceOf(DatabaseUnreachable);
  });

  it('tables that are not there', async (context) => {
    const database = await connected(context);
    await expect(database.query('select * from pawl.runs')).rejects.toThrow('pawl fleet init');
  });

  it.for([
    [
      'default_transaction_read_only=on',
      'create table never (x int)',
      /does not take it now: it can only be read.*25006/,
    ],
    [
      'statement_timeout=500',
      'select pg_sleep(5)',
      /does not take it now: it took longer than the server allows \(57014\)/,
    ],
  ] as const)('a server that does not take it now: %s', async ([setting, statement, words], context) => {
    const { url } = await postgres(context);
    const database = await connectPostgres(`${url}?options=${encodeURIComponent(`-c ${setting}`)}`, process.env);
    toClose.push(() => database.close());
    const refused = database.query(statement);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toMatchObject({ name: 'DatabaseUnreachable', exitCode: 5 });
    await expect(database.query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });

  it('an error of the statement itself stays what it is', async (context) => {
    const database = await connected(context);
    await expect(database.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(database.query('select 1 / 0')).rejects.not.toSatisfy(isConnectionLost);
  });
});

describe('connections', () => {
  it('that are killed while nobody uses them do not end the process, and are made anew', async (context) => {
    const database = await connected(context);
    const other = await connected(context);
    await Promise.all([1, 2, 3].map(() => database.query('select pg_sleep(0.01)')));
    await killAll(other);
    for (;;) {
      try {
        expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
        break;
      } catch (error) {
        expect(isConnectionLost(error)).toBe(true);
      }
    }
  });

  it('one that is killed inside of a transaction leaves nothing of it and harms no other', async (context) => {
    const database = await connected(context);
    const other = await connected(context);
    await other.query('create table if not exists kept (value int)');
    const failed = database.transaction(async (query) => {
      await query('insert into kept values (1)');
      const [{ pid } = {}] = await query<{ pid: number }>('select pg_backend_pid() as pid');
      await killAll(other);
      // The news of it arrives while no statement is under way.
      await expect.poll(() => other.query('select 1 from pg_stat_activity where pid = $1', [pid])).toEqual([]);
      await query('insert into kept values (2)');
    });
    await expect(failed).rejects.toSatisfy(isConnectionLost);
    expect(await other.query('select * from kept')).toEqual([]);
  });

  it('a transaction whose work fails is rolled back, and its connection is used again', async (context) => {
    const database = await connected(context);
    await database.query('create table if not exists undone (value int)');
    const failed = database.transaction(async (query) => {
      await query('insert into undone values (1)');
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await database.transaction((query) => query('select * from undone'))).toEqual([]);
  });

  it('a question that gets no answer in its own time is lost, and its connection with it', async (context) => {
    const database = await connected(context);
    await expect(database.query('select pg_sleep(5)', [], 20)).rejects.toSatisfy(isConnectionLost);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('a closed database says so instead of waiting', async (context) => {
    const database = await connected(context);
    await database.close();
    await database.close();
    await expect(database.query('select 1')).rejects.toThrow('is closed');
  });
});
