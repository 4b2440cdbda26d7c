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

/** Vitest loads this file once for each project; all of them offer the same server. */
const offers = globalThis as { pawlSuitePostgres?: Offer | undefined };

/** Vitest's global setup: starts one Postgres per run of the suite, but only if a test asks for it. */
export function setup({ provide }: TestProject): void {
  offers.pawlSuitePostgres ??= new Offer();
  provide('suitePostgres', offers.pawlSuitePostgres.path);
}

export async function teardown(): Promise<void> {
  const offer = offers.pawlSuitePostgres;
  offers.pawlSuitePostgres = undefined;
  await offer?.end();
}

class Offer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pawl-suite-postgres-'));
  readonly #template = join(this.#folder, 'template');
  readonly path = join(this.#folder, 'socket');
  readonly #server = createServer((socket) => void this.#answer(socket)).listen(this.path);
  #starting: Promise<TestPostgres> | undefined;

  async end(): Promise<void> {
    this.#server.close();
    await this.#starting?.then(
      (postgres) => postgres.remove(),
      () => {},
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answer(socket: Socket): Promise<void> {
    socket.on('error', () => {});
    try {
      this.#starting ??= this.#start();
      const { port } = await this.#starting;
      socket.end(JSON.stringify({ port, template: this.#template } satisfies SuitePostgres));
    } catch (error) {
      socket.end(JSON.stringify({ error: String(error) }));
    }
  }

  async #start(): Promise<TestPostgres> {
    const postgres = await TestPostgres.prepare(environment.postgresBin);
    execFileSync('cp', ['--archive', postgres.data, this.#template]);
    await postgres.start();
    return postgres;
  }
}
