import { type ConditionOf, leavesOf, type ProbeCondition, type StopCondition } from '../model/condition.js';
import type { ConditionFunctions } from '../model/condition-function.js';
import { conditionKey } from '../model/condition-key.js';
import type { CheckResult, FileChanges, GoalFacts, Observation, ProbeResult } from '../model/observation.js';
import { policyEntries } from '../model/policy.js';
import { isTreeChanged } from '../model/progress.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { allPassed, betterOf, type TestResults } from '../model/test-results.js';
import type { Harness } from '../observation/harness.js';
import { observeProbe } from '../observation/probe.js';
import { probeProtectedPaths } from '../observation/protected-paths.js';
import { runCheck } from '../observation/run-check.js';
import { runTests } from '../observation/run-tests.js';
import type { GuardWatch } from './guard-watch.js';
import { interruptOf } from './interrupt.js';
import type { TreeWatch, Unwatched } from './tree-watch.js';

interface GuardGap {
  readonly before: string | undefined;
  readonly broken?: RunState['guardBroken'];
}

/** What the decision asks of the observers. Pure: it sees the event that would be recorded if they stopped here. */
export interface Questions {
  /** The next probe whose answer can still matter. */
  nextProbe(draft: NewEvent): ProbeCondition | undefined;
  /** How often the facts of a goal are to be looked at again. */
  confirmations(draft: NewEvent): number;
  /** Whether tests that fail are to be run again before they count: they may fail by chance. */
  isDoubtful(draft: NewEvent): boolean;
  /** What a condition that is a function is called with. */
  functionContext(draft: NewEvent): unknown;
  /** Set when nobody could watch protected files in an earlier iteration, or it changed them: one figure of them, from before it, if it is known. */
  guardGap(): GuardGap | undefined;
}

export interface ObserveOptions {
  readonly spec: RunSpec;
  readonly harness: Harness;
  readonly tree: TreeWatch | undefined;
  readonly guard: GuardWatch | undefined;
  readonly questions: Questions;
  readonly functions: ConditionFunctions;
  /** The run is to end, for the reason of the signal. */
  readonly ending?: AbortSignal | undefined;
  /** The event that will hold the observation. */
  readonly draft: (observed: Observation) => NewEvent;
  /** What the agent showed: its output, and tests that its own tools ran. */
  readonly seen: Observation;
  /** An operator does not want to wait. */
  readonly skipCommands: boolean;
  /** The provider refused the try: without a change there is nothing new to test. */
  readonly isRefused?: boolean | undefined;
  readonly label: string;
}

type AskOptions = ObserveOptions & { readonly functionSignal: AbortSignal | undefined };

/** After an agent: the files, the tests, the checks, the probes, and the confirmations that a goal asks for. */
export async function observeIteration(options: ObserveOptions, treeBefore: string | undefined): Promise<Observation> {
  const { tree, guard, label } = options;
  const changes = await tree?.changesSince(treeBefore, label);
  const unwatched = changes !== undefined && 'problem' in changes ? changes : undefined;
  const guarded = await guard?.changes();
  const before: Observation = {
    ...options.seen,
    ...(changes !== undefined && 'files' in changes ? { files: withNestedGit(changes.files, guarded) } : {}),
    ...withoutSnapshot(unwatched, options.seen),
    ...(changes?.also === undefined ? {} : { also: changes.also }),
    probes: protectedProbes(options, guarded),
  };
  await guard?.beginCommands('after');
  const isIdle = options.isRefused === true && isTreeChanged(before) !== true;
  const observed = await observeGoals(isIdle ? { ...options, skipCommands: true } : options, before);
  // The agent's code can replace a test while the tests run: the guard compares again afterwards.
  const probes = { ...observed.probes, ...protectedProbes(options, await guard?.changes()) };
  return withGuard(options, Object.keys(probes).length === 0 ? observed : { ...observed, probes });
}

/** Git stores nothing that lies in a folder named `.git`: a change there is named, so that the diff does not look empty. */
function withNestedGit(files: FileChanges, guarded: readonly string[] = []): FileChanges {
  const unstored = guarded.filter((path) => path.includes('/.git/'));
  return unstored.length === 0 ? files : { ...files, incomplete: [...(files.incomplete ?? []), ...unstored] };
}

