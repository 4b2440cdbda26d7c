import { statSync } from 'node:fs';
import { join } from 'node:path';
import { listRunIds, listRunsBy } from '../journal/list-runs.js';
import { realWorkingDir, findGit } from '../journal/run-places.js';
import { readSnapshot } from '../journal/snapshot.js';
import type { EarlierStart } from '../model/observation.js';
import { endOf } from '../model/phase.js';
import { unsettledStart } from '../model/start-of-run.js';
import type { RunParts } from './run-parts.js';
import { changedSuiteFiles } from '../clean-room/suite-files.js';
import type { TreeWatch } from '../iteration/tree-watch.js';

const MOST_READ = 20;

/**
 * The start of the last run of this folder, where it ended with tests that were refused or are missing: without it, the next
 * run would take them as they are. Whoever changed the tests, committed or checked out something since has settled that.
 */
export async function earlierStart(
  { spec, environment, tree, runId }: Pick<RunParts, 'spec' | 'environment' | 'tree' | 'runId'>,
  signal: AbortSignal,
): Promise<EarlierStart | undefined> {
  if (spec.tests === undefined || tree === undefined) return undefined;
  const folder = realWorkingDir(spec.workingDir);
  // Runs in worktrees are among them. A folder may have thousands of runs: only the latest are read.
  const latest = new Set(listRunIds(folder, environment).slice(-MOST_READ));
  const last = listRunsBy(readSnapshot, folder, environment, (id) => latest.has(id))
    .filter((run) => run.runId !== runId && run.workingDir === folder)
    .at(-1);
  const state = last?.snapshot?.state;
  const start = state && unsettledStart(last.runId, state);
  const left = state?.trees.at(-1);
  if (start === undefined || left === undefined || isHeadMoved(folder, state && endOf(state)?.at)) return undefined;
  const now = await tree.capture('before the first iteration', signal);
  if (now === undefined || (await changedTests(tree.history, start.tree, now)) === undefined) return undefined;
  const since = await changedTests(tree.history, left, now);
  return since?.length === 0 ? start : undefined;
}

/** By the log of what HEAD was: a commit, another branch, a reset. */
function isHeadMoved(folder: string, since: string | undefined): boolean {
  const git = findGit(folder);
  if (git === undefined || since === undefined) return false;
  const log = statSync(join(git.gitDir, 'logs', 'HEAD'), { throwIfNoEntry: false });
  return log !== undefined && log.mtimeMs > Date.parse(since);
}

/** Tests and settings that differ between two snapshots; undefined when one of them cannot be read. */
async function changedTests(
  history: TreeWatch['history'],
  before: string,
  after: string,
): Promise<readonly string[] | undefined> {
  const changes = await history.changes(before, after);
  return 'error' in changes ? undefined : changedSuiteFiles(changes).map(({ path }) => path);
}
