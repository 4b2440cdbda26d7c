import { doneClaimOf } from '../model/claim.js';
import { count, endedSentence, isQuestion, quote, list, plural, usd } from '../model/figures.js';
import { endOf, loopStateOf, openIteration, refusedIn } from '../model/phase.js';
import { policyEntries } from '../model/policy.js';
import { saysDone } from '../model/reduce-iteration.js';
import { openQuestionText, openQuestions, questionText } from '../model/questions.js';
import type { RunState, IterationSummary } from '../model/run-state.js';
import { isRefusal, WAIT_PATH } from '../model/wait-policy.js';
import { needsOf } from '../model/condition-catalog.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import type { EarlierStart } from '../model/observation.js';
import { someText } from '../model/original-tests.js';
import { allPassed } from '../model/test-results.js';
import { factsOf } from './facts.js';
import { startOf } from '../model/work.js';
import type { Judgement, Verdict } from '../model/verdict.js';
import { evaluateRun } from './evaluate-policy.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { formatDuration } from '../model/duration.js';
import { isNotReached } from '../model/not-reached.js';
import { reasonsText, type ReviewAnswer } from '../model/review.js';
import { reviewSpend } from '../model/spend-lanes.js';

export const MOST_OF_QUESTION = 200;

/** What the agent asked, and what it said of its own work, unless that is why the run ended or what it waits for. */
export function claimNotes(state: RunState, isLive = true): readonly string[] {
  const shown = endReasons(state);
  return [
    ...openNotes(state, isLive && loopStateOf(state) === 'waiting' ? (openQuestionText(state) ?? '') : shown),
    questionNote(state, shown),
    blockedNote(state, shown),
    claimNote(state),
    doneNote(state, shown),
  ]
    .filter((note) => note !== undefined)
    .map(endedSentence);
}

export function endReasons(state: RunState): string {
  const end = endOf(state);
  return (end?.reasons ?? []).map(({ message }) => message).join('\n');
}

/** What the agent asked by `ask_person`, and has no answer yet. Of several, an answer has to name the one that it is for. */
function openNotes(state: RunState, shown: string): readonly string[] {
  const open = openQuestions(state);
  return open
    .filter(({ text }) => !isQuoted(text, shown))
    .map((question) => {
      const which = open.length === 1 ? '' : ` (${question.id})`;
      return `The agent asked${which}: ${questionText(question)}. There is no answer yet`;
    });
}

/**
 * While the run waits for the answer, the question is in its first sentence. What the last message asks is no news of a
 * run that is done without an answer, nor where the agent reported what it needs.
 */
function questionNote(state: RunState, shown: string): string | undefined {
  const { question, latest, blockedReport } = state;
  const status = loopStateOf(state);
  if (question === undefined || status === 'waiting' || isQuoted(question, shown)) return undefined;
  const isInMessage = latest.observation.request?.sentence === question;
  if (isInMessage && (status === 'completed' || blockedReport !== undefined)) return undefined;
  return `The agent asked: ${quote(question, MOST_OF_QUESTION)} There was no answer`;
}

function blockedNote(state: RunState, shown: string): string | undefined {
  const { blockedReport } = state;
  const ended = endOf(state);
  if (blockedReport === undefined || ended?.class === 'goal' || isQuoted(blockedReport.evidence, shown))
    return undefined;
  const { iteration, evidence } = blockedReport;
  const what = isQuestion(evidence) ? 'asked in' : 'said in';
  const blocked = isQuestion(evidence) ? '' : ' that it is blocked';
  return `The agent ${what} iteration ${count(iteration)}${blocked}: ${quote(evidence, MOST_OF_QUESTION)}`;
}

/** What is said in the iteration under way has not been checked yet. */
function claimNote({ phase, latest }: RunState): string | undefined {
  const evidence = doneClaimOf(latest)?.evidence;
  return phase.name !== 'iterating' || evidence === undefined
    ? undefined
    : `The agent says it is done: ${quote(evidence, MOST_OF_QUESTION)}; this is not checked yet`;
}

/** A claim with which the run reached its goal was true, or was all that was asked for. */
function doneNote(state: RunState, shown: string): string | undefined {
  const { saidDone = 0, latest } = state;
  const end = endOf(state);
  const open = openIteration(state);
  const isGoal = end?.class === 'goal';
  const times = saidDone - (isGoal && saysDone(state) ? 1 : 0);
  if (times <= 0) return undefined;
  const often = times === 1 ? 'once' : `${count(times)} times`;
  const evidence = open === undefined ? doneClaimOf(latest)?.evidence : undefined;
  const last =
    isGoal || evidence === undefined || isQuoted(evidence, shown) ? '' : `: ${quote(evidence, MOST_OF_QUESTION)}`;
  const hasGoal = policyEntries(state.policy).some((entry) => entry.class === 'goal');
  const unmet = hasGoal ? 'but no goal was met' : 'but this run has no goal that could be verified';
  const but = haveTestsFailed(state, isGoal) ? 'but the tests still failed' : unmet;
  return `${isGoal ? 'Before that, the' : 'The'} agent said it was done ${often}, ${but}${last}`;
}

