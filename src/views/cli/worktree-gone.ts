import { existsSync } from 'node:fs';
import { locateRun } from '../../journal/list-runs.js';
import { ConfigError } from '../../model/errors.js';
import { shortId } from '../terminal/short-id.js';
import { shellWord } from './shell-word.js';

/** A run goes on where it was. Throws ConfigError when its worktree was removed, and says how to get it back. */
export function checkWorktreeIsThere(workingDir: string, reference: string | undefined): void {
  const run = locateRun(workingDir, reference, process.env);
  const worktree = run.snapshot?.state.spec?.worktree;
  if (worktree === undefined || existsSync(run.workingDir)) return;
  const again = `git worktree add ${shellWord(worktree.path)} ${shellWord(worktree.branch)}`;
  const message = `the worktree of ${shortId(run.runId)} is gone; ${again} brings it back`;
  throw new ConfigError([{ path: '', message }]);
}
