import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { environment } from '../environment.js';

const NOBODY = 65534;
const IS_ROOT = process.getuid?.() === 0;
/** Postgres does not run as root. */
const AS_NOBODY = IS_ROOT ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
/** It ends without delay when whoever started it is gone. */
const WITH_US = ['setpriv', '--pdeathsig', 'QUIT', '--'];
const READY = 'database system is ready to accept connections';
const SETTINGS = {
  max_connections: '60',
  shared_buffers: '32MB',
  // Quick enough that two who hold each other up are a matter of a moment.
  deadlock_timeout: '200ms',
  max_wal_size: '128MB',
};

export const PASSWORD = 'the-password-of-the-test';

/** A Postgres of the test's own, in a folder that is removed with it. */
export class TestPostgres {
  readonly folder: string;
  readonly port: number;
  readonly #bin: string;
  #server: ChildProcess | undefined;

  private constructor(bin: string, folder: string, port: number) {
    this.#bin = bin;
    this.folder = folder;
    this.port = port;
  }

  static async start(bin = environment.postgresBin): Promise<TestPostgres> {
    if (bin === undefined) throw new Error('the postgresql package is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'pawl-postgres-'));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    if (IS_ROOT) for (const path of [folder, passwordFile]) chownSync(path, NOBODY, NOBODY);
    const postgres = new TestPostgres(bin, folder, await freePort());
    const words = ['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'];
    await postgres.#run('initdb', ['-D', postgres.data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', ...words]);
    await postgres.start();
    return postgres;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string, user = 'postgres', password = PASSWORD): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Of the process that starts all others. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Again, on the same port, after `stop`. */
  async start(): Promise<void> {
    const places = ['-D', this.data, '-p', `${this.port}`, '-h', '127.0.0.1', '-k', this.folder];
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [program = '', ...words] = [...AS_NOBODY, ...WITH_US, join(this.#bin, 'postgres'), ...places, ...settings];
    const server = spawn(program, words, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server = server;
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stderr }).on('line', (line) => {
        if (said.length < 100) said.push(line);
        if (line.includes(READY)) resolve();
      });
      server.once('error', reject);
      server.once('exit', () => reject(new Error(`postgres did not start:\n${said.join('\n')}`)));
    });
  }

  /** SIGINT ends all connections and writes what is to be written, SIGQUIT is a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  async restart(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const [command = '', ...words] = [...AS_NOBODY, join(this.#bin, program), ...args];
    await promisify(execFile)(command, words, { cwd: this.folder });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
