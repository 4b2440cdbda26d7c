import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const LISTS = ['package.json', 'package-lock.json'] as const;

/** What one lockfile names lies in one folder: another lockfile gets another folder, and an old one is never changed. */
export function peersFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256')
    .update(readFileSync(resolve('bench/peers/package-lock.json')))
    .digest('hex');
  const cache = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'pawl', 'peers', hash.slice(0, 16));
}

/** Installs the peers from the npm registry, once. */
export function ensurePeers(folder: string): void {
  const mark = join(folder, '.installed');
  if (existsSync(mark)) return;
  process.stderr.write(`Installing the peers (once, about 1.7 GB and two minutes) ...\n`);
  mkdirSync(folder, { recursive: true });
  for (const list of LISTS) copyFileSync(resolve('bench/peers', list), join(folder, list));
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  // No install script runs: what the registry itself does not hold is not fetched from elsewhere.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false'];
  const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], env: installEnvironment() });
  if (status !== 0)
    throw new Error(`the peers cannot be installed: npm ci ${error?.message ?? `exits with ${status}`}`);
  writeFileSync(mark, '');
}

/** What an outer npm says about its own call must not steer this one. */
function installEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?:config_(?:local_prefix|omit)|package_)/.test(name)),
  );
}
