import { doneClaimOf } from '../model/claim.js';
import { count, endedSentence, isQuestion, quote } from '../model/figures.js';
import { endOf, loopStateOf, openIteration } from '../model/phase.js';
import { policyEntries } from '../model/policy.js';
import { saysDone } from '../model/reduce-iteration.js';
import { openQuestionText, openQuestions, questionText } from '../model/questions.js';
import type { RunState } from '../model/run-state.js';
import { isRefusal } from '../model/wait-policy.js';

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