function withoutSnapshot(unwatched: Unwatched | undefined, { unobserved = [] }: Observation): Observation {
  if (unwatched === undefined) return {};
  const { problem, fingerprint } = unwatched;
  return {
    unobserved: [...unobserved, `changed files: ${problem}`],
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

function withGuard({ guard }: ObserveOptions, observed: Observation): Observation {
  if (guard?.digest === undefined) return observed;
  const { digest, newOutputs } = guard;
  return { ...observed, guard: digest, ...(newOutputs.length === 0 ? {} : { testOutputs: newOutputs }) };
}

/** Before the first iteration: where the run starts from. */
export async function observeBaseline(options: ObserveOptions): Promise<Observation> {
  const { guard } = options;
  const looked = await options.tree?.look(options.label);
  const tree = looked !== undefined && 'tree' in looked ? { tree: looked.tree } : {};
  const problem = looked !== undefined && 'problem' in looked ? withoutSnapshot(looked, options.seen) : {};
  await guard?.begin();
  const probes = protectedProbes(options, await guard?.changes());
  await guard?.beginCommands('before');
  const observed = await observeGoals(options, { ...options.seen, ...tree, ...problem, probes });
  // What the tests write by themselves is learned here.
  await guard?.changes();
  return withGuard(options, observed);
}

/** Fires when the time of the run is up while its functions are asked. Those of a run that is out of time already are asked. */
function timeUp(ending: AbortSignal | undefined): AbortSignal | undefined {
  if (ending === undefined || ending.aborted) return undefined;
  const up = new AbortController();
  ending.addEventListener('abort', () => interruptOf(ending) === 'limit' && up.abort(), { once: true });
  return up.signal;
}

async function observeGoals(given: ObserveOptions, before: Observation): Promise<Observation> {
  const options = { ...given, functionSignal: timeUp(given.ending) };
  let observed = { ...before, ...(await goalFacts(options, before)) };
  observed = await withSecondRun(options, observed);
  const times = options.skipCommands ? 0 : options.questions.confirmations(options.draft(observed));
  const confirmations: GoalFacts[] = [];
  for (let time = 0; time < times && !isAborted(options); time++) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other is the point
    confirmations.push(await goalFacts(options, { probes: before.probes }));
  }
  if (confirmations.length > 0) observed = { ...observed, confirmations };
  return observed;
}

/** A test that failed once and passes in a second run failed by chance. The better of the two results counts. */
async function withSecondRun(options: AskOptions, observed: Observation): Promise<Observation> {
  const { tests: first } = observed;
  if (first === undefined || options.skipCommands || isAborted(options)) return observed;
  if (!options.questions.isDoubtful(options.draft(observed))) return observed;
  const second = await testsOf(options.spec, options.harness);
  options.tree?.disturb();
  if (second === undefined) return observed;
  const tests = betterOf(first, second);
  const isConfirmed = (options.spec.policy.confirm ?? 1) > 1;
  // One red and one green run say nothing: a goal needs a green run more than there are red ones.
  if (!allPassed(tests) || isConfirmed || isAborted(options)) return { ...observed, tests };
  const third = await testsOf(options.spec, options.harness);
  return third === undefined ? observed : { ...observed, tests: allPassed(third) ? tests : { ...first, flaky: [] } };
}

/** Tests, checks and probes, once. */
async function goalFacts(options: AskOptions, before: Observation): Promise<GoalFacts> {
  const facts: Observation = options.skipCommands ? before : { ...before, ...(await runCommands(options)) };
  const probes = options.skipCommands ? facts.probes : await askProbes(options, facts);
  return {
    ...(facts.tests === undefined ? {} : { tests: facts.tests }),
    ...(facts.checks === undefined ? {} : { checks: facts.checks }),
    ...(probes === undefined ? {} : { probes }),
  };
}

async function runCommands({ spec, harness, tree }: ObserveOptions): Promise<GoalFacts> {
  const tests = spec.tests === undefined ? undefined : await testsOf(spec, harness);
  const checks: Record<string, CheckResult> = {};
  for (const [name, check] of Object.entries(spec.checks)) {
    // oxlint-disable-next-line no-await-in-loop -- they share the working tree
    if (harness.signal?.aborted !== true) checks[name] = await runCheck(check, harness);
  }
  const ran = spec.tests !== undefined || Object.keys(checks).length > 0;
  if (ran) tree?.disturb();
  return {
    ...(tests === undefined ? {} : { tests }),
    ...(Object.keys(checks).length === 0 ? {} : { checks }),
  };
}

function testsOf(spec: RunSpec, harness: Harness): Promise<TestResults | undefined> {
  const named = leaves(spec).flatMap((leaf) => (leaf.type === 'specific_tests_pass' ? leaf.tests : []));
  return spec.tests === undefined
    ? Promise.resolve(undefined)
    : runTests({ ...spec.tests, parse: spec.parseTests }, harness, named);
}

async function askProbes(options: AskOptions, facts: Observation): Promise<GoalFacts['probes']> {
  const { spec, harness, questions, tree } = options;
  const { functions, functionSignal } = options;
  const asking = { ...harness, functions, functionSignal, functionTimeoutMs: spec.iterationTimeoutMs };
  let probes: Readonly<Record<string, ProbeResult>> = facts.probes ?? {};
  for (;;) {
    const draft = options.draft({ ...facts, probes });
    const next = isAborted(options) ? undefined : questions.nextProbe(draft);
    if (next === undefined) return Object.keys(probes).length === 0 ? undefined : probes;
    // oxlint-disable-next-line no-await-in-loop -- an answer decides whether the next question is asked
    const answer = await observeProbe(next, { ...asking, context: questions.functionContext(draft) });
    probes = { ...probes, [conditionKey(next)]: answer };
    if (next.type === 'custom_script' || next.type === 'function') tree?.disturb();
  }
}

/** An agent that hides what it did in one iteration is not trusted in the next one, unless the files are as before. */
function protectedProbes(
  { spec, guard, questions }: ObserveOptions,
  guarded: readonly string[] | undefined,
): Record<string, ProbeResult> {
  const gap = questions.guardGap();
  return Object.fromEntries(
    protectedLeaves(spec).map((leaf) => {
      const probe = probeProtectedPaths(leaf, guarded);
      return [conditionKey(leaf), gap === undefined ? probe : afterGap(leaf.paths, gap, probe, guard?.digest)];
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
  if (before !== undefined && before === now) return { met: false, detail: `${named} is as it was` };
  if (probe.met !== false) return probe;
  if (before === undefined) return { detail: 'the changes of an earlier iteration were not observed' };
  if (broken === undefined) return { met: true, detail: `${named} changed while nobody could watch` };
  return { met: true, detail: `${broken.detail} in iteration ${broken.iteration} and has not been put back` };
}

function protectedLeaves(spec: RunSpec): readonly ConditionOf<'protected_path_changed'>[] {
  return leaves(spec).filter((leaf) => leaf.type === 'protected_path_changed');
}

function leaves({ policy }: RunSpec): readonly StopCondition[] {
  return policyEntries(policy).flatMap(({ condition }) => leavesOf(condition));
}

function isAborted({ harness }: ObserveOptions): boolean {
  return harness.signal?.aborted === true;
}