/** Whether the tests failed after each iteration, and so after each claim. In which iteration a claim was is not kept. */
function haveTestsFailed({ recent }: RunState, isGoal: boolean): boolean {
  const [first] = recent;
  const claimed = recent.filter(({ outcome }) => !isRefusal(outcome)).slice(0, isGoal ? -1 : undefined);
  return first?.iteration === 1 && claimed.length > 0 && claimed.every(({ testsFailed = 0 }) => testsFailed > 0);
}

export function isQuoted(words: string, shown: string): boolean {
  return shown.includes(quote(words, 40).slice(1, -2));
}

/** Whether a goal needs all tests to pass, by the rule that compares them with those of the start. */
export function hasTestGoal({ policy, rules = {} }: RunState): boolean {
  const goals = policyEntries(policy).filter((entry) => entry.class === 'goal');
  return goals
    .flatMap(({ condition }) => leavesOf(condition))
    .some((leaf) => needsOf(leaf).tests === 'all' && (rules[leaf.type] ?? 1) > 1);
}

/** What the agent did to the tests, and what could fool them. */
export function testNotes(state: RunState, shown: string): readonly string[] {
  const { testFiles = {}, originals } = state;
  const changed = Object.keys(testFiles).filter((path) => testFiles[path] === 'changed');
  const others = (originals?.last.changed ?? []).filter((path) => testFiles[path] === undefined);
  const isPassed = originals?.last.tests !== undefined && originals.problem === undefined;
  const proof = isPassed ? '; the original tests pass as well' : '';
  return [
    ...(changed.every((path) => shown.includes(path)) ? [] : [`${changedText(changed)}${proof}`]),
    ...(others.length === 0
      ? []
      : [`The agent changed how the tests run: ${list(others)}${changed.length === 0 ? proof : ''}`]),
    ...earlierNotes(state),
    ...outsideNotes(state),
    ...nameNotes(state),
    ...flagNotes(state),
  ];
}

/** Tests that were rejected or lost in the run before are not the new original ones. */
export function earlierText({ run }: EarlierStart): string {
  return `the original tests are those of the start of run ${run}, until you commit the tests as they are now`;
}

