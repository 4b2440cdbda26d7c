import { basename } from 'node:path';
import type { EventOf, WaitingFor } from '../model/run-event.js';
import type { LoopState } from '../model/loop-state.js';
import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import type { StopClass } from '../model/stop-class.js';
import { isForPerson } from '../model/wait-policy.js';
import { quote, usd } from '../model/figures.js';
import { canUndo, type NextStep, nextStepsOf, type RunSummary } from '../stop/run-summary.js';

/** What someone is told of: the end of a run by its outcome, or that it does not continue by itself. */
export type NotificationEvent = EventOf<'notification-sent'>['event'];

/** What is sent, as JSON. Unknown is null. docs/guide/notifications.md is the table of it. */
export interface Notification {
  readonly version: 1;
  readonly event: NotificationEvent;
  /** All of it in one sentence. */
  readonly text: string;
  readonly at: string;
  readonly runId: string;
  readonly workingDir: string;
  readonly agent: string | null;
  readonly state: LoopState;
  readonly class: StopClass | null;
  readonly exitCode: number | null;
  /** Each a sentence, the deciding one first. */
  readonly reasons: readonly string[];
  readonly waitingFor: WaitingFor | null;
  readonly until: string | null;
  readonly iterations: number;
  readonly costUsd: number | null;
  readonly activeMs: number;
  readonly startedAt: string | null;
  readonly tests: { readonly passed: number | null; readonly failed: number | null } | null;
  /** What the agent asks, not answered yet. */
  readonly questions: readonly NotifiedQuestion[];
  /** Commands that make sense now. */
  readonly next: readonly string[];
}

export interface NotifiedQuestion {
  readonly id: string;
  readonly text: string;
  readonly choices: readonly string[];
  /** How the receiver can answer it, where `notify.answers` is set. */
  readonly answer: SignedWay | null;
}

/** The address below that of `pawl ui`, and the key to sign with, until then (Unix time in seconds). */
export interface SignedWay {
  readonly path: string;
  readonly key: string;
  readonly expires: number;
}

/** What is particular to one. */
export interface Occasion {
  readonly event: NotificationEvent;
  readonly at: string;
  readonly status: LoopState;
  readonly class?: StopClass | undefined;
  readonly exitCode?: number | undefined;
  readonly reasons: readonly string[];
  readonly waitingFor?: WaitingFor | undefined;
  readonly until?: string | undefined;
}

export interface NotifiedRun {
  readonly runId: string;
  readonly workingDir: string;
  readonly state: RunState;
  /** What the run is called, and what happened; both without secrets. */
  readonly name: string;
  readonly summary: RunSummary;
  /** What has to be done before a resume. */
  readonly before?: string | undefined;
  readonly next: readonly string[];
  readonly questions: readonly NotifiedQuestion[];
}

const MOST_OF_NAME = 60;
const MOST_REASONS = 20;
const MOST_REASON_CHARACTERS = 1000;
const MOST_TEXT_CHARACTERS = 700;
const LEAST_TEXT_CHARACTERS = 400;
/** Commands repeat the folder, and a command that is cut does not work. */
const MOST_STEPS_CHARACTERS = 1500;

export function notificationOf(occasion: Occasion, run: NotifiedRun): Notification {
  const { runId, workingDir, state, next, questions } = run;
  const { event, at, status, waitingFor = null, until = null } = occasion;
  const reasons = occasion.reasons.slice(0, MOST_REASONS).map((reason) => reason.slice(0, MOST_REASON_CHARACTERS));
  return {
    version: 1,
    event,
    text: textOf(run),
    at,
    runId,
    workingDir,
    agent: state.agent?.name ?? null,
    state: status,
    class: occasion.class ?? null,
    exitCode: occasion.exitCode ?? null,
    reasons,
    waitingFor,
    until,
    iterations: state.iterations,
    costUsd: costOf(state) ?? null,
    activeMs: Math.round(state.activeMs),
    startedAt: state.startedAt ?? null,
    tests: testsOf(state),
    questions,
    next,
  };
}

/** What happened, what the agent said, and what to do. Where it is too long, what the agent said is cut. */
function textOf(run: NotifiedRun): string {
  const { name, summary, workingDir, state } = run;
  const { sentence, notes } = summary;
  const costUsd = costOf(state);
  const cost =
    costUsd === undefined || costUsd === 0
      ? ''
      : ` Spent: ${state.spend.estimatedIterations > 0 ? '~' : ''}${usd(costUsd)}.`;
  const steps = stepsText(run);
  const todo =
    steps === undefined
      ? ''
      : plainText(` ${resumesByItself(state) ? 'To retry now' : 'Next'}: ${steps}`, MOST_STEPS_CHARACTERS);
  const head = `Pawl in ${basename(workingDir)}, ${quote(name, MOST_OF_NAME)}: ${sentence}`;
  const end = `${cost}${todo}`;
  const room = Math.max(MOST_TEXT_CHARACTERS - end.length, LEAST_TEXT_CHARACTERS);
  return `${plainText([head, ...notes].join(' '), room)}${end}`;
}

/** The first command, and what has to be done before it; all of them where there are two ways. */
function stepsText({ next, before, state }: NotifiedRun): string | undefined {
  const [first] = next;
  if (canUndo(state)) return nextStepsOf(next, state).filter(isAct).map(stepText).join('; ');
  const resume = next.find((command) => command.startsWith('pawl resume '));
  return before === undefined || resume === undefined ? first : `${before}, then ${resume}`;
}

function isAct({ label }: NextStep): boolean {
  return label !== 'details';
}

function stepText({ command, label, about }: NextStep): string {
  return `${label === undefined ? '' : `${label}: `}${command}${about === undefined ? '' : ` (${about})`}`;
}

/** It continues by itself. */
function resumesByItself({ phase }: RunState): boolean {
  return phase.name === 'waiting' && !isForPerson(phase.for);
}

/** Undefined when something was spent that no one has reported. */
function costOf({ spend }: RunState): number | undefined {
  return (spend.acceptedIterations ?? 0) > 0 ? undefined : totalSpend(spend).costUsd;
}

/** As they were seen last. */
function testsOf({ latest, baseline, iterations }: RunState): Notification['tests'] {
  const tests = iterations === 0 ? baseline?.tests : latest.observation.tests;
  return tests === undefined ? null : { passed: tests.passed ?? null, failed: tests.failed ?? null };
}

/**
 * One line that calls no one and links nowhere, whatever an agent has put into it: chats take `<!channel>` and `@all` for
 * a call to everybody, desktops take `<b>` for markup.
 */
function plainText(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').replace(/\s+/g, ' ');
  const plain = line.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('@', '＠');
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}
