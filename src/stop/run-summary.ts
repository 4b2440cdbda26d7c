import { formatDuration, utcText } from '../model/duration.js';
import { type Unit, unitOf, count, endedSentence, plural, quote } from '../model/figures.js';
import { type Outcome, outcomeNow, outcomeOf } from '../model/outcome.js';
import { type CurrentWait, endOf, hasEnded, loopStateOf, openIteration, waitingOf } from '../model/phase.js';
import { openQuestionText } from '../model/questions.js';
import { reasonsText } from '../model/review.js';
import type { WaitingFor } from '../model/run-event.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { WAIT_PATH } from '../model/wait-policy.js';
import { isBackAtStart } from '../model/work.js';
import { UNCOUNTED_PATH } from './evaluate-policy.js';
import {
  claimNotes,
  isQuoted,
  endReasons,
  testNotes,
  goalShortfall,
  cutShortNote,
  isBroken,
  refusedNote,
  goalInWordsNote,
  reviewNote,
} from './summary-notes.js';

/** A run in a few sentences, for every view that reports on it: what happened and why, then what the agent said and did. */
export interface RunSummary {
  readonly outcome: Outcome;
  /** `Gave up after 7 iterations: tests did not improve for 5 iterations.` */
  readonly sentence: string;
  readonly notes: readonly string[];
}

interface SummaryOptions {
  /** A process runs it now. */
  readonly isLive?: boolean | undefined;
  /** Why the run itself broke, where not even that could be recorded. */
  readonly error?: string | undefined;
  /** Not all of its record can be read. */
  readonly isDamaged?: boolean | undefined;
  /** How a time is written; as it is recorded unless given. */
  readonly clock?: ((at: string) => string) | undefined;
}

export const WAITED_FOR: Readonly<Record<WaitingFor, string>> = {
  'usage-limit': 'the usage limit',
  overload: 'the overload to pass',
  approval: 'your approval',
  answer: 'your answer',
  person: 'your answer',
};

/** What holds a run up until Pawl tries again by itself. */
const REFUSALS: Readonly<Partial<Record<WaitingFor, string>>> = {
  'usage-limit': 'Usage limit reached',
  overload: 'The provider is overloaded or cannot be reached',
};

/** Why a run without an end is not running. */
export const PROCESS_GONE = 'the Pawl process is gone; it was killed, or the machine went down';

const MOST_OF_MESSAGE = 300;

/** Pure: the same record gives the same sentences. */
export function summariseRun(state: RunState, options: SummaryOptions = {}): RunSummary {
  const { isLive = false, isDamaged = false, error, clock } = options;
  const outcome =
    error !== undefined
      ? outcomeOf({ status: 'error' })
      : isDamaged && !hasEnded(state)
        ? outcomeOf({ status: 'damaged' })
        : outcomeNow(state, isLive);
  const isOver = error !== undefined || endOf(state) !== undefined;
  const sentence = isOver ? endSentence(state, outcome, error) : nowSentence(state, outcome, clock);
  return { outcome, sentence, notes: notesOn(state, { isOver, isLive, isDamaged, clock, error }) };
}

function endSentence(state: RunState, { word }: Outcome, error: string | undefined): string {
  const { iterations, pipeline } = state;
  const ended = endOf(state);
  const status = loopStateOf(state);
  const broken = error ?? ended?.error;
  const why = broken === undefined ? (ended?.reasons[0]?.message ?? '') : systemErrorWords(broken);
  const isAlreadyMet = status === 'completed' && broken === undefined && iterations === 0 && pipeline === undefined;
  const head = headOf(word, isAlreadyMet ? '' : broken === undefined ? afterText(state) : brokenText(state));
  return sentenceOf(head, `${onceOnly(word, why)}${isAlreadyMet ? ' (already met, nothing was run)' : ''}`);
}

/** `Needs you after 2 iterations: "Which one?"`: that the agent needs you is not said twice. */
function onceOnly(word: string, why: string): string {
  return word === 'needs you' ? why.replace(/^the agent (?:needs|asks) you: /, '') : why;
}

/** The figures of this limit are the iterations: they are not said twice. */
function headOf(word: string, after: string): string {
  return word === 'iteration limit' ? 'iteration limit reached' : `${word}${after}`;
}

