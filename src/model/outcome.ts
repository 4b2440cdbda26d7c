import { leavesOf, type StopCondition } from './condition.js';
import { CONDITION_CATALOG } from './condition-catalog.js';
import { endOf, hasEnded, isEnding, isStoppedBySystem, loopStateOf, type Requests } from './phase.js';
import type { RunState } from './run-state.js';
import type { StopClass } from './stop-class.js';

/** How a word looks: as good news, bad news, something to act on, work under way, or nothing of these. */
export type Tone = 'good' | 'bad' | 'warn' | 'live' | 'still';

/** What every view calls a run: the one word, and its colour. */
export interface Outcome {
  readonly word: string;
  readonly tone: Tone;
}

/** What the word depends on. `status` is the recorded one, or `interrupted`, `stopping`, `damaged`, or the word of a queued run. */
export interface OutcomeFacts {
  readonly status: string;
  readonly ended?:
    | {
        readonly class?: StopClass | undefined;
        readonly error?: string | undefined;
        readonly reasons?: readonly { readonly path?: string; readonly condition?: StopCondition | undefined }[];
      }
    | undefined;
  readonly stop?: Requests['stop'];
}

const OF_CLASS: Readonly<Record<StopClass, Outcome>> = {
  goal: { word: 'done', tone: 'good' },
  veto: { word: 'rejected', tone: 'bad' },
  failure: { word: 'gave up', tone: 'bad' },
  limit: { word: 'limit reached', tone: 'warn' },
  blocked: { word: 'needs you', tone: 'warn' },
  operator: { word: 'stopped by you', tone: 'still' },
};

/** In place of the path of a condition: how an imported run ended is known from a label. */
export const LABEL_PATH = 'label';
const RESOLVED: Outcome = { word: 'resolved', tone: 'good' };
const UNRESOLVED: Outcome = { word: 'unresolved', tone: 'bad' };

const FAILED: Outcome = { word: 'failed', tone: 'bad' };
const INTERRUPTED: Outcome = { word: 'interrupted', tone: 'bad' };

/** Of a run that has not ended. What is not listed is shown as it is. */
const OF_STATUS: Readonly<Record<string, Outcome>> = {
  idle: { word: 'starting', tone: 'live' },
  running: { word: 'running', tone: 'live' },
  rebooting: { word: 'running', tone: 'live' },
  paused: { word: 'paused', tone: 'warn' },
  waiting: { word: 'waiting', tone: 'warn' },
  stopping: { word: 'stopping', tone: 'warn' },
  interrupted: INTERRUPTED,
  damaged: { word: 'damaged', tone: 'bad' },
};

/** The status for machines: a run that has not ended and that no process runs was interrupted. */
export function shownStatus(state: Pick<RunState, 'phase'>, isLive: boolean): string {
  return hasEnded(state) || isLive ? loopStateOf(state) : 'interrupted';
}

/** The same, where a run that is about to end is stopping. */
export function statusNow(state: RunState, isLive: boolean): string {
  return isLive && isEnding(state) ? 'stopping' : shownStatus(state, isLive);
}

/** What a run is called now. */
export function outcomeNow(state: RunState, isLive: boolean): Outcome {
  return outcomeAs(statusNow(state, isLive), state);
}

/** What a run is called whose status is known. */
export function outcomeAs(status: string, state: RunState): Outcome {
  return outcomeOf({ status, ended: endOf(state), stop: state.requests.stop });
}

/** One outcome, one word, in every view. JSON keeps the status and the class. */
export function outcomeOf({ status, ended, stop }: OutcomeFacts): Outcome {
  if (status === 'error') return FAILED;
  if (status !== 'completed' && status !== 'stopped') return OF_STATUS[status] ?? { word: status, tone: 'still' };
  if (ended?.error !== undefined) return FAILED;
  if (ended?.reasons?.[0]?.path === LABEL_PATH) return ended.class === 'goal' ? RESOLVED : UNRESOLVED;
  // A shutdown of the machine is not a decision of the user.
  if (isStoppedBySystem(ended, stop)) return INTERRUPTED;
  const stopClass = ended?.class ?? (status === 'completed' ? 'goal' : undefined);
  if (stopClass === undefined) return { word: 'ended', tone: 'still' };
  const condition = ended?.reasons?.[0]?.condition;
  return { ...OF_CLASS[shownClass(stopClass, condition)], word: wordOf(stopClass, condition) };
}

/** What a condition of this class is for, where conditions are listed: `gives up  after 3 failed iterations`. */
export const CONDITION_WORDS: Readonly<Record<StopClass, string>> = {
  veto: 'rejects',
  goal: 'done',
  operator: 'on request',
  blocked: 'needs you',
  failure: 'gives up',
  limit: 'limit',
};

/** The word for one of several reasons. */
export function wordOf(stopClass: StopClass, condition?: StopCondition): string {
  return (stopClass === 'limit' && limitWord(condition)) || OF_CLASS[shownClass(stopClass, condition)].word;
}

/** A condition may be shown as another class: an agent that is blocked needs a person, although it is a failure. */
export function shownClass(stopClass: StopClass, condition: StopCondition | undefined): StopClass {
  if (condition === undefined || CONDITION_CATALOG[condition.type].class !== stopClass) return stopClass;
  return CONDITION_CATALOG[condition.type].shownClass ?? stopClass;
}

/** Undefined where the parts of a condition are of different kinds. */
function limitWord(condition: StopCondition | undefined): string | undefined {
  const leaves = condition === undefined ? [] : leavesOf(condition);
  const words = new Set(leaves.map(({ type }) => CONDITION_CATALOG[type].outcome));
  return words.size === 1 ? [...words][0] : undefined;
}
