import { neededBy, needsOf } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import { worseOf } from '../model/metric.js';
import type { CheckResult, FileChanges, GoalFacts, Observation, ProbeResult } from '../model/observation.js';
import { policyLeaves } from '../model/policy.js';
import { isTreeChanged } from '../model/progress.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { allPassed, betterOf, type TestResults } from '../model/test-results.js';
import type { Harness } from '../observation/harness.js';
import { observeProbe } from '../observation/probe.js';
import { runCheck } from '../observation/run-check.js';
import { type ComparedWith, runTests } from '../observation/run-tests.js';
import { type GuardWatch, protectedProbes } from './guard-watch.js';
import { keepFiles } from './kept-files.js';
import type { Questions } from './questions.js';
import type { RunContext } from './run-context.js';
import { type OriginalsChecked, runOriginals } from './run-originals.js';
import { comparedByNumber, withoutNames, withSteadyNames } from './steady-names.js';
import { interruptOf } from './stop-signal.js';
import type { Unwatched } from './tree-watch.js';

export interface ObserveOptions {
  readonly context: RunContext;
  readonly cookie: string;
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

const CLOCK_LAG_MS = 50;

type AskOptions = ObserveOptions & {
  readonly harness: Harness;
  readonly questions: Questions;
  readonly functionSignal: AbortSignal | undefined;
  readonly comparedWith: ComparedWith;
};

/** After an agent: the files, the tests, the checks, the probes, and the confirmations that a goal asks for. */
export async function observeIteration(options: ObserveOptions, treeBefore: string | undefined): Promise<Observation> {
  const { context, label } = options;
  const { tree, guard, questions } = context;
  const changes = await tree?.changesSince(treeBefore, label);
  const unwatched = changes !== undefined && 'problem' in changes ? changes : undefined;
  const guarded = await guard?.changes();
  const before: Observation = {
    ...options.seen,
    ...(changes !== undefined && 'files' in changes ? { files: withNestedGit(changes.files, guarded) } : {}),
    ...withoutSnapshot(unwatched, options.seen),
    ...(changes?.also === undefined ? {} : { also: changes.also }),
    probes: protectedProbes(context, guarded),
  };
  await guard?.beginCommands('after');
  const isIdle = options.isRefused === true && isTreeChanged(before) !== true;
  const asked = isIdle ? { ...options, skipCommands: true } : options;
  const observed = await observeGoals(asked, before, questions.startTests());
  // The agent's code can replace a test while the tests run: the guard compares again afterwards.
  const probes = { ...observed.probes, ...protectedProbes(context, await guard?.changes()) };
  return withGuard(guard, Object.keys(probes).length === 0 ? observed : { ...observed, probes });
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

function withGuard(guard: GuardWatch | undefined, observed: Observation): Observation {
  if (guard?.digest === undefined) return observed;
  const { digest, newOutputs } = guard;
  return { ...observed, guard: digest, ...(newOutputs.length === 0 ? {} : { testOutputs: newOutputs }) };
}

/** Before the first iteration: where the run starts from. */
export async function observeBaseline(options: ObserveOptions): Promise<Observation> {
  const { context } = options;
  const { spec, environment, guard } = context;
  const looked = await context.tree?.look(options.label);
  const tree = looked !== undefined && 'tree' in looked ? { tree: looked.tree } : {};
  const problem = looked !== undefined && 'problem' in looked ? withoutSnapshot(looked, options.seen) : {};
  await guard?.begin();
  const probes = protectedProbes(context, await guard?.changes());
  await guard?.beginCommands('before');
  const observed = await observeGoals(options, { ...options.seen, ...tree, ...problem, probes }, 'start');
  // What the tests write by themselves is learned here.
  await guard?.changes();
  const history = spec.tests === undefined ? undefined : context.tree?.history;
  const kept = history && (await keepFiles(spec.workingDir, environment, history, observed.tree));
  return withGuard(guard, kept === undefined ? observed : { ...observed, kept });
}

/** Fires when the time of the run is up while its functions are asked. Those of a run that is out of time already are asked. */
function timeUp(ending: AbortSignal): AbortSignal | undefined {
  if (ending.aborted) return undefined;
  const up = new AbortController();
  ending.addEventListener('abort', () => interruptOf(ending) === 'limit' && up.abort(), { once: true });
  return up.signal;
}

async function observeGoals(
  given: ObserveOptions,
  before: Observation,
  comparedWith: ComparedWith,
): Promise<Observation> {
  const { spec, environment, questions, stop } = given.context;
  const harness = { workingDir: spec.workingDir, environment, cookie: given.cookie, signal: stop.now };
  const options = { ...given, harness, questions, functionSignal: timeUp(stop.run), comparedWith };
  // File systems tell the time by a slower clock.
  const testsSinceMs = Date.now() - CLOCK_LAG_MS;
  let observed = { ...before, ...(await goalFacts(options, before)) };
  observed = await withSecondRun(options, observed);
  const checked = await checkOriginals(options, observed, testsSinceMs);
  if (checked !== undefined)
    observed = await withSteadyNames(observed, checked, () => testsOf(spec, harness, comparedWith));
  const times = options.skipCommands ? 0 : questions.confirmations(options.draft(observed));
  const again = { ...options, questions: { ...questions, bestOf: () => undefined } };
  // What else is known of the iteration decides which questions are open, such as whether a review was about these files.
  const { tests: _tests, checks: _checks, ...unlooked } = before;
  const confirmations: GoalFacts[] = times > 0 ? confirmedBy(checked?.control, observed, options) : [];
  for (let time = confirmations.length; time < times && !isAborted(options); time++) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other is the point
    confirmations.push(withoutNames(await goalFacts(again, unlooked)));
  }
  if (confirmations.length === 0) return observed;
  const isByName = observed.tests?.changes !== undefined;
  return { ...observed, confirmations: isByName ? confirmations : confirmations.map(comparedByNumber) };
}

async function checkOriginals(
  options: AskOptions,
  observed: Observation,
  testsSinceMs: number,
): Promise<OriginalsChecked | undefined> {
  const { harness, questions } = options;
  const { spec, tree } = options.context;
  if (tree === undefined || options.skipCommands || isAborted(options)) return undefined;
  const asked = questions.originals(options.draft(observed));
  if (asked === undefined) return undefined;
  if (asked.known !== undefined) return { original: asked.known };
  if (observed.tests === undefined) return undefined;
  return runOriginals({
    spec,
    harness,
    history: tree.history,
    asked,
    tests: observed.tests,
    testsSinceMs,
    runTests: (place) => testsOf(spec, place, options.comparedWith),
  });
}

/** The run of the agent's own tests in the clean room is a second look, where only tests are inspected. */
function confirmedBy(
  tests: TestResults | undefined,
  { probes }: Observation,
  { context: { spec } }: ObserveOptions,
): GoalFacts[] {
  const isWhole = Object.keys(spec.checks).length === 0 && Object.keys(probes ?? {}).length === 0;
  return tests === undefined || !isWhole ? [] : [{ tests }];
}

/** A test that failed once and passes in a second run failed by chance. The better of the two results counts. */
async function withSecondRun(options: AskOptions, observed: Observation): Promise<Observation> {
  const { tests: first } = observed;
  if (first === undefined || options.skipCommands || isAborted(options)) return observed;
  if (!options.questions.isDoubtful(options.draft(observed))) return observed;
  const { spec, tree } = options.context;
  const second = await testsOf(spec, options.harness, options.comparedWith);
  tree?.disturb();
  if (second === undefined) return observed;
  const tests = betterOf(first, second);
  const isConfirmed = (spec.policy.confirm ?? 1) > 1;
  // One red and one green run say nothing: a goal needs a green run more than there are red ones.
  if (!allPassed(tests) || isConfirmed || isAborted(options)) return { ...observed, tests };
  const third = await testsOf(spec, options.harness, options.comparedWith);
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

async function runCommands({ context: { spec, tree }, harness, comparedWith }: AskOptions): Promise<GoalFacts> {
  const tests = spec.tests === undefined ? undefined : await testsOf(spec, harness, comparedWith);
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

function testsOf(spec: RunSpec, harness: Harness, comparedWith: ComparedWith): Promise<TestResults | undefined> {
  const needed = [...neededBy(policyLeaves(spec.policy), 'tests').values()];
  const named = needed.flatMap((tests) => (tests === 'all' ? [] : tests));
  return spec.tests === undefined
    ? Promise.resolve(undefined)
    : runTests({ ...spec.tests, parse: spec.parseTests }, harness, named, comparedWith);
}

/** Probes that start nothing and call nothing. */
const READ_ONLY: readonly (string | undefined)[] = ['file', 'checklist'];

async function askProbes(options: AskOptions, facts: Observation): Promise<GoalFacts['probes']> {
  const { harness, questions, functionSignal } = options;
  const { spec, tree, functions } = options.context;
  const asking = { ...harness, functions, functionSignal, functionTimeoutMs: spec.iterationTimeoutMs };
  let probes: Readonly<Record<string, ProbeResult>> = facts.probes ?? {};
  for (;;) {
    const draft = options.draft({ ...facts, probes });
    const next = isAborted(options) ? undefined : questions.nextProbe(draft);
    if (next === undefined) return Object.keys(probes).length === 0 ? undefined : probes;
    // oxlint-disable-next-line no-await-in-loop -- an answer decides whether the next question is asked
    const answer = await observeProbe(next, { ...asking, context: questions.functionContext(draft) });
    const metric = questions.bestOf(next, answer);
    // oxlint-disable-next-line no-await-in-loop -- the same files measured again
    const counted = metric === undefined ? answer : worseOf(answer, await observeProbe(next, asking), metric);
    probes = { ...probes, [conditionKey(next)]: counted };
    if (!READ_ONLY.includes(needsOf(next).probe?.kind)) tree?.disturb();
  }
}

function isAborted({ harness }: AskOptions): boolean {
  return harness.signal?.aborted === true;
}
