import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PostgresEngine } from '../../../fleet/engine/postgres-engine.js';
import { Worker } from '../../../fleet/worker.js';
import { removeAbandonedClones } from '../../../workspace/clone-folder.js';
import { isGitInstalled } from '../../../workspace/git.js';
import type { Fleet } from '../../../fleet/open-fleet.js';
import { stateHome } from '../../../journal/run-places.js';
import { ConfigError, FileSystemError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { printable } from '../../../words/printable.js';
import { type FleetOptions, POSTGRES_VARIABLE, withFleet } from './fleet-connection.js';
import { givenLabels, type LabelOptions } from './fleet-labels.js';
import type { CommandContext } from '../command-context.js';

export interface WorkerCommandOptions extends FleetOptions, LabelOptions {
  readonly slots?: string;
  readonly home?: string;
  readonly ttl?: string;
}

/** Of the hundred that a server allows by default, 24 workers leave some to others. */
const MOST_CONNECTIONS = 4;
/** Less than this and no tree of a run has room. */
const TRIAL_BYTES = 1024 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Works on runs of the fleet until it is told to end. */
export async function workerCommand(options: WorkerCommandOptions, context: CommandContext): Promise<ExitCode> {
  const slots = slotsOf(options.slots);
  if (options.ttl !== undefined) {
    throw refused('--ttl', 'is set for the whole fleet, not for a worker: pawl fleet init --ttl 30s');
  }
  const labels = givenLabels(options);
  const home = homeOf(options.home, context);
  // A password in the URL is not to stand in the list of processes for as long as it works.
  if (options.postgres !== undefined) process.title = 'pawl worker';
  const onLine = (line: string) =>
    context.terminal.say(`${new Date(context.now()).toISOString().slice(0, 19)}Z ${printable(line)}`);
  const environment = agentEnvironment(context.environment);
  // Without git, a worker would delay every run and complete none.
  if (!isGitInstalled(environment)) {
    throw new ConfigError([{ path: '', message: 'a worker needs git, and git is not on the PATH' }]);
  }
  const work = async (fleet: Fleet) => {
    makeHome(home);
    await removeAbandonedClones(home);
    const worker = new Worker({
      engine: new PostgresEngine(fleet),
      home,
      slots,
      labels,
      environment,
      now: context.now,
      onLine,
    });
    const forget = drainOnSignals(worker, onLine);
    try {
      await worker.work();
    } finally {
      forget();
    }
    onLine('the worker has ended');
    return EXIT_CODES.goal;
  };
  return withFleet(options, context, work, { isWorker: true, onProblem: onLine, connections: MOST_CONNECTIONS });
}

/** The first signal lets the iterations under way end, the second does not, and a third ends the process as it is. */
function drainOnSignals(worker: Worker, onLine: (line: string) => void): () => void {
  let isAsked = false;
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, drain);
  };
  const drain = (signal: NodeJS.Signals) => {
    onLine(
      isAsked
        ? `${signal} again: it releases its runs now`
        : `${signal}: it takes no new runs and releases its own after their iterations; a second signal releases them at once`,
    );
    worker.drain(isAsked);
    if (isAsked) forget();
    isAsked = true;
  };
  for (const signal of SIGNALS) process.on(signal, drain);
  return forget;
}

/** Each of them may be a way into the fleet's database, which is not the agents'. */
const DATABASE_VARIABLES: ReadonlySet<string> = new Set([
  POSTGRES_VARIABLE,
  'PGPASSWORD',
  'PGPASSFILE',
  'PGSERVICE',
  'PGSERVICEFILE',
]);

function agentEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !DATABASE_VARIABLES.has(name)));
}

function homeOf(home: string | undefined, context: CommandContext): string {
  if (home === '' || home?.includes('\0') === true) throw refused('--home', 'which folder?');
  return resolve(context.cwd, home ?? join(stateHome(context.environment), 'pawl', 'fleet'));
}

/** Throws when nothing can be kept there: better now than of every run. */
function makeHome(home: string): void {
  try {
    makeFolders(home);
  } catch (error) {
    throw new FileSystemError('make', home, error);
  }
  if (!statSync(home).isDirectory()) throw refused('--home', `${home} is not a folder`);
  const trial = join(home, `.trial-${process.pid}`);
  try {
    writeFileSync(trial, Buffer.alloc(TRIAL_BYTES));
  } catch (error) {
    throw new FileSystemError('write to', home, error);
  } finally {
    rmSync(trial, { force: true });
  }
}

/** Not with `recursive`, which never ends where the system lets nobody make a folder, such as in /proc. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function slotsOf(text = '1'): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw refused('--slots', `must be a whole number from 1 to 999, not ${JSON.stringify(text)}`);
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}
