import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { isTestCode } from '../clean-room/suite-files.js';
import { neededBy } from '../model/condition-catalog.js';
import type { ProbeResult } from '../model/observation.js';
import { policyLeaves } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { UserGit } from '../observation/files/user-git.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import { changedBetween, digestOf, type Guarded, GuardedFiles, writtenBetween } from '../observation/guarded-files.js';
import { probeProtectedPaths } from '../observation/protected-paths.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Python's compiled files, which it also writes while it only reads the tests. */
const BYTECODE = /(?:^|\/)__pycache__\/[^/]+\.py[co]$/;
/** What a test run leaves for people to read. No test runner loads such a file. */
const REPORTS = new Set(['.log', '.out', '.err', '.txt', '.xml', '.html', '.tap', '.lcov', '.tmp', '.pid']);
const MOST_OUTPUTS = 500;
const GIT_TIMEOUT_MS = 30_000;

/** The protected files of a run, from iteration to iteration. */
export interface GuardWatch {
  /** Takes what an iteration, or the run, starts from. */
  begin(): Promise<void>;
  /** Pawl's own commands follow: the agent has ended (`after`), or it has not started yet (`before`). */
  beginCommands(agent: 'before' | 'after'): Promise<void>;
  /** Protected paths that the agent, or a swap during Pawl's commands, has changed since `begin`; undefined if unknown. */
  changes(): Promise<readonly string[] | undefined>;
  /** Deletes the bytecode caches below the protected paths, for the tests to run from their source. */
  removeBytecode(): Promise<void>;
  /** Of the last look, for the record: after a crash it is all that is left to compare with. */
  readonly digest: string | undefined;
  /** Protected files that Pawl's commands wrote for the first time, with `#` for numbers: outputs of the tests. */
  readonly newOutputs: readonly string[];
  /** What is protected, as it is written, where the path that changed is not known. */
  readonly protectedPath: string;
}

/** Undefined when the policy protects nothing. `recordedOutputs`: the outputs that are on record. */
export function watchGuard(
  { policy, workingDir }: RunSpec,
  environment: Environment,
  recordedOutputs: () => readonly string[],
): GuardWatch | undefined {
  const guards = [...neededBy(policyLeaves(policy), 'guard').values()];
  if (guards.length === 0) return undefined;
  const files = new GuardedFiles(workingDir, guards);
  let known: Promise<KnownToGit> | undefined;
  let git: KnownToGit = { tracked: new Set(), ignored: [] };
  let before: Guarded = { files: new Map(), problem: 'they have not been read yet' };
  let last = before;
  let commands: { readonly from: Guarded; readonly agent: 'before' | 'after' } | undefined;
  let newOutputs = new Set<string>();

  const isBytecode = (path: string) => BYTECODE.test(path) && !git.tracked.has(path);
  const isOutput = (shape: string) => newOutputs.has(shape) || recordedOutputs().includes(shape);
  const counts = (path: string) => !isBytecode(path) && !isOutput(shapeOf(path));
  const remove = (paths: readonly string[]) => removeInside(workingDir, paths.filter(isBytecode));
  const learnOutputs = () => {
    if (commands === undefined) return;
    const { from, agent } = commands;
    const written = (writtenBetween(from, last) ?? []).filter((path) => mayBeOutput(path, agent, before, git));
    for (const path of written.filter(counts).slice(0, MOST_OUTPUTS)) newOutputs.add(shapeOf(path));
  };

  return {
    async begin() {
      known ??= knownToGit(workingDir, environment, files.bases);
      [before, git] = await Promise.all([files.look(), known]);
      last = before;
      commands = undefined;
      newOutputs = new Set();
    },
    async beginCommands(agent) {
      // Bytecode that the agent wrote could hold other tests than the source does.
      if (agent === 'after') await remove(writtenBetween(before, last) ?? []);
      last = await files.look();
      commands = { from: last, agent };
    },
    async changes() {
      last = await files.look();
      learnOutputs();
      const byAgent = changedBetween(before, commands?.from ?? last);
      const since = commands === undefined ? [] : changedBetween(commands.from, last);
      return byAgent && since && [...new Set([...byAgent, ...since])].filter(counts).sort();
    },
    removeBytecode: async () => remove([...(await files.look()).files.keys()]),
    protectedPath: guards[0]?.paths[0] ?? '',
    get digest() {
      return digestOf(last, counts);
    },
    get newOutputs() {
      return [...newOutputs];
    },
  };
}

