import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';

const INSIDE = 'PAWL_PEERS_INSIDE';

/** Whether this process was started again without a network. */
export function isIsolated(): boolean {
  return process.env[INSIDE] === '1';
}

/** This program again, in a network namespace of its own; undefined where the system does not allow that. */
function again(): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } | undefined {
  if (spawnSync('unshare', ['-rn', 'true']).status !== 0) return undefined;
  const args = ['-rn', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  return { args, env: { ...process.env, [INSIDE]: '1' } };
}

/** Runs this program again where no runner reaches anything, and returns its exit code; undefined where that cannot be. */
export function runIsolated(): number | undefined {
  const command = again();
  if (command === undefined) return undefined;
  return spawnSync('unshare', command.args, { stdio: 'inherit', env: command.env }).status ?? 1;
}

/** The same, and a signal that ends this process ends the other one first. */
export async function runIsolatedPassingSignals(): Promise<number | undefined> {
  const command = again();
  if (command === undefined) return undefined;
  const child = spawn('unshare', command.args, { stdio: 'inherit', env: command.env });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, () => child.kill(name));
  // Who started this one may be ended without passing that on.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
