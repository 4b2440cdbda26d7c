import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { ownPostgres } from '../../test/support/postgres.js';
import { PASSWORD, type TestPostgres } from '../../test/support/test-postgres.js';
import { ConfigError, messageOf } from '../model/errors.js';
import { connectPostgres, isConnectionLost } from './connect-postgres.js';
import { postgresTls } from './postgres-tls.js';

const URL_OF_ALL = 'postgres://me:pw@db.example.org/fleet';

describe('what a URL says about TLS', () => {
  it.each([
    ['', undefined],
    ['?sslmode=disable', false],
    ['?ssl=0', false],
    ['?sslmode=require', { rejectUnauthorized: true }],
    ['?sslmode=verify-ca', { rejectUnauthorized: true }],
    ['?sslmode=verify-full&sslrootcert=system', { rejectUnauthorized: true }],
    ['?ssl=true', { rejectUnauthorized: true }],
    ['?sslmode=no-verify', { rejectUnauthorized: false }],
    ['?ssl=no-verify', { rejectUnauthorized: false }],
    ['?ssl=true&sslmode=disable', false],
    ['?host=/var/run/postgresql&sslmode=require', false],
  ])('%s', (query, ssl) => {
    const made = postgresTls(`${URL_OF_ALL}${query}`, {});
    expect(made.ssl).toEqual(ssl);
    expect(made.connectionString).not.toMatch(/ssl/);
  });

  it('stands in PGSSLMODE when the URL says nothing, and other words of the URL stay', () => {
    expect(postgresTls(URL_OF_ALL, { PGSSLMODE: 'no-verify' }).ssl).toEqual({ rejectUnauthorized: false });
    expect(postgresTls(`${URL_OF_ALL}?sslmode=disable`, { PGSSLMODE: 'require' }).ssl).toBe(false);
    const { connectionString } = postgresTls(`${URL_OF_ALL}?options=-c%20work_mem%3D1MB&sslmode=disable`, {});
    expect(new URL(connectionString).searchParams.get('options')).toBe('-c work_mem=1MB');
    expect(connectionString).toContain('me:pw@db.example.org/fleet');
  });

  it.each([
    ['?sslmode=prefer', {}, 'the URL of the database, sslmode: "prefer" is none of disable, no-verify, require,'],
    ['?sslmode=requier', {}, 'did you mean "require"?'],
    ['?ssl=maybe', {}, 'the URL of the database, ssl: "maybe" is none of'],
    ['', { PGSSLMODE: 'allow' }, 'PGSSLMODE: "allow" is none of'],
    ['?sslrootcert=/nowhere/ca.pem', {}, 'sslrootcert: /nowhere/ca.pem cannot be read: no such file'],
  ])('%s %j is refused', (query, environment, message) => {
    expect(() => postgresTls(`${URL_OF_ALL}${query}`, environment)).toThrow(ConfigError);
    expect(() => postgresTls(`${URL_OF_ALL}${query}`, environment)).toThrow(message);
  });
});

describe('a real server', () => {
  const postgres = ownPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'pawl-tls-'));
  const authority = join(folder, 'ca.pem');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let certified: Promise<void> | undefined;

  const outcomeOf = async (url: string): Promise<unknown> => {
    try {
      const database = await connectPostgres(url, process.env);
      const [row] = await database.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
      await database.close();
      return row;
    } catch (error) {
      expect(messageOf(error)).not.toContain(PASSWORD);
      return error;
    }
  };

  const withTls = async (context: TestContext): Promise<TestPostgres> => {
    const server = await postgres(context);
    certified ??= certify(server, authority);
    await certified;
    return server;
  };

  it('without TLS is told so to whoever asks for it, and a worker that waits may find it later', async (context) => {
    const { url } = await postgres(context);
    for (const mode of ['require', 'verify-full', 'no-verify']) {
      const refused = await outcomeOf(`${url}?sslmode=${mode}`);
      expect(refused).toMatchObject({ exitCode: 2, message: expect.stringMatching(/has no TLS.*sslmode=disable/) });
      expect(isConnectionLost(refused)).toBe(true);
    }
    expect(await outcomeOf(`${url}?sslmode=disable`)).toEqual({ ssl: false });
  });

  it('with a certificate of its own is believed when its authority is named, or nobody looks', async (context) => {
    const { port, url } = await withTls(context);
    const named = `postgres://postgres:${PASSWORD}@localhost:${port}/postgres`;
    expect(await outcomeOf(`${named}?sslmode=verify-full&sslrootcert=${authority}`)).toEqual({ ssl: true });
    expect(await outcomeOf(`${named}?sslmode=no-verify`)).toEqual({ ssl: true });
    expect(await outcomeOf(url)).toEqual({ ssl: false });
    for (const wrong of [`${named}?sslmode=require`, `${url}?sslmode=verify-full&sslrootcert=${authority}`]) {
      expect(await outcomeOf(wrong)).toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/no certificate that is trusted here: .*sslrootcert=FILE/),
      });
    }
  });

  it('that lets nobody in without TLS says how', async (context) => {
    const { data, url } = await withTls(context);
    const server = await connectPostgres(url, process.env);
    writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\nhostssl all all all scram-sha-256\n');
    await server.query('select pg_reload_conf()');
    await expect
      .poll(() => outcomeOf(url))
      .toMatchObject({ message: expect.stringMatching(/by no line of its pg_hba\.conf; .*sslmode=verify-full/) });
    await server.close();
  });
});

/** For `localhost` and no address, signed by an authority that only this test knows. */
async function certify({ data, url }: TestPostgres, authority: string): Promise<void> {
  const key = join(data, 'server.key');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', authority], { stdio: 'ignore' });
  const certificate = join(data, 'server.crt');
  execFileSync('cp', [authority, certificate]);
  const { uid, gid } = statSync(data);
  for (const path of [key, certificate]) {
    chownSync(path, uid, gid);
    chmodSync(path, 0o600);
  }
  const server = await connectPostgres(url, process.env);
  await server.query('alter system set ssl = on');
  await server.query('select pg_reload_conf()');
  await expect.poll(() => server.query('show ssl')).toEqual([{ ssl: 'on' }]);
  await server.close();
}
