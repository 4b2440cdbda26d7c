import { CONDITION_CATALOG, priority, needsOf, limitOf } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import { leavesOf, childrenOf, type StopCondition } from '../model/condition.js';
import { plural, quote, stopRequested } from '../model/figures.js';
import type { Facts } from '../model/judging/facts.js';
import { type Policy, type PolicyEntry, policyEntries } from '../model/policy.js';
import { QUESTION_PATH } from '../model/questions.js';
import type { ReviewCause } from '../model/review.js';
import type { RunState } from '../model/run-state.js';
import { rankOf, type StopClass } from '../model/stop-class.js';
import { allPassed, isUncounted, lostTests, UNCOUNTED } from '../model/test-results.js';
import type { Hold, Judgement, StopConditionResult, StopReason, Verdict } from '../model/verdict.js';
import { WAIT_PATH } from '../model/wait-policy.js';
import { factsOf } from './facts.js';
import { judge, judgeConfirmed } from './judge.js';
import { causeOfReview, ifAgreed, withReview } from './review-decision.js';

/** Where the reason stands that every item of a pipeline is final. */
export const ITEMS_PATH = 'items';

/** Where the reason stands that the tests of the start do not pass. */
const ORIGINALS_PATH = 'tests.original';

/** Where the reason stands that the tests pass by their exit code alone. */
export const UNCOUNTED_PATH = 'tests.uncounted';

/** A person can accept the work that ended with one of these: `pawl approve`. */
export const APPROVABLE_PATHS: readonly string[] = [ORIGINALS_PATH, UNCOUNTED_PATH];

/** Iterations in a row without the tests. */
const MOST_LOST = 2;
/** How often in a row the original tests may fail in the same way, or be impossible to run. */
const MOST_REFUSED = 2;

interface Judged {
  readonly entry: PolicyEntry;
  readonly result: StopConditionResult;
}

/** What the run's own policy says of it now. */
export function evaluateRun(state: RunState): Verdict {
  return evaluatePolicy(state.policy, factsOf(state));
}

/** S2: every condition is judged, every met one is a reason; the strongest class decides, then the priority. */
export function evaluatePolicy(policy: Policy, facts: Facts): Verdict {
  return withReview(evaluateBeforeReview, policy, facts);
}

/** Why a review is to be asked for now, before anything else is done; undefined when none is. */
export function reviewDue(state: RunState): ReviewCause | undefined {
  return causeOfReview(evaluateBeforeReview, state.policy, factsOf(state));
}

function evaluateBeforeReview(policy: Policy, facts: Facts): Verdict {
  const judged = policyEntries(policy).map((entry) => ({ entry, result: judgeEntry(entry, policy, facts) }));
  const own = [...builtInReasons(facts), ...stalledReasons(policy, facts), ...uncountedReasons(policy, facts)];
  return verdictOf(judged, own, facts, policy);
}

/** Whether the agent has to be interrupted now: only live conditions, never a goal, an operator only if at once. */
export function evaluateLive(policy: Policy, facts: Facts): Verdict {
  const judged = interruptingEntries(policy)
    .filter((entry) => entry.class !== 'operator' || facts.operatorStop?.now === true)
    .map((entry) => ({ entry, result: judge(entry.condition, facts) }));
  const builtIn = facts.operatorStop?.now === true ? operatorReasons(facts) : [];
  return verdictOf(judged, builtIn, facts, policy);
}

function verdictOf(judged: readonly Judged[], builtIn: readonly StopReason[], facts: Facts, policy: Policy): Verdict {
  const unguarded = (facts.iteration ?? 0) > 0 && judged.some(isUncheckedVeto);
  const own = judged.flatMap(({ entry, result }) => {
    const stopClass = stoppingClass(entry, result, facts, policy);
    // A guard that no one could look at has not said that all is well.
    if (stopClass === undefined || (stopClass === 'goal' && unguarded)) return [];
    return [
      { path: entry.path, class: stopClass, condition: entry.condition, message: messageFor(result, stopClass, facts) },
    ];
  });
  const sorted = [...builtIn, ...own].sort((a, b) => compareReasons(a, b, facts));
  const reasons = policy.stopOnFirst === true ? sorted.slice(0, 1) : sorted;
  return {
    stop: reasons.length > 0,
    ...(reasons[0] === undefined ? {} : { class: reasons[0].class }),
    reasons,
    judgements: judged.map(judgementOf),
    holds: holdsOf(judged.map(({ result }) => result)),
  };
}

