import { existsSync } from 'node:fs';
import { type ListedRun, locateRun } from '../journal/list-runs.js';
import { ConfigError } from '../model/errors.js';
import { shortId } from '../words/short-id.js';
import { checkNotOfFleet } from './fleet-records.js';
import { shellWord } from '../words/printable.js';
import type { Environment } from '../journal/run-places.js';

/** The worktree that a run worked in has been removed. */
export function isWorktreeGone({ workingDir, snapshot }: ListedRun): boolean {
  return snapshot?.spec?.worktree !== undefined && !existsSync(workingDir);
}

/** A run continues where it was. Throws ConfigError when its worktree was removed, and says how to get it back. */
export function checkWorktreeIsThere(
  workingDir: string,
  reference: string | undefined,
  environment: Environment,
): void {
  const run = locateRun(workingDir, reference, environment);
  checkNotOfFleet(run, environment);
  const worktree = run.snapshot?.spec?.worktree;
  if (worktree === undefined || !isWorktreeGone(run)) return;
  const again = `git worktree add ${shellWord(worktree.path)} ${shellWord(worktree.branch)}`;
  const message = `the worktree of ${shortId(run.runId)} is gone; ${again} brings it back`;
  throw new ConfigError([{ path: '', message }]);
}