/** Removes nothing outside of the working directory, where a link may lead. */
async function removeInside(workingDir: string, paths: readonly string[]): Promise<void> {
  const tree = await realpath(workingDir);
  for (const path of paths) {
    const folder = await realpath(join(workingDir, dirname(path))).catch(() => undefined);
    if (folder?.startsWith(`${tree}${sep}`) === true) await rm(join(folder, basename(path)), { force: true });
  }
}

/** Whether a file that was written while Pawl's commands ran can be an output of the tests. */
function mayBeOutput(path: string, agent: 'before' | 'after', before: Guarded, git: KnownToGit): boolean {
  if (git.ignored.some((place) => path === place || (place.endsWith('/') && path.startsWith(place)))) return true;
  const isNew = !before.files.has(path);
  const isReport = REPORTS.has(extname(path).toLowerCase());
  // Before the agent has done anything, only the tests themselves can have written a file: they keep their data there.
  return agent === 'before' ? isNew || isReport || !isTestCode(path) : isNew && isReport;
}

interface KnownToGit {
  /** Of the bytecode, what git tracks. */
  readonly tracked: ReadonlySet<string>;
  /** What git ignores; folders end with a slash. */
  readonly ignored: readonly string[];
}

/** What git knows when the run starts or is resumed. An agent can write ignore rules later. */
async function knownToGit(workingDir: string, environment: Environment, below: readonly string[]): Promise<KnownToGit> {
  const limits = { endsAtMs: performance.now() + GIT_TIMEOUT_MS };
  try {
    const git = new UserGit(findWorkTree(workingDir), environment);
    const [tracked, ignored] = await Promise.all([
      git.list('tracked', below, limits),
      git.list('ignored', below, limits),
    ]);
    return { tracked: new Set(tracked.filter((path) => BYTECODE.test(path))), ignored };
  } catch {
    return { tracked: new Set(), ignored: [] };
  }
}

/** A report may have a new name each time: numbers and long hexadecimal ids do not matter. */
function shapeOf(path: string): string {
  return path.replaceAll(/[0-9a-f]{8,}|\d+/g, '#');
}

/** An earlier iteration in which protected files were not watched, or changed. */
export interface GuardGap {
  readonly before: string | undefined;
  readonly broken?: RunState['guardBroken'];
}

interface GuardedRun {
  readonly spec: Pick<RunSpec, 'policy'>;
  /** One figure of the protected files as they are now. */
  readonly guard: { readonly digest?: string | undefined } | undefined;
  readonly questions: { guardGap(): GuardGap | undefined };
}

/** An agent that hides what it did in one iteration is not trusted in the next one, unless the files are as before. */
export function protectedProbes(
  { spec, guard, questions }: GuardedRun,
  guarded: readonly string[] | undefined,
): Record<string, ProbeResult> {
  const gap = questions.guardGap();
  return Object.fromEntries(
    [...neededBy(policyLeaves(spec.policy), 'guard')].map(([key, needed]) => {
      const probe = probeProtectedPaths(needed, guarded);
      return [key, gap === undefined ? probe : afterGap(needed.paths, gap, probe, guard?.digest)];
    }),
  );
}

function afterGap(
  paths: readonly string[],
  { before, broken }: GuardGap,
  probe: ProbeResult,
  now: string | undefined,
): ProbeResult {
  const named = paths.join(', ');
  if (before !== undefined && before === now) return { met: false, detail: `${named} is unchanged` };
  if (probe.met !== false) return probe;
  if (before === undefined) return { detail: 'the changes of an earlier iteration were not observed' };
  if (broken === undefined) return { met: true, detail: `${named} changed while Pawl could not check it` };
  return { met: true, detail: `${broken.detail} in iteration ${broken.iteration} and has not been restored` };
}
