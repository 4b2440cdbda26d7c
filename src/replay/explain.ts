import { type Claim, claimsOf } from '../model/claim.js';
import { childrenOf, type StopCondition } from '../model/condition.js';
import type { LoopState } from '../model/loop-state.js';
import { type PolicyEntry, policyEntries } from '../model/policy.js';
import { reduce } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import { endOf, hasEnded, loopStateOf, openIteration } from '../model/phase.js';
import { questionsJson, shownQuestions } from '../model/questions.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { ConditionStatus, StopConditionResult, StopReason } from '../model/verdict.js';
import type { StopClass } from '../model/stop-class.js';
import { unitOf } from '../model/figures.js';
import { describe, measureOf } from '../stop/judge.js';
import { met } from '../model/judging/answer.js';
import { evaluateRun, judgeEntry } from '../stop/evaluate-policy.js';
import type { Facts } from '../model/judging/facts.js';
import { factsOf } from '../stop/facts.js';
import { type Forecast, forecast } from '../stop/forecast.js';
import { approachKey, Approaches, type Closest, stepInto } from './approaches.js';
import { EarlierStops, type EarlierStop } from './earlier-stops.js';
import type { Measure } from '../model/judging/measure.js';
import { neededFor } from './needed.js';

/** A condition as it stood at a moment, and how close it had come before. */
export interface ExplainedCondition {
  /** Where it stands: `stop.failure[0]`, inside a composite `stop.failure[0].conditions[1]`. */
  readonly path: string;
  /** Of the outermost one. */
  readonly class?: StopClass | undefined;
  readonly condition: StopCondition;
  /** When it stops a run, to be read after "stops". */
  readonly description: string;
  readonly status: ConditionStatus;
  readonly sentence: string;
  readonly progress?: number | undefined;
  readonly measure?: Measure | undefined;
  /** Before this moment, among the judgements at which it was known. */
  readonly closest?: Closest | undefined;
  /** What it would have taken, or takes. */
  readonly needed?: string | undefined;
  /** Of a limit of a run that continues: when it will be reached at this pace. */
  readonly expected?: Forecast | undefined;
  readonly children: readonly ExplainedCondition[];
}

/** Why a run stopped, or continues. */
export interface Explanation {
  readonly runId?: string | undefined;
  readonly kind?: RunState['kind'];
  readonly status: LoopState;
  readonly seq: number;
  readonly at?: string | undefined;
  /** Iterations that had ended by then; of a pipeline attempts. */
  readonly iteration: number;
  /** The iteration that was under way. */
  readonly within?: number | undefined;
  /** Whether it stops at this moment. */
  readonly stop: boolean;
  readonly class?: StopClass | undefined;
  readonly reasons: readonly StopReason[];
  /** Why the run itself broke. */
  readonly error?: string | undefined;
  /** The stop is one from which it was resumed later. */
  readonly resumed?: EarlierStop | undefined;
  /** Stops before this moment, the first first. */
  readonly earlier: readonly EarlierStop[];
  /** What the agent said of its own work in the iteration under way or the last one. */
  readonly claims: readonly Claim[];
  /** The agent's question that no person has answered. */
  readonly question?: string | undefined;
  /** What it asked by `ask_person`, with the choices. */
  readonly questions?: ReturnType<typeof questionsJson>;
  /** The last report that the agent is blocked, of this or an earlier iteration. */
  readonly blockedReport?: RunState['blockedReport'];
  readonly conditions: readonly ExplainedCondition[];
  /** Paths of the conditions that are not met, the closest first, as far as that can be told. */
  readonly next: readonly string[];
}

export interface ExplainOptions {
  /** The moment after this iteration (of a pipeline: attempt) was judged, in place of the last one. 0: before the first. */
  readonly iteration?: number | undefined;
}

/**
 * Why a recorded run stopped, or has not: every condition with its figures, how close it came before, and what it would
 * have taken. Of a state alone, what came before is not known. Undefined when the run has had no such iteration.
 *
 * @example
 * ```ts
 * import { type LoopEvent } from 'pawl';
 * import { explain } from 'pawl/replay';
 *
 * declare const events: Iterable<LoopEvent>;
 * for (const { sentence, closest, needed } of explain(events)?.conditions ?? []) {
 *   console.log(sentence, closest?.iteration, needed);
 * }
 * ```
 */
export function explain(source: Iterable<RunEvent> | RunState, options: ExplainOptions = {}): Explanation | undefined {
  const reading = createExplanation(options);
  if (!(Symbol.iterator in source)) return reading.endAt(source);
  for (const event of source) reading.see(event);
  return reading.end();
}

/** An explanation that gets one event after the other. */
export interface ExplanationReading {
  see(event: RunEvent): void;
  end(): Explanation | undefined;
  endAt(state: RunState): Explanation | undefined;
}

type Judged = readonly { readonly entry: PolicyEntry; readonly result: StopConditionResult }[];

interface JudgedMoment {
  readonly state: RunState;
  readonly facts: Facts;
  readonly judged: Judged;
}

