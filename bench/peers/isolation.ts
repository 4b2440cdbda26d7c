import { spawnSync } from 'node:child_process';

const INSIDE = 'PAWL_PEERS_INSIDE';

/** Whether this process was started again without a network. */
export function isIsolated(): boolean {
  return process.env[INSIDE] === '1';
}

/**
 * Runs this program again in a network namespace of its own, where no runner reaches anything, and returns its exit
 * code; undefined where the system does not allow that.
 */
export function runIsolated(): number | undefined {
  if (spawnSync('unshare', ['-rn', 'true']).status !== 0) return undefined;
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, [INSIDE]: '1' };
  return spawnSync('unshare', ['-rn', ...again], { stdio: 'inherit', env }).status ?? 1;
}
