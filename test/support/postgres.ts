import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, inject, type TestContext } from 'vitest';
import { connectPostgres } from '../../src/fleet/connect-postgres.js';
import { need } from '../environment.js';
import type { SuitePostgres } from './suite-postgres.js';
import { TestPostgres, urlAt } from './test-postgres.js';

/** A database of one test file, in the Postgres of the whole run. */
export interface FileDatabase {
  readonly url: string;
  readonly port: number;
  readonly urlOf: (database: string, user?: string, password?: string) => string;
}

/** One database for all tests of a file, created by the first that asks. Without Postgres a test is skipped and says so. */
export function fileDatabase(): (context: TestContext) => Promise<FileDatabase> {
  let created: Promise<FileDatabase> | undefined;
  return (context) => {
    need('postgresBin', context);
    created ??= createDatabase();
    return created;
  };
}

/** A Postgres that only this file uses, for tests that stop it, restart it or change its settings. */
export function ownPostgres(): (context: TestContext) => Promise<TestPostgres> {
  let started: Promise<TestPostgres> | undefined;
  afterAll(async () => (await started)?.remove());
  return (context) => {
    const bin = need('postgresBin', context);
    started ??= suitePostgres().then(({ template }) => TestPostgres.start(bin, template));
    return started;
  };
}

async function createDatabase(): Promise<FileDatabase> {
  const { port } = await suitePostgres();
  const urlOf = (database: string, user?: string, password?: string) => urlAt(port, database, user, password);
  const name = `file_${randomBytes(6).toString('hex')}`;
  const server = await connectPostgres(urlOf('postgres'), process.env);
  await server.query(`create database ${name}`);
  await server.close();
  return { url: urlOf(name), port, urlOf };
}

async function suitePostgres(): Promise<SuitePostgres> {
  const answer = JSON.parse(await text(connect(inject('suitePostgres')))) as SuitePostgres | { readonly error: string };
  if ('error' in answer) throw new Error(`the Postgres of the test run did not start: ${answer.error}`);
  return answer;
}