/** In a pipeline it is each attempt that has to report what it used. */
function messageFor(result: StopConditionResult, stopClass: StopClass, { pipeline }: Facts): string {
  if (pipeline === undefined) return result.reason;
  const remedy = stopClass === 'blocked' ? '; have each attempt print its usage, or remove the limit' : '';
  return `${result.reason}${remedy}`;
}

/** The class with which a judged condition stops the run; undefined when it does not. */
function stoppingClass(
  entry: PolicyEntry,
  result: StopConditionResult,
  facts: Facts,
  policy: Policy,
): StopClass | undefined {
  if (result.status === 'unknown') {
    // A budget that is not known is not a budget that is left.
    return result.spendUnknown !== undefined && entry.class !== 'goal' ? 'blocked' : undefined;
  }
  if (result.status === 'not-met') return undefined;
  if (carriesVeto(result)) return 'veto';
  const early = entry.class === 'goal' && (facts.iteration ?? 0) < (policy.atLeast ?? 0);
  return early ? undefined : entry.class;
}

function isUncheckedVeto({ entry, result }: Judged): boolean {
  return entry.class === 'veto' && result.status === 'unknown';
}

/** A composite that is met by a veto is one, in whatever list it stands. */
function carriesVeto(result: StopConditionResult): boolean {
  if (result.status !== 'met') return false;
  if (result.children !== undefined) return result.children.some(carriesVeto);
  return CONDITION_CATALOG[result.condition.type].class === 'veto';
}

/** Goals are asked as often as they say. A veto that is met needs no second look. */
export function judgeEntry(
  { class: stopClass, condition }: PolicyEntry,
  policy: Policy,
  facts: Facts,
): StopConditionResult {
  const times = stopClass === 'goal' ? (condition.confirm ?? policy.confirm ?? 1) : 1;
  const first = judge(condition, facts);
  return carriesVeto(first) ? first : judgeConfirmed(condition, times, facts, first);
}

/** Goals that say by themselves when to end without them. */
function stalledReasons(policy: Policy, facts: Facts): readonly StopReason[] {
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  return goals.flatMap(({ path, condition }) =>
    leavesOf(condition).flatMap((leaf) => {
      const reason = CONDITION_CATALOG[leaf.type].givesUp?.(leaf, facts);
      return reason === undefined ? [] : [{ path, condition: leaf, ...reason }];
    }),
  );
}

/** What ends any run, whatever its policy says. */
function builtInReasons(facts: Facts): readonly StopReason[] {
  return [
    ...operatorReasons(facts),
    ...accountReasons(facts),
    ...personReasons(facts),
    ...testReasons(facts),
    ...originalReasons(facts),
    ...itemReasons(facts),
  ];
}

/** A pipeline whose items are all final is over: a success only when every one of them was approved. */
function itemReasons({ pipeline }: Facts): readonly StopReason[] {
  if (pipeline === undefined) return [];
  const items = pipeline.items - (pipeline.withdrawn ?? 0);
  const { approved, rejected, failed } = pipeline;
  if (items === 0 || approved + rejected + failed < items) return [];
  if (approved === items) {
    const all = items === 1 ? 'the only item' : `all ${plural(items, 'item')}`;
    return [{ path: ITEMS_PATH, class: 'goal', message: `${all} approved` }];
  }
  const others = [rejected > 0 ? `${rejected} rejected` : '', failed > 0 ? `${failed} failed` : ''];
  const message = `${approved} of ${plural(items, 'item')} approved, ${others.filter((part) => part !== '').join(', ')}`;
  return [{ path: ITEMS_PATH, class: 'failure', message }];
}

function operatorReasons({ operatorStop }: Facts): readonly StopReason[] {
  if (operatorStop === undefined) return [];
  return [{ path: 'operator', class: 'operator', message: stopRequested(operatorStop.by) }];
}