function earlierNotes(state: RunState): readonly string[] {
  const { earlier } = state.baseline ?? {};
  if (earlier === undefined || endOf(state) === undefined || endOf(state)?.class === 'goal') return [];
  const text = earlierText(earlier);
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}`];
}

/** Whatever made red tests green is in no file that Pawl compares. */
function outsideNotes(state: RunState): readonly string[] {
  const { tests } = state.latest.observation;
  const start = startOf(state).tests;
  if (endOf(state)?.class !== 'goal' || tests === undefined || start === undefined) return [];
  const isTurned = allPassed(tests) && !allPassed(start) && state.iterations > 0;
  if (!isTurned || factsOf(state).differsFromStart !== false) return [];
  return [
    'No file of the project changed, but tests that failed at the start pass now: check ignored files, and files outside the folder',
  ];
}

/** How the tests of work that is done were compared with those of the start. */
function nameNotes(state: RunState): readonly string[] {
  const { tests, original } = state.latest.observation;
  const start = startOf(state).tests;
  if (endOf(state)?.class !== 'goal' || state.iterations === 0 || tests?.grade === undefined) return [];
  if (!hasTestGoal(state) || tests.source !== 'harness' || start?.grade === undefined || tests.grade === 'exit-code')
    return [];
  const { missing, added } = tests.changes ?? {};
  if ((original?.tests ?? tests).changes === undefined) return ['The tests were compared by number, not by name'];
  if (missing === undefined) return [];
  const others = added === undefined ? '' : `; new: ${someText(added)}`;
  return [`Tests from the start that are missing by name: ${someText(missing)}${others}`];
}

/** Added lines that a person should read before trusting the tests. */
export function flagNotes({ originals }: RunState): readonly string[] {
  const flags = originals?.last.flags ?? [];
  if (flags.length === 0) return [];
  const named = flags.map(({ path, line, what }) => `${path}:${line} (${what})`);
  return [`Review ${plural(flags.length, 'line')} that could fool the tests: ${list(named)}`];
}

function changedText(paths: readonly string[]): string {
  return `The agent changed ${paths.length === 1 ? 'a test file' : `${count(paths.length)} test files`}: ${list(paths)}`;
}

/** Why a run that ended without its goal is not done: each goal in a sentence. Nothing where there is no goal. */
export function goalShortfall(state: RunState): readonly string[] {
  if (endOf(state)?.class === 'goal' || loopStateOf(state) === 'completed') return [];
  const judgements = lastVerdict(state)?.judgements ?? [];
  return judgements
    .filter((judgement) => judgement.class === 'goal')
    .map((judgement) => `${judgement.sentence}${whyItDoesNotCount(judgement, judgements, state)}`);
}

/** A run that broke was not judged at its end: the last verdict may be one of an earlier iteration. */
function lastVerdict(state: RunState): Verdict | undefined {
  return endOf(state) === undefined || loopStateOf(state) === 'error' ? evaluateRun(state) : state.verdict;
}

/** A goal that is met and has not ended the run needs an explanation. */
function whyItDoesNotCount({ status }: Judgement, judgements: readonly Judgement[], state: RunState): string {
  if (status !== 'met') return '';
  const vetoes = judgements.filter((judgement) => judgement.class === 'veto');
  const unseen = vetoes.find((veto) => veto.status === 'unknown');
  if (vetoes.some((veto) => veto.status === 'met')) return ', but a rejection takes precedence';
  if (unseen !== undefined) return `, but a guard could not be checked: ${unseen.sentence}`;
  const { atLeast = 0 } = state.policy;
  return state.iterations < atLeast ? `, but goals count only after ${plural(atLeast, 'iteration')}` : '';
}

/** The run itself broke in it, and could still record that. */
export function isBroken({ interruption, error }: IterationSummary): boolean {
  return interruption === 'crash' && error !== undefined;
}

/** Iterations that a crash cut short, and from which the run was resumed. */
export function cutShortNote(state: RunState): string | undefined {
  const { recent } = state;
  const last = recent.at(-1);
  const cut = recent.filter((one) => {
    const isEnd = one === last && isBroken(one) && endOf(state)?.error !== undefined;
    return one.interruption === 'crash' && !isEnd;
  });
  if (cut.length === 0) return undefined;
  const isOne = cut.length === 1;
  const which = `Iteration${isOne ? '' : 's'} ${listed(cut.map(({ iteration }) => count(iteration)))}`;
  const why = whyText(cut);
  const resumed = `${which} ${isOne ? 'was' : 'were'} cut short ${why}; the run was resumed${isOne ? '' : ' each time'} on the files as they were then`;
  return [resumed, ...costTexts(cut)].join('. ');
}

function whyText(cut: readonly IterationSummary[]): string {
  if (cut.every(({ error }) => error === undefined)) return 'when Pawl was killed or the machine went down';
  const [error] = cut.length === 1 ? cut.map((one) => one.error) : [];
  return error === undefined ? 'when Pawl was killed or failed' : `when Pawl failed (${systemErrorWords(error)})`;
}

/** What it spent is not recorded where it died before it reported that. */
function costTexts(cut: readonly IterationSummary[]): readonly string[] {
  const unreported = cut.filter(({ estimated }) => estimated);
  if (unreported.length === 0) return [];
  const whose = cut.length === 1 ? 'Its cost' : 'Their cost';
  return [
    unreported.some(({ spend }) => spend.costUsd === undefined) ? `${whose} is unknown` : `${whose} is an estimate`,
  ];
}

function listed(numbers: readonly string[]): string {
  const last = numbers.at(-1) ?? '';
  return numbers.length < 2 ? last : `${numbers.slice(0, -1).join(', ')} and ${last}`;
}

const MOST_OF_WORDS = 200;

/** What became of tries that the provider refused: its words, how long Pawl waited, and what that cost. */
export function refusedNote(state: RunState, clock: (at: string) => string): string | undefined {
  const { recent, waitedMs = 0, pipeline } = state;
  if (pipeline !== undefined) return undefined;
  const [first] = recent;
  // Of a long run the first tries are not known any more.
  if (first !== undefined && (first.iteration !== 1 || first.try !== 1))
    return waitedMs === 0 ? undefined : `Pawl waited ${formatDuration(waitedMs)} in all for the provider`;
  const refused = recent.filter(({ outcome }) => isRefusal(outcome));
  if (refused.length === 0) return undefined;
  if (hasGivenUp(state))
    return `${outageText(state)} ${costText(refused, refused.length === 1 ? 'The try' : 'The tries')}`;
  const words = refused.at(-1)?.error;
  const said = words === undefined ? '' : `: ${quote(words, MOST_OF_WORDS)}`;
  const head = `${refusalText(refused)}${said}${/[.!?…]"$/.test(said) ? '' : '.'}`;
  if (state.phase.name === 'waiting') return head;
  const waited = waitedMs === 0 ? [] : [`${waitedText(state, waitedMs, clock)}.`];
  return [head, ...waited, costText(refused)].join(' ');
}

