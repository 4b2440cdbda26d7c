import { afterEach, expect, it, type TestContext } from 'vitest';
import { fileDatabase } from '../../test/support/postgres.js';
import { connectPostgres, type Database } from './connect-postgres.js';
import { checkSchema, prepareSchema, SCHEMA_VERSION } from './schema.js';

const postgres = fileDatabase();
const toClose: (() => Promise<void>)[] = [];
let count = 0;

afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});

/** Each in an empty database of its own. */
async function emptyDatabase(context: TestContext): Promise<{ database: Database; url: string }> {
  const server = await postgres(context);
  const name = `schema_${(count += 1)}`;
  const admin = await connectPostgres(server.url, process.env);
  await admin.query(`create database ${name}`);
  await admin.close();
  const url = server.urlOf(name);
  const database = await connectPostgres(url, process.env);
  toClose.push(() => database.close());
  return { database, url };
}

it('a database that was never prepared says what to do', async (context) => {
  const { database } = await emptyDatabase(context);
  await expect(checkSchema(database)).rejects.toThrow(/not prepared .*: pawl fleet init/);
});

it('preparing again keeps what is there', async (context) => {
  const { database } = await emptyDatabase(context);
  await prepareSchema(database);
  await database.query(`insert into pawl.runs (id, repository, base, spec) values ('a', 'r', 'main', '{}')`);
  await prepareSchema(database);
  await checkSchema(database);
  expect(await database.query('select id, state, epoch, labels from pawl.runs')).toEqual([
    { id: 'a', state: 'queued', epoch: 0, labels: [] },
  ]);
});

it('tables of the first version get what came later, and keep their rows', async (context) => {
  const { database } = await emptyDatabase(context);
  await prepareSchema(database);
  await database.query(
    'alter table pawl.runs drop column trouble, drop column dearest_usd, drop column repository_key, drop column claim',
  );
  await database.query('drop function pawl.repository_key');
  await database.query('update pawl.meta set version = 1');
  await database.query(`insert into pawl.runs (id, repository, base, spec) values ('a', 'git@h:r.git', 'main', '{}')`);
  await expect(checkSchema(database)).rejects.toThrow('pawl fleet init');
  await prepareSchema(database);
  await checkSchema(database);
  expect(await database.query('select id, trouble, dearest_usd, repository_key from pawl.runs')).toEqual([
    { id: 'a', trouble: null, dearest_usd: null, repository_key: 'h/r' },
  ]);
});

it('many who prepare at once all succeed', async (context) => {
  const { database, url } = await emptyDatabase(context);
  const others = await Promise.all([1, 2, 3].map(() => connectPostgres(url, process.env)));
  toClose.push(...others.map((other) => () => other.close()));
  await Promise.all([database, ...others, database].map((each) => prepareSchema(each)));
  expect(await database.query('select version from pawl.meta')).toEqual([{ version: SCHEMA_VERSION }]);
});

it('old code works on newer tables for as long as they allow it, and leaves them alone', async (context) => {
  const { database } = await emptyDatabase(context);
  await prepareSchema(database);
  const meta = () => database.query('select version, oldest_reader from pawl.meta');
  await database.query('alter table pawl.runs add column of_the_future text');
  await database.query('update pawl.meta set version = $1', [SCHEMA_VERSION + 2]);
  await checkSchema(database);
  const before = await meta();
  await prepareSchema(database);
  expect(await meta()).toEqual(before);
  await database.query('update pawl.meta set oldest_reader = $1', [SCHEMA_VERSION + 1]);
  await expect(checkSchema(database)).rejects.toThrow('upgrade pawl');
  await expect(prepareSchema(database)).rejects.toThrow('upgrade pawl');
});

it('new code refuses older tables until they are upgraded', async (context) => {
  const { database } = await emptyDatabase(context);
  await prepareSchema(database);
  await database.query('alter table pawl.meta drop column oldest_reader');
  await database.query('update pawl.meta set version = $1', [SCHEMA_VERSION - 1]);
  await expect(checkSchema(database)).rejects.toThrow(
    `of version ${SCHEMA_VERSION - 1} and this Pawl needs ${SCHEMA_VERSION}: pawl fleet init`,
  );
  await prepareSchema(database);
  await checkSchema(database);
});

it('a user who may not make tables is told so', async (context) => {
  const { database, url } = await emptyDatabase(context);
  await database.query(
    `do $$ begin create role reader login password 'reading'; exception when others then null; end $$`,
  );
  const { port } = await postgres(context);
  const reader = await connectPostgres(
    `postgres://reader:reading@127.0.0.1:${port}${new URL(url).pathname}`,
    process.env,
  );
  toClose.push(() => reader.close());
  await expect(prepareSchema(reader)).rejects.toThrow(/does not allow it to this user: permission denied/);
});
