import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { changedSuiteFiles } from '../clean-room/suite-files.js';
import type { TreeWatch } from '../iteration/tree-watch.js';
import { listRunIds, listRunsBy } from '../journal/list-runs.js';
import { realWorkingDir, findGit } from '../journal/run-places.js';
import { readSnapshot } from '../journal/snapshot.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { type StopCondition, leavesOf } from '../model/condition.js';
import { ConfigError, WorkingDirGone } from '../model/errors.js';
import type { EarlierStart } from '../model/observation.js';
import { hasEnded, openIteration, endOf } from '../model/phase.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { UsageReporting } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { unsettledStart } from '../model/work.js';
import { type TestResults, testsRan } from '../model/test-results.js';
import { findProgram, whyNotRunnable } from '../process/run-tool.js';
import { findUncommitted, refuseUncommitted, shortList } from '../workspace/commit-run.js';
import type { RunParts } from './run-host.js';

/**
 * A check that throws once the folder is gone that a run works in: no agent, command or hook can run there. An agent in code
 * may never have had one, and a host reports it with the work that is lost.
 */
export function watchFolder({ spec: { workingDir }, host }: Pick<RunParts, 'spec' | 'host'>): () => void {
  if (host !== undefined || !existsSync(workingDir)) return () => undefined;
  return () => {
    if (!existsSync(workingDir)) throw new WorkingDirGone(workingDir);
  };
}

/** Rejects with ConfigError when a run that commits would begin on changes that are the user's. */
export function checkTreeAtStart(spec: RunSpec, environment: RunParts['environment']): Promise<void> | undefined {
  return spec.commit === 'never' ? undefined : refuseAtStart(spec, environment);
}

/**
 * The same before a run resumes. What the agent left there is not the user's: what was there when the record ended, and what
 * an iteration did whose runner died, as no person may be there to answer.
 */
export function checkTreeAtResume(parts: RunParts): Promise<void> | undefined {
  const { seq, guardBroken } = parts.journal.state;
  const isToCommit = parts.spec.commit !== 'never' && seq > 0;
  return isToCommit || guardBroken !== undefined ? refuseAtResume(parts, isToCommit) : undefined;
}

async function refuseAtStart(spec: RunSpec, environment: RunParts['environment']): Promise<void> {
  refuseUncommitted(spec.commit, await findUncommitted(spec, environment), 'start');
}

async function refuseAtResume(parts: RunParts, isToCommit: boolean): Promise<void> {
  await refuseBrokenGuard(parts);
  if (!isToCommit) return;
  const { spec, environment, journal, warn } = parts;
  const files = await findUncommitted(spec, environment);
  if (files.length === 0) return;
  const { state } = journal;
  const hasCrashed = !hasEnded(state) && state.baseline !== undefined;
  if (hasCrashed && openIteration(state) !== undefined) {
    warn?.(`treated as work of the interrupted iteration, and to be committed: ${shortList(files)}`);
    return;
  }
  const isAsItWas = await isTreeOf(state, parts);
  // Without a snapshot there is nothing to compare the files with.
  if (isAsItWas === true || (isAsItWas === undefined && hasCrashed)) return;
  refuseUncommitted(spec.commit, files, 'resume');
}

/** A veto still applies when the run is resumed. */
async function refuseBrokenGuard({ journal: { state }, guard }: RunParts): Promise<void> {
  const { guardBroken, guard: before } = state;
  if (guardBroken === undefined || before === undefined || guard === undefined || !hasEnded(state)) return;
  await guard.begin();
  if (guard.digest === before) return;
  const { detail, iteration } = guardBroken;
  const why = `${detail} in iteration ${iteration} and has not been restored`;
  const message = `${why}: put it back, for example with git or pawl restore, then resume; to keep the change, start a new run`;
  throw new ConfigError([{ path: '', message }]);
}

/** Whether the tree is as the record left it; undefined when that is not known. */
async function isTreeOf({ restoredTree, trees }: RunState, { tree }: RunParts): Promise<boolean | undefined> {
  const recorded = restoredTree ?? trees.at(-1);
  const now = recorded === undefined ? undefined : await tree?.look('before it is resumed');
  // Time passes until the next iteration begins.
  tree?.disturb();
  return now === undefined || 'problem' in now ? undefined : now.tree === recorded;
}

const MOST_READ = 20;

/**
 * The start of the last run of this folder, where it ended with tests that were refused or are missing: without it, the next
 * run would take them as they are. A person who has changed the tests, committed or checked out something since has settled that.
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

/** What a shell does itself, or what begins something longer. */
const OF_THE_SHELL = new Set(
  ': . [ alias break case cd command continue echo eval exec exit export false for if printf pwd read return set shift source test time times trap true type ulimit umask unset until wait while'.split(
    ' ',
  ),
);
const REMEDY = 'install it, or correct the command';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws ConfigError when the tests begin with a program that is missing: no work of an agent would make them pass. Starts nothing. */
export function checkTestProgram({ tests, hooks, workingDir }: RunSpec, environment: Environment): void {
  const program = /^\s*([\w.+/-]+)(?=\s|$)/.exec(tests?.command ?? '')?.[1];
  // A hook may still install it.
  if (program === undefined || OF_THE_SHELL.has(program) || hooks.before_iteration !== undefined) return;
  if (findProgram(program, workingDir, environment['PATH']) !== undefined) return;
  const why = program.includes('/') ? `: ${whyNotRunnable(program, workingDir)}` : '';
  throw refused(`${program} is not a program that can be run${why}; ${REMEDY}`);
}

/** The same for one that the shell did not find when the tests ran. A program that only another one misses may be installed by the agent. */
export function checkTestsRan({ tests, hooks }: RunSpec, results: TestResults | undefined): void {
  const { exitCode, output = '' } = results ?? {};
  if (tests === undefined || results === undefined || hooks.before_iteration !== undefined) return;
  if (testsRan(results) !== undefined || (exitCode !== 126 && exitCode !== 127)) return;
  const words = tests.command.match(/[\w.+/-]+/g) ?? [];
  const missing = words.find((word) =>
    ['not found', 'command not found', 'Permission denied', 'No such file'].some((why) =>
      output.includes(`${word}: ${why}`),
    ),
  );
  if (missing === undefined) return;
  throw refused(`they cannot be run (exit code ${exitCode}): there is no program ${missing}; ${REMEDY}`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: 'tests', message }]);
}

/** A limit on spend that cannot be enforced is refused before the first iteration. Throws ConfigError. */
export function checkBudgetIsEnforceable(
  policy: Policy,
  agent: { readonly name: string; readonly usage: UsageReporting },
): void {
  if (agent.usage !== 'none') return;
  const issues = policyEntries(policy)
    .filter(({ condition }) => leavesOf(condition).some((leaf) => CONDITION_CATALOG[leaf.type].spend === true))
    .map(({ path, condition }) => ({
      path,
      message: `${agent.name} does not report usage, so this limit cannot be enforced; ${wayOut(condition)}, and use max_iterations or max_duration`,
    }));
  if (issues.length > 0) throw new ConfigError(issues);
}

function wayOut({ type }: StopCondition): string {
  const { flag } = CONDITION_CATALOG[type];
  return flag === undefined ? 'remove it' : `remove it, or run with --${flag.name} 0`;
}
