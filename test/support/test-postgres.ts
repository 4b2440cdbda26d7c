import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const READY = /database system is ready to accept (?:read-only )?connections/;
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '32MB',
  // Quick enough that two who hold each other up are a matter of a moment.
  deadlock_timeout: '200ms',
  max_wal_size: '128MB',
};

export const PASSWORD = 'the-password-of-the-test';

/** Below the ports that the system hands out by itself, so that nobody else is given one while Postgres is stopped. */
const PORTS = [20_000, 32_000] as const;
const MOST_PORTS_TRIED = 20;

export function urlAt(port: number, database: string, user = 'postgres', password = PASSWORD): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** A Postgres server in a folder that is removed with it. */
export class TestPostgres {
  readonly folder: string;
  readonly #bin: string;
  #port: number | undefined;
  #server: ChildProcess | undefined;

  private constructor(bin: string, folder: string) {
    this.#bin = bin;
    this.folder = folder;
  }

  /** The data folder without a server: a copy of `template`, or made by initdb. */
  static async prepare(bin = environment.postgresBin, template?: string): Promise<TestPostgres> {
    if (bin === undefined) throw new Error('the postgresql package is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'pawl-postgres-'));
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    if (IS_ROOT) for (const path of [folder, passwordFile]) chownSync(path, NOBODY, NOBODY);
    const postgres = new TestPostgres(bin, folder);
    if (template === undefined) {
      const words = ['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'];
      const initdb = [join(bin, 'initdb'), '-D', postgres.data, '-U', 'postgres', '-E', 'UTF8', '--locale=C'];
      await postgres.#run([...AS_NOBODY, ...initdb, ...words]);
    } else {
      await postgres.#run(['cp', '--archive', template, postgres.data]);
    }
    return postgres;
  }

  /** A standby that follows this server: a copy as of now, which commits what its primary has sent to it. */
  async standby(): Promise<TestPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-postgres-'));
    if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
    const standby = new TestPostgres(this.#bin, folder);
    const copy = [
      join(this.#bin, 'pg_basebackup'),
      '-D',
      standby.data,
      '-d',
      this.url,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    ];
    await this.#run([...AS_NOBODY, ...copy]);
    await standby.start();
    return standby;
  }

  static async start(bin?: string, template?: string): Promise<TestPostgres> {
    const postgres = await TestPostgres.prepare(bin, template);
    await postgres.start();
    return postgres;
  }

  get port(): number {
    if (this.#port === undefined) throw new Error('Postgres was never started');
    return this.#port;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string, user?: string, password?: string): string {
    return urlAt(this.port, database, user, password);
  }

  /** Of the process that starts all others. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Again after `stop`, on the same port; the first time on one that is free. */
  async start(): Promise<void> {
    if (this.#port !== undefined) return this.#startOn(this.#port);
    for (let tried = 1; ; tried += 1) {
      const port = randomInt(...PORTS);
      try {
        await this.#startOn(port);
        this.#port = port;
        return;
      } catch (error) {
        if (tried === MOST_PORTS_TRIED || !String(error).includes('Address already in use')) throw error;
      }
    }
  }

  async #startOn(port: number): Promise<void> {
    const places = ['-D', this.data, '-p', `${port}`, '-h', '127.0.0.1', '-k', this.folder];
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [program = '', ...words] = [...AS_NOBODY, ...WITH_US, join(this.#bin, 'postgres'), ...places, ...settings];
    const server = spawn(program, words, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server = server;
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stderr }).on('line', (line) => {
        if (said.length < 100) said.push(line);
        if (READY.test(line)) resolve();
      });
      server.once('error', reject);
      server.once('close', () => reject(new Error(`postgres did not start:\n${said.join('\n')}`)));
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

  async #run([command = '', ...words]: readonly string[]): Promise<void> {
    await promisify(execFile)(command, words, { cwd: this.folder });
  }
}