function afterText(state: RunState): string {
  return doneText(state.pipeline?.attempts ?? state.iterations, unitOf(state));
}

/** A run that broke in an iteration has not ended after it. */
function brokenText(state: RunState): string {
  const last = state.recent.at(-1);
  const open = openIteration(state)?.iteration ?? (last !== undefined && isBroken(last) ? last.iteration : undefined);
  return open === undefined ? afterText(state) : ` in iteration ${count(open)}`;
}

function doneText(done: number, unit: Unit): string {
  if (done === 0 && unit === 'attempt') return '';
  return done === 0 ? ` before the first ${unit}` : ` after ${plural(done, unit)}`;
}

function nowSentence(state: RunState, { word }: Outcome, clock: SummaryOptions['clock'] = (at) => at): string {
  const { verdict } = state;
  const waiting = waitingOf(state);
  const open = openIteration(state);
  const { pause } = state.requests;
  if (word === 'waiting' && waiting !== undefined)
    return waitingSentence(waiting, openQuestionText(state) ?? '', clock);
  switch (word) {
    case 'paused':
      return sentenceOf(`paused${afterText(state)}`, pause?.reason ?? (pause ? `requested (${pause.by})` : ''));
    case 'stopping':
      return sentenceOf('stopping', verdict?.reasons[0]?.message ?? '');
    case 'interrupted': {
      const where = open === undefined ? afterText(state) : ` in iteration ${count(open.iteration)}`;
      return sentenceOf(`interrupted${where}`, PROCESS_GONE);
    }
    case 'damaged':
      return sentenceOf(`damaged${afterText(state)}`, 'the rest of its record cannot be read');
    case 'running':
      return sentenceOf(
        open === undefined ? `running${afterText(state)}` : `running iteration ${count(open.iteration)}`,
      );
    default:
      return sentenceOf(word);
  }
}

function waitingSentence({ for: what, until }: CurrentWait, question: string, clock: (at: string) => string): string {
  const refusal = REFUSALS[what];
  if (refusal !== undefined)
    return `${refusal}. Pawl will retry ${until === undefined ? 'by itself' : `at ${clock(until)}`}.`;
  return sentenceOf(`waiting for ${WAITED_FOR[what]}${until === undefined ? '' : ` until ${clock(until)}`}`, question);
}

interface NotesOptions extends Pick<SummaryOptions, 'clock' | 'error' | 'isDamaged'> {
  readonly isOver: boolean;
  readonly isLive: boolean;
}

/** What is missing, when it ran, what cut it short, and what the agent asked, claimed, said last and did to the tests. */
function notesOn(state: RunState, options: NotesOptions): readonly string[] {
  const { isOver, isLive, clock = (at) => utcText(Date.parse(at)) } = options;
  const shown = endReasons(state);
  const claims = claimNotes(state, isLive);
  const shortfall = isOver ? shortfallNote(state, shown) : undefined;
  return [
    shortfall,
    isRecordCut(state, options) ? 'The record up to this point is intact' : undefined,
    isLive ? undefined : periodNote(state, isOver, clock),
    cutShortNote(state),
    refusedNote(state, clock),
    ...claims,
    isOver && isBackAtStart(state) && endOf(state)?.class !== 'goal'
      ? 'No change is left: the files are as before the first iteration'
      : undefined,
    ...messageNotes(state, [shown, ...claims].join('\n')),
    goalInWordsNote(state),
    reviewNote(state, `${shown}\n${shortfall ?? ''}`),
    ...testNotes(state, shown),
  ]
    .filter((note) => note !== undefined)
    .map(endedSentence);
}

/** The last message; of work that went in circles the last two, which name both ways that it took. */
function messageNotes(state: RunState, shown: string): readonly string[] {
  const said = state.recent.filter(({ summary = '' }) => summary.trim() !== '');
  const [last, before] = said.slice(-2).toReversed();
  const words = ({ summary = '' }: IterationSummary) => quote(summary, MOST_OF_MESSAGE);
  if (last === undefined || isQuoted(last.summary ?? '', shown)) return [];
  if (before === undefined || before.summary === last.summary || !isInCircles(state))
    return [`The agent last said: ${words(last)}`];
  return [before, last].map((one) => `In iteration ${count(one.iteration)} the agent said: ${words(one)}`);
}

