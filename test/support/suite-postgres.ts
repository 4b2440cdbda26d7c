import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { environment } from '../environment.js';
import { TestPostgres } from './test-postgres.js';

/** What a test file learns about the Postgres of the whole run. */
export interface SuitePostgres {
  readonly port: number;
  /** A data folder that no server has used yet: copying it is cheaper than initdb. */
  readonly template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that starts Postgres for the first test that connects, and answers with a `SuitePostgres`. */
    readonly suitePostgres: string;
  }
}

let remove = async (): Promise<void> => {};

export const teardown = (): Promise<void> => remove();

/** Vitest's global setup: starts one Postgres per run of the suite, but only if a test asks for it. */
export function setup({ provide }: TestProject): void {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-suite-postgres-'));
  const path = join(folder, 'socket');
  let starting: Promise<TestPostgres> | undefined;
  const template = join(folder, 'template');
  const start = async (): Promise<TestPostgres> => {
    const postgres = await TestPostgres.prepare(environment.postgresBin);
    execFileSync('cp', ['--archive', postgres.data, template]);
    await postgres.start();
    return postgres;
  };
  const answer = async (socket: Socket): Promise<void> => {
    socket.on('error', () => {});
    try {
      const { port } = await (starting ??= start());
      socket.end(JSON.stringify({ port, template } satisfies SuitePostgres));
    } catch (error) {
      socket.end(JSON.stringify({ error: String(error) }));
    }
  };
  const server = createServer((socket) => void answer(socket)).listen(path);
  provide('suitePostgres', path);
  remove = async () => {
    server.close();
    await starting?.then(
      (postgres) => postgres.remove(),
      () => {},
    );
    rmSync(folder, { recursive: true, force: true });
  };
}