/** It ended because the provider let nothing through for too long. */
function hasGivenUp(state: RunState): boolean {
  return endOf(state)?.reasons[0]?.path === WAIT_PATH;
}

function refusalText(refused: readonly IterationSummary[]): string {
  return refused.every(({ error = '' }) => isNotReached(error))
    ? `The agent could not reach its provider ${timesText(refused.length)}`
    : `The provider rejected ${plural(refused.length, 'request')}`;
}

function timesText(times: number): string {
  return times === 1 ? 'once' : `${count(times)} times`;
}

/** From the first refusal to the last, as `max_wait` counts it. */
function outageText({ recent, phase }: RunState): string {
  const { since = '', tries = 1 } = refusedIn(phase) ?? {};
  const lastedMs = Date.parse(recent.at(-1)?.endedAt ?? '') - Date.parse(since);
  const times = timesText(tries);
  return lastedMs > 0 ? `Pawl tried ${times} in ${formatDuration(lastedMs)}.` : `Pawl tried ${times}.`;
}

/** Several waits have no one end. */
function waitedText(state: RunState, waitedMs: number, clock: (at: string) => string): string {
  const { recent } = state;
  const ends = recent.flatMap((one, index) => {
    const next = recent[index + 1];
    return isRefusal(one.outcome) && (next === undefined || !isRefusal(next.outcome))
      ? [(next ?? openIteration(state))?.startedAt]
      : [];
  });
  const [end, ...others] = ends;
  if (end === undefined || others.length > 0) return `Pawl waited ${formatDuration(waitedMs)} in all`;
  return `Pawl waited ${formatDuration(waitedMs)} until ${clock(end)} and tried again`;
}

function costText(
  refused: readonly IterationSummary[],
  subject = refused.length === 1 ? 'The rejected request' : 'The rejected requests',
): string {
  const what = `${subject} did not count as ${refused.length === 1 ? 'an iteration' : 'iterations'}`;
  const costs = refused.map(({ spend }) => spend.costUsd);
  if (costs.includes(undefined)) return what;
  const total = costs.reduce((sum: number, cost = 0) => sum + cost, 0);
  return `${what} and cost ${total === 0 ? 'nothing' : usd(total)}`;
}

/** `1 rejected request`: it gives the number of its iteration back. */
export function rejectedText(requests: number): string {
  return plural(requests, 'rejected request');
}

const MOST_OF_REASONS = 300;

const ANSWER_WORDS: Readonly<Record<ReviewAnswer, string>> = {
  done: 'it agreed',
  not_done: 'it said that the work is not done',
  blocked: 'it asked you',
  stuck: 'it said that the work is stuck',
};

/** `Goal, judged by the review and not verified: "the docs say so"`. */
export function goalInWordsNote({ spec, policy }: RunState): string | undefined {
  const goal = spec?.review?.goal;
  if (goal === undefined) return undefined;
  const isAlone = policyEntries(policy).some(
    ({ class: stopClass, condition }) => stopClass === 'goal' && isJudgedAlone(condition),
  );
  return `Goal, judged by the review${isAlone ? ' and not verified' : ''}: ${quote(goal, MOST_OF_REASONS)}`;
}

/** No test, check or file has to confirm it. */
export function isJudgedAlone(goal: StopCondition): boolean {
  return leavesOf(goal).every((leaf) => needsOf(leaf).review === 'agreement');
}

/** `Reviewed 2 times for $0.05, which is part of what was spent; after iteration 3 it agreed: "the diff does it"`. */
export function reviewNote({ review, spend, pipeline }: RunState, shown: string): string | undefined {
  if (review === undefined) return undefined;
  const { answered, last, problem } = review;
  const { costUsd = 0 } = reviewSpend(spend) ?? {};
  const cost = costUsd > 0 ? ` for ${usd(costUsd)}, which is part of what was spent` : '';
  const words = last === undefined ? '' : (last.question ?? reasonsText(last.reasons));
  const why = shown.includes(words) ? '' : `: ${quote(words, MOST_OF_REASONS)}`;
  const said =
    // One item of many says nothing of the run.
    last === undefined || pipeline !== undefined
      ? ''
      : `; after iteration ${last.iteration} ${ANSWER_WORDS[last.answer] ?? 'it answered'}${why}`;
  const failed = problem === undefined || shown.includes(problem.message) ? '' : `; no answer: ${problem.message}`;
  // Why the run ended says it already.
  if (answered === 0 && problem !== undefined && failed === '' && cost === '') return undefined;
  const often = answered === 0 ? 'No review gave an answer' : `Reviewed ${plural(answered, 'time')}`;
  return `${often}${cost}${said}${failed}`;
}