/** It gave up after an iteration that brought back the files of an earlier one. */
function isInCircles(state: RunState): boolean {
  const { baseline, recent } = state;
  const { tree, changedFiles = 0 } = recent.at(-1) ?? {};
  const before = [baseline, ...recent.slice(0, -1)].map((one) => one?.tree);
  return endOf(state)?.class === 'failure' && tree !== undefined && changedFiles > 0 && before.includes(tree);
}

const RECORD_FAULT = /^cannot write to (?:the record|the journal)\b/;

/** It could not be written any more, or its process died while an agent was at work. */
function isRecordCut(state: RunState, { isOver, isLive, isDamaged = false, error }: NotesOptions): boolean {
  if (isOver) return RECORD_FAULT.test(error ?? endOf(state)?.error ?? '');
  return !isLive && !isDamaged && openIteration(state) !== undefined;
}

/** What the review misses ends the run, and is said already. */
function isOfReview(missing: string, { review }: RunState, shown: string): boolean {
  const words = reasonsText(review?.last?.reasons ?? []);
  return words !== '' && shown.includes(words) && missing.includes(words);
}

/** Why a run that ended without its goal is not done. */
function shortfallNote(state: RunState, shown: string): string | undefined {
  const missing = (state.pipeline === undefined ? goalShortfall(state) : []).filter(
    (one) => !isOfReview(one, state, shown),
  );
  return missing.length === 0 ? undefined : `Not done: ${missing.join('; ')}`;
}

/** `Ran 23:10 to 03:42 (4h 32m, 1h 27m of it waiting)`. */
function periodNote(state: RunState, isOver: boolean, clock: (at: string) => string): string | undefined {
  const { startedAt, activeMs, at } = state;
  const end = endOf(state)?.at ?? at;
  if (startedAt === undefined || end === undefined) return undefined;
  const wholeMs = Date.parse(end) - Date.parse(startedAt);
  const took = `${formatDuration(wholeMs)}${idleText(wholeMs, wholeMs - activeMs, state.waitedMs)}`;
  const [from, to] = periodText(clock(startedAt), clock(end));
  return isOver ? `Ran ${from} to ${to} (${took})` : `Started ${from}, last recorded event ${to} (${took})`;
}

/** Waits for a person are not in `waitedMs`. */
function idleText(wholeMs: number, idleMs: number, waitedMs = 0): string {
  if (idleMs < Math.max(1000, wholeMs / 100)) return '';
  const others = 'paused, waiting for you or not running';
  const what = idleMs - waitedMs < 1000 ? 'waiting' : waitedMs === 0 ? others : 'waiting, paused or not running';
  return `, ${formatDuration(idleMs)} of it ${what}`;
}

/** What both ends have in common is said once, and today is named where the start is of another day. */
function periodText(from: string, to: string): readonly [string, string] {
  const day = /^\d{4}-\d\d-\d\d /;
  const [fromDay, toDay] = [from, to].map((text) => day.exec(text)?.[0]);
  const end =
    fromDay !== undefined && toDay === undefined ? `today ${to}` : fromDay === toDay ? to.replace(day, '') : to;
  return [from.replace(/ UTC$/, ''), end];
}

/** `Gave up after 3 iterations: ...`, of a stop before the last one. */
export function stopSentence(
  { word }: Outcome,
  {
    done,
    unit,
    why,
    followedBy,
  }: {
    readonly done: number;
    readonly unit: Unit;
    readonly why?: string | undefined;
    readonly followedBy?: string | undefined;
  },
): string {
  return sentenceOf(
    headOf(word, doneText(done, unit)),
    [why, followedBy].filter((part) => part !== undefined).join('; '),
  );
}

function sentenceOf(head: string, why = ''): string {
  return endedSentence(`${head.charAt(0).toUpperCase()}${head.slice(1)}${why === '' ? '' : `: ${why}`}`);
}

/** A command that makes sense now, and what it is for. */
export interface NextStep {
  readonly command: string;
  /** `review`, `undo`; undefined where the command says it itself. */
  readonly label?: string | undefined;
  /** What it does, where that is not clear. */
  readonly about?: string | undefined;
}

