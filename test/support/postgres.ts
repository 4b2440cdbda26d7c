import { afterAll, type TestContext } from 'vitest';
import { need } from '../environment.js';
import { TestPostgres } from './test-postgres.js';

/** One Postgres for all tests of a file, started by the first that asks. Without Postgres a test is skipped and says so. */
export function sharedPostgres(): (context: TestContext) => Promise<TestPostgres> {
  let started: Promise<TestPostgres> | undefined;
  afterAll(async () => (await started)?.remove());
  return (context) => {
    const bin = need('postgresBin', context);
    started ??= TestPostgres.start(bin);
    return started;
  };
}