/** A login or a bill that is refused stays refused until a person acts: another try would only be another refusal. */
function accountReasons({ errors }: Facts): readonly StopReason[] {
  const refused = errors?.find((error) => error.kind === 'auth' || error.kind === 'billing');
  if (refused === undefined) return [];
  const what = refused.kind === 'auth' ? 'the agent is not logged in' : 'the account cannot pay';
  return [{ path: `agent.${refused.kind}`, class: 'blocked', message: `${what}: ${quote(refused.message, 160)}` }];
}

/** A wait that is too long, a question without an answer, a hook that blocks: only a person can help. */
function personReasons({ waitTooLong, unanswered, blockedByHook }: Facts): readonly StopReason[] {
  const found = {
    [WAIT_PATH]: waitTooLong,
    [QUESTION_PATH]: unanswered,
    [`hooks.${blockedByHook?.hook}`]: blockedByHook?.message,
  };
  return Object.entries(found).flatMap(([path, message]) =>
    message === undefined ? [] : [{ path, class: 'blocked', message }],
  );
}

/** Tests that are gone verify nothing. The agent was told after the first time, and has not brought them back. */
function testReasons({ tests, baselineTests, streaks }: Facts): readonly StopReason[] {
  const lost = tests === undefined ? undefined : lostTests(tests, baselineTests);
  const { lostTests: times = 0 } = streaks;
  if (lost === undefined || times < MOST_LOST) return [];
  return [
    { path: 'tests', class: 'blocked', message: `${lost} in ${times} iterations in a row, although tests ran before` },
  ];
}

/** The agent was told which original tests fail, or that they could not be run, and has not changed that. */
function originalReasons({ originals }: Facts): readonly StopReason[] {
  if (originals?.problem === undefined) return [];
  const { refused, unusable, problem } = originals;
  if (refused >= MOST_REFUSED) return [{ path: ORIGINALS_PATH, class: 'veto', message: problem }];
  if (unusable < MOST_REFUSED) return [];
  return [{ path: ORIGINALS_PATH, class: 'blocked', message: `the original tests could not be run: ${problem}` }];
}

/** Nothing that the agent can do would meet a goal that lacks only this: that a test was counted. */
function uncountedReasons(policy: Policy, facts: Facts): readonly StopReason[] {
  const { tests, iteration = 0 } = facts;
  if (tests === undefined || !isUncounted(tests) || !allPassed(tests) || iteration < (policy.atLeast ?? 0)) return [];
  const now = ifAgreed(policy, facts);
  const decided: Facts = { ...now, tests: { ...tests, exitCodeDecides: true } };
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  const isLacking = goals.some(({ condition }) => !judge(condition, now).isMet && judge(condition, decided).isMet);
  return isLacking ? [{ path: UNCOUNTED_PATH, class: 'blocked', message: UNCOUNTED }] : [];
}

/** The strongest class first. What cut the last iteration off comes before what only the end of it has reached. */
function compareReasons(a: StopReason, b: StopReason, { wasCutOff }: Facts): number {
  const byClass = rankOf(a.class) - rankOf(b.class);
  return byClass || (wasCutOff === true ? cutRank(a) - cutRank(b) : 0) || priorityOf(b) - priorityOf(a);
}

function cutRank({ condition }: StopReason): number {
  return condition === undefined || isLive(condition) ? 0 : 1;
}

/** Reasons that no condition gave come first in their class; that there is nothing left to do comes last. */
function priorityOf({ path, condition }: StopReason): number {
  if (path === ITEMS_PATH) return 0;
  return condition === undefined ? Number.MAX_SAFE_INTEGER : priority(condition);
}

function judgementOf({ entry, result }: Judged): Judgement {
  const { path, class: stopClass } = entry;
  return { path, class: stopClass, status: result.status, progress: result.progress, sentence: result.reason };
}

function holdsOf(results: readonly StopConditionResult[]): Record<string, Hold> {
  const holds: Record<string, Hold> = {};
  const collect = (result: StopConditionResult): void => {
    if (result.hold !== undefined) holds[conditionKey(result.condition)] = result.hold;
    result.children?.forEach(collect);
  };
  results.forEach(collect);
  return holds;
}