/** Work that a run was rejected for is kept. */
const KEEP = /^(?:git (?:-C .+ )?add --all && git (?:-C .+ )?commit && )?pawl run(?: |$)/;

const LABELS: readonly (readonly [RegExp, string])[] = [
  [/^pawl diff /, 'review'],
  [/^pawl approve /, 'accept'],
  [/^pawl answer /, 'answer'],
  [/^pawl restore /, 'undo'],
  [/^pawl resume /, 'continue'],
  [KEEP, 'or keep'],
  [/^pawl pipeline run --resume .* --redo /, 'redo'],
  [/^pawl pipeline run --resume /, 'continue'],
  [/^pawl show /, 'details'],
  [/^git .*\bmerge /, 'merge'],
  [/^git .*\bworktree remove /, 'clean up'],
  [/^git .*\bworktree add /, 'bring back'],
];

/** The same words for a command in every view. */
export function nextStepsOf(commands: readonly string[], state: RunState): readonly NextStep[] {
  return commands.map((command) => ({
    command,
    label: LABELS.find(([form]) => form.test(command))?.[1],
    about: aboutOf(command, state),
  }));
}

function aboutOf(command: string, state: RunState): string | undefined {
  const to = /^pawl restore \S+ (\d+)(?= |$)/.exec(command)?.[1];
  if (to !== undefined)
    return `all but ignored files, as ${to === '0' ? 'before the first iteration' : `after iteration ${to}`}${/ --force\b/.test(command) ? '; a checkpoint keeps what is replaced' : ''}`;
  const of = /^pawl diff \S+ (\d+)(?= |$)/.exec(command)?.[1];
  if (of !== undefined) return `what iteration ${of} changed`;
  if (command.startsWith('pawl approve '))
    return isUncountedEnd(state)
      ? 'accepts that the tests exit with 0, and checks the work again'
      : 'accepts the tests as the agent changed them, and checks the work again';
  if (KEEP.test(command))
    return `${command.startsWith('git ') ? 'commits all changes' : 'keeps the change'} and starts a new run, which takes the files as they are`;
  const isResume = command.startsWith('pawl resume ');
  if (isResume && canUndo(state)) return 'after the undo: Pawl refuses while protected files are changed';
  if (isResume && / --max-[a-z-]+ \S/.test(command)) return 'the new limit counts from the start of the run';
  const open = openIteration(state);
  if (open !== undefined && command.startsWith('pawl diff ')) return `up to iteration ${state.iterations}`;
  if (!isResume || (open === undefined && endOf(state)?.error === undefined)) return undefined;
  // The number of an iteration whose agent was not started is used again.
  const next = open === undefined ? state.iterations + 1 : open.pid === undefined ? open.iteration : open.iteration + 1;
  const starts = `starts iteration ${next} on the files as they are now`;
  return open?.pid === undefined ? starts : `ends what is left of the agent, and ${starts}`;
}

function isUncountedEnd(state: RunState): boolean {
  return endOf(state)?.reasons.some(({ path }) => path === UNCOUNTED_PATH) === true;
}

/** There are two ways: undo the change and resume, or keep it and start a new run. */
export function canUndo(state: RunState): boolean {
  return hasBrokenGuard(state) && state.spec?.worktree === undefined;
}

/** What has to be done before a resume of an ended run can help. `error`: why it broke, where that is not in its record. */
export function preconditionOf(state: RunState, error = endOf(state)?.error): string | undefined {
  // A worktree is left as it is: no command of Pawl restores its files.
  if (hasBrokenGuard(state) && state.spec?.worktree !== undefined) return 'put the protected files back';
  if (/ENOSPC|disk is full/.test(error ?? '')) return 'free some space on the disk of the record';
  if (endOf(state)?.reasons[0]?.path !== WAIT_PATH) return undefined;
  const { limitHit } = state.latest;
  if (limitHit?.kind === 'overload') return 'check the network and the status page of the provider';
  const resetMs = Date.parse(limitHit?.resetsAt ?? '');
  return `wait until the usage limit ends${Number.isNaN(resetMs) ? '' : ` (${utcText(resetMs)})`}`;
}

/** It ended because protected files were changed, and they have not been seen as before since. */
export function hasBrokenGuard(state: RunState): boolean {
  return state.guardBroken !== undefined && endOf(state)?.class === 'veto';
}