export function createExplanation({ iteration: wanted }: ExplainOptions = {}): ExplanationReading {
  const approaches = new Approaches();
  let state = INITIAL_STATE;
  let last: JudgedMoment | undefined;
  let isDue = false;
  const stops = new EarlierStops();
  const judge = () => {
    isDue = false;
    if (wanted !== undefined && (state.iterations > wanted || stops.at(wanted) !== undefined)) return;
    // Judged twice after one iteration it is still one moment.
    if (last !== undefined && last.state.iterations !== state.iterations) approaches.add(last);
    last = momentOf(state);
  };
  const see = (event: RunEvent) => {
    const isNew = event.type === 'iteration-started' || state.pipeline !== undefined;
    if (event.type === 'verdict-reached' || (isDue && isNew)) judge();
    stops.see(event, state);
    state = reduce(state, event);
    isDue ||= ENDS.has(event.type);
  };
  const endAt = (end: RunState) => {
    state = end;
    if (isDue) judge();
    if (wanted !== undefined)
      return last?.state.iterations === wanted
        ? explained(last, end, { approaches, stops, resumed: stops.at(wanted) })
        : undefined;
    return explained(momentNow(end, last, approaches), end, { approaches, stops });
  };
  return { see, endAt, end: () => endAt(state) };
}

const ENDS: ReadonlySet<string> = new Set(['baseline-observed', 'iteration-ended', 'attempt-ended', 'item-ended']);

function momentOf(state: RunState): JudgedMoment {
  const facts = factsOf(state);
  const { policy } = state;
  const judged = policyEntries(policy).map((entry) => ({ entry, result: judgeEntry(entry, policy, facts) }));
  return { state, facts, judged };
}

/** An ended run is explained by its last verdict. While an iteration is under way, only limits are judged again. */
function momentNow(state: RunState, last: JudgedMoment | undefined, approaches: Approaches): JudgedMoment {
  if (last !== undefined && hasEnded(state)) return last;
  const now = momentOf(state);
  if (last === undefined) return now;
  if (last.state.iterations !== state.iterations) approaches.add(last);
  if (openIteration(state) === undefined) return now;
  const before = new Map(last.judged.map((one) => [approachKey(one.entry), one]));
  const judged = now.judged.map((one) =>
    one.entry.class === 'limit' ? one : (before.get(approachKey(one.entry)) ?? one),
  );
  return { state, facts: now.facts, judged };
}

interface Before {
  readonly approaches: Approaches;
  readonly stops: EarlierStops;
  /** The moment is that of a stop from which someone resumed it. */
  readonly resumed?: EarlierStop | undefined;
}

function metBy(message: string, result: StopConditionResult): StopConditionResult {
  return { ...result, ...met(message, result), children: result.children };
}

function explained(moment: JudgedMoment, end: RunState, { approaches, stops, resumed }: Before): Explanation {
  const { state, facts, judged } = moment;
  const isEnd = resumed === undefined && hasEnded(end) && state.iterations === end.iterations;
  const verdict = resumed === undefined ? evaluateRun(state) : { ...resumed, stop: true };
  const ahead = isEnd ? [] : forecast(state.policy, state);
  const recorded = endOf(end);
  const decided = isEnd ? (recorded?.reasons ?? []) : [];
  const conditions = judged.map((one) => {
    const { entry } = one;
    const reason = decided.find(({ path }) => path === entry.path);
    // What was in flight has moved the figures since: the run stopped by those of then.
    const hasMoved = reason !== undefined && one.result.status === 'not-met';
    const result = hasMoved ? metBy(reason.message, one.result) : one.result;
    const expected = result.status === 'met' ? undefined : ahead.find(({ path }) => path === entry.path);
    return {
      ...conditionOf(result, entry.path, approachKey(entry), { facts, approaches }),
      class: entry.class,
      expected,
    };
  });
  return {
    runId: end.runId,
    kind: end.kind,
    status: resumed === undefined && (isEnd || state === end) ? loopStateOf(end) : 'running',
    seq: state.seq,
    at: state.at,
    iteration: state.iterations,
    within: openIteration(state)?.iteration,
    stop: isEnd || verdict.stop,
    class: isEnd ? recorded?.class : verdict.class,
    reasons: isEnd ? (recorded?.reasons ?? []) : verdict.reasons,
    error: isEnd ? recorded?.error : resumed?.error,
    resumed,
    earlier: stops.before(resumed?.seq ?? state.seq),
    claims: claimsOf(state.latest),
    question: shownQuestions(state)[0]?.text ?? state.question,
    questions: questionsJson(state),
    blockedReport: state.blockedReport,
    conditions,
    next: closestFirst(conditions),
  };
}

interface Context {
  readonly facts: Facts;
  readonly approaches: Approaches;
}

function conditionOf(result: StopConditionResult, path: string, key: string, context: Context): ExplainedCondition {
  const { condition, status, progress, reason, children = [] } = result;
  const { facts, approaches } = context;
  return {
    path,
    condition,
    description: describe(condition, unitOf(facts)),
    status,
    sentence: reason,
    progress,
    measure: childrenOf(condition).length > 0 ? undefined : measureOf(condition, facts),
    closest: approaches.closest(key),
    needed: neededFor(result, facts),
    children: children.map((child, index) => {
      const step = stepInto(condition, index);
      return conditionOf(child, `${path}${step}`, `${key}${step}`, context);
    }),
  };
}

/** Goals are not what a run comes close to by going on as it does; they come last. */
function closestFirst(conditions: readonly ExplainedCondition[]): readonly string[] {
  const rank = ({ class: stopClass, progress = 0 }: ExplainedCondition) => (stopClass === 'goal' ? -1 : progress);
  return conditions
    .filter(({ status, progress = 0 }) => status !== 'met' && progress > 0)
    .toSorted((a, b) => rank(b) - rank(a))
    .map(({ path }) => path);
}