/** Can become true while an agent works: every leaf can, and nothing in it waits for an iteration to end. */
export function isLive(condition: StopCondition): boolean {
  if (condition.type === 'not' || condition.type === 'for') return false;
  const children = childrenOf(condition);
  return children.length > 0 ? children.every(isLive) : CONDITION_CATALOG[condition.type].live === true;
}

const interrupting = new WeakMap<Policy, readonly PolicyEntry[]>();

/** The conditions that may interrupt an agent: live ones, never a goal. */
export function interruptingEntries(policy: Policy): readonly PolicyEntry[] {
  let entries = interrupting.get(policy);
  if (entries === undefined) {
    entries = policyEntries(policy).filter((entry) => entry.class !== 'goal' && isLive(entry.condition));
    interrupting.set(policy, entries);
  }
  return entries;
}

/**
 * How far each condition is. What limits count is known at any moment; what a goal or a failure rests on was inspected
 * when the last iteration ended.
 */
export function judgementsNow(state: RunState): readonly Judgement[] {
  // What a pipeline counts is known at any moment.
  if (state.pipeline !== undefined) return evaluateRun(state).judgements;
  const judged = new Map((state.verdict?.judgements ?? []).map((judgement) => [judgement.path, judgement]));
  return evaluateRun(state).judgements.map((now) => (now.class === 'limit' ? now : (judged.get(now.path) ?? now)));
}

/**
 * The next probe whose answer can still change what a condition of the policy comes to, or undefined when none can. An
 * `all` that is already refuted, or an `any` that is already met, needs no script to be run.
 */
export function nextProbe(policy: Policy, facts: Facts): StopCondition | undefined {
  return policyEntries(policy)
    .flatMap(({ condition }) => [...openProbes(judge(condition, facts)), ...ownProbes(condition, facts)])
    .filter((probe) => facts.probes?.[conditionKey(probe)] === undefined)
    .sort((a, b) => costOf(a) - costOf(b))[0];
}

/**
 * What is asked whatever the others say: lists and metrics, because progress follows from them, and before the first iteration
 * whether a file is there, which decides later whether it is fresh.
 */
function ownProbes(condition: StopCondition, { iteration }: Facts): readonly StopCondition[] {
  return leavesOf(condition).filter((leaf) => {
    const { probe } = needsOf(leaf);
    if (probe?.kind === 'checklist' || probe?.kind === 'measurement') return true;
    return iteration === 0 && probe?.kind === 'file' && probe.fresh === true;
  });
}

/** Cheap ones first: a file is checked before a program is started. */
function costOf(condition: StopCondition): number {
  const { probe } = needsOf(condition);
  if (probe?.kind === 'file') return probe.content === undefined ? 0 : 1;
  if (probe?.kind === 'checklist') return 1;
  return probe?.kind === 'function' ? 2 : 3;
}

/** Probes under nodes that are still open. A `for` needs its inside judged either way. */
function openProbes(result: StopConditionResult): readonly StopCondition[] {
  if (result.children !== undefined) {
    const open = result.status === 'unknown' || result.condition.type === 'for';
    return open ? result.children.flatMap(openProbes) : [];
  }
  return needsOf(result.condition).probe === undefined ? [] : [result.condition];
}

/** When the passing of time alone will next change a condition. */
interface Threshold {
  /** After this much more active time. */
  readonly afterActiveMs?: number;
  /** At this wall time. */
  readonly at?: string;
}

/** The nearest moments still ahead, by both clocks; the runner arms one timer for them and records a tick. */
export function nextThreshold(policy: Policy, state: RunState): Threshold {
  const limits = policyEntries(policy)
    .flatMap((entry) => leavesOf(entry.condition))
    .flatMap((leaf) => limitOf(leaf) ?? []);
  const nowMs = state.at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(state.at);
  const amounts = (of: 'activeMs' | 'atMs') =>
    limits.flatMap(({ quantity, amount }) => (quantity === of ? [amount] : []));
  const remaining = amounts('activeMs').map((ms) => ms - state.activeMs);
  const afterActiveMs = smallest(remaining.filter((ms) => ms > 0));
  const atMs = smallest(amounts('atMs').filter((ms) => ms > nowMs));
  return {
    ...(afterActiveMs === undefined ? {} : { afterActiveMs }),
    ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
  };
}

function smallest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}
