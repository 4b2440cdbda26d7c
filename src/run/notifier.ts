import { utcText, formatDuration } from '../model/duration.js';
import type { EventOf, NewEvent, RunEvent, WaitingFor } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { LoopState } from '../model/loop-state.js';
import { endOf, refusedIn, waitingOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { openQuestions } from '../model/questions.js';
import { answerKey } from '../journal/run-seal.js';
import type { StopReason } from '../model/verdict.js';
import type { StopClass } from '../model/stop-class.js';
import { runName } from '../model/run-name.js';
import { preconditionOf, summariseRun } from '../stop/run-summary.js';
import {
  type Notification,
  notificationOf,
  type NotificationEvent,
  type NotifiedQuestion,
  type Occasion,
} from './notification.js';
import { headOf } from '../model/figures.js';
import type { Harness } from '../observation/harness.js';
import { runCommand } from '../observation/run-command.js';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../model/errors.js';
import { VERSION } from '../version.js';

type Channel = EventOf<'notification-sent'>['channel'];

export interface NotifierSetting {
  readonly runId: string;
  readonly spec: Pick<RunSpec, 'workingDir' | 'notify'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes secrets out of a text, and out of JSON. */
  readonly redact: { readonly text: (text: string) => string; readonly json: (json: string) => string };
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly nextCommands?: ((state: RunState) => readonly string[]) | undefined;
  /** Wall time in milliseconds. */
  readonly now: () => number;
  readonly pace?: Partial<NotifierPace> | undefined;
  /** The user's own key, where questions are sent with a key to answer them. */
  readonly userKey?: (() => string | undefined) | undefined;
}

export interface NotifierPace {
  /** How long one may take, and how long the last ones are waited for. */
  readonly timeoutMs: number;
  readonly retryDelaysMs: readonly number[];
  /** From one wait that is reported to the next. */
  readonly quietMs: number;
}

/** How a run ended. */
export interface RunEnd {
  readonly status: LoopState;
  readonly class?: StopClass | undefined;
  readonly reasons: readonly StopReason[];
  readonly exitCode: number;
  /** Why the run itself broke. */
  readonly error?: string | undefined;
  readonly state: RunState;
}

/** A week: also after the run has ended without an answer. */
const ANSWERED_WITHIN_S = 604_800;

const USUAL_PACE: NotifierPace = { timeoutMs: 10_000, retryDelaysMs: [1000, 3000], quietMs: 60_000 };

/** No one has to come for an overload: it passes, or the run ends. */
const TOLD_WAITS: ReadonlySet<WaitingFor> = new Set<WaitingFor>(['usage-limit', 'approval', 'answer', 'person']);

/**
 * Tells someone outside that a run has ended or waits for a person. It only listens to the record; a run never waits for
 * it, and never fails because of it.
 */
export class Notifier {
  readonly #setting: NotifierSetting;
  readonly #pace: NotifierPace;
  readonly #pending = new Set<Promise<void>>();
  /** Records an outcome; false when the record is closed. */
  #record: (event: NewEvent) => boolean = () => false;
  #stop = new AbortController();
  /** The last that was reported of each kind, and when. */
  readonly #told = new Map<string, { readonly key: string; readonly atMs: number }>();
  #later: NodeJS.Timeout | undefined;
  #sent = 0;

  constructor(setting: NotifierSetting) {
    this.#setting = setting;
    this.#pace = { ...USUAL_PACE, ...setting.pace };
  }

  /** The run begins, or continues from this state: what it already waits for was reported by the process before. */
  begin(state: RunState, record: (event: NewEvent) => boolean): void {
    this.#record = record;
    this.#stop = new AbortController();
    const kind = waitingOf(state)?.for;
    if (kind === undefined) return;
    this.#told.set(kind, { key: waitKey(kind, state), atMs: -Infinity });
  }

  /** Never throws. */
  hear(event: RunEvent, state: RunState): void {
    if (event.type === 'waiting-ended' || event.type === 'resumed') clearTimeout(this.#later);
    if (event.type === 'waiting-started' && TOLD_WAITS.has(event.for)) {
      const { for: waitingFor, until, reason, at } = event;
      const occasion = { event: 'waiting', at, status: 'waiting', reasons: listOf(reason), waitingFor, until } as const;
      this.#tellOnce(waitingFor, waitKey(waitingFor, state), occasion, state);
    }
    // Anyone who pauses a run himself knows of it.
    if (event.type === 'paused' && state.requests.pause?.by.startsWith('the hook ') === true) {
      const { at, reason } = event;
      const occasion = { event: 'paused', at, status: 'paused', reasons: listOf(reason) } as const;
      this.#tellOnce('paused', String(event.seq), occasion, state);
    }
  }

  /** The run has ended, whether that could be recorded or not. */
  end(result: RunEnd): void {
    clearTimeout(this.#later);
    const { status, class: stopClass, reasons, error, exitCode, state } = result;
    this.#send(
      {
        event: endEventOf(result),
        at: endOf(state)?.at ?? new Date(this.#setting.now()).toISOString(),
        status,
        class: stopClass,
        exitCode,
        reasons: error === undefined ? reasons.map(({ message }) => message) : [error],
      },
      state,
      error,
    );
  }

  /** Resolves when everybody is told, or has had time enough and was ended. */
  async settled(signal?: AbortSignal): Promise<void> {
    if (this.#pending.size === 0) return;
    const stop = () => this.#stop.abort();
    const timer = setTimeout(stop, this.#pace.timeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    await Promise.all(this.#pending);
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }

  /** One wait is told once. Many of a kind are told with a pause between: the last is told late, if it still lasts. */
  #tellOnce(kind: string, key: string, occasion: Occasion, state: RunState): void {
    const before = this.#told.get(kind);
    if (before?.key === key) return;
    const atMs = performance.now();
    const restMs = before === undefined ? 0 : before.atMs + this.#pace.quietMs - atMs;
    clearTimeout(this.#later);
    if (restMs > 0) {
      this.#later = setTimeout(() => this.#tellOnce(kind, key, occasion, state), restMs).unref();
      return;
    }
    this.#told.set(kind, { key, atMs });
    this.#send(occasion, state);
  }

  #send(occasion: Occasion, state: RunState, error?: string): void {
    const { runId, spec, redact } = this.#setting;
    const next = this.#nextCommands(state);
    // Before a reason is cut or rewritten: half a secret is not found any more.
    const told = { ...occasion, reasons: occasion.reasons.map(redact.text) };
    const { sentence, notes, outcome } = summariseRun(state, {
      isLive: occasion.exitCode === undefined,
      error,
      clock: (at) => utcText(Date.parse(at)),
    });
    const summary = { outcome, sentence: redact.text(sentence), notes: notes.map(redact.text) };
    const { workingDir } = spec;
    const name = redact.text(runName(state));
    const before = preconditionOf(state, error);
    const questions = this.#questions(state);
    const notification = notificationOf(told, { runId, workingDir, state, name, summary, before, next, questions });
    const json = redact.json(JSON.stringify(notification));
    const { command, webhook } = spec.notify;
    if (command !== undefined) this.#follow('command', occasion.event, this.#runCommand(command, notification, json));
    if (webhook !== undefined) {
      const { timeoutMs, retryDelaysMs } = this.#pace;
      const { signal } = this.#stop;
      this.#follow('webhook', occasion.event, postWebhook(webhook, json, { signal, timeoutMs, retryDelaysMs }));
    }
  }

  #questions(state: RunState): readonly NotifiedQuestion[] {
    const { runId, redact, userKey, now } = this.#setting;
    const key = userKey?.();
    const expires = Math.floor(now() / 1000) + ANSWERED_WITHIN_S;
    return openQuestions(state).map(({ id, text, choices = [] }) => ({
      id,
      text: redact.text(text),
      choices: choices.map(redact.text),
      answer:
        key === undefined
          ? null
          : { path: `/api/answers/${runId}/${id}`, key: answerKey({ runId, question: id, expires }, key), expires },
    }));
  }

  #nextCommands(state: RunState): readonly string[] {
    try {
      return this.#setting.nextCommands?.(state) ?? [];
    } catch {
      return [];
    }
  }

  #runCommand(command: string, notification: Notification, json: string): Promise<string | undefined> {
    const { runId, spec, environment, redact } = this.#setting;
    const { event, state, class: stopClass, text } = notification;
    const env = {
      PAWL_EVENT: event,
      PAWL_RUN_ID: runId,
      PAWL_STATE: state,
      PAWL_CLASS: stopClass ?? '',
      PAWL_TEXT: redact.text(text),
    };
    this.#sent += 1;
    // A cookie each: when one command ends, what carries its cookie is killed.
    const cookie = `${runId}.notify.${this.#sent}`;
    const { signal } = this.#stop;
    return runNotification(
      { command, json, env, timeoutMs: this.#pace.timeoutMs },
      { workingDir: spec.workingDir, environment, cookie, signal },
    );
  }

  #follow(channel: Channel, event: NotificationEvent, delivery: Promise<string | undefined>): void {
    const done = delivery.then((problem) => this.#report(channel, event, problem));
    this.#pending.add(done);
    void done.finally(() => this.#pending.delete(done));
  }

  #report(channel: Channel, event: NotificationEvent, problem: string | undefined): void {
    const { redact, onWarning } = this.#setting;
    const error = problem === undefined ? undefined : redact.text(problem);
    const isRecorded = this.#record({ type: 'notification-sent', channel, event, ...(error && { error }) });
    if (isRecorded || error === undefined) return;
    try {
      onWarning?.(
        `notify.${channel} did not receive the notification of the ${event === 'waiting' ? 'wait' : event === 'paused' ? 'pause' : 'end'}: ${error}`,
      );
    } catch {
      // Anyone who is warned does not bring down a run that has ended.
    }
  }
}

/** A limit of the provider's is one wait, however often it is tried in between; so is an approval that is asked again. */
function waitKey(waitingFor: WaitingFor, state: RunState): string {
  const { phase, iterations } = state;
  if (waitingFor === 'person')
    return openQuestions(state)
      .map(({ id }) => id)
      .join();
  return waitingFor === 'usage-limit' ? (refusedIn(phase)?.since ?? '') : String(iterations);
}

function endEventOf({ status, class: stopClass }: RunEnd): NotificationEvent {
  if (status === 'completed') return 'completed';
  if (status === 'error') return 'error';
  return stopClass === 'blocked' ? 'blocked' : 'stopped';
}

function listOf(reason: string | undefined): readonly string[] {
  return reason === undefined ? [] : [reason];
}

interface CommandNotification {
  readonly command: string;
  readonly json: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const SHOWN_CHARACTERS = 200;

/** Runs the user's command with the facts as JSON on its input. Gives the reason when it failed. Never rejects. */
async function runNotification(
  { command, json, env, timeoutMs }: CommandNotification,
  harness: Harness,
): Promise<string | undefined> {
  const options = { timeoutMs, input: `${json}\n`, env };
  const { exitCode, signal, timedOut, aborted, notStarted, output } = await runCommand(
    { shell: command },
    options,
    harness,
  );
  if (exitCode === 0 && !aborted && !timedOut) return undefined;
  if (aborted) return 'it was ended with the run';
  if (timedOut) return `it did not end within ${formatDuration(timeoutMs)}`;
  const why = notStarted ?? (signal === undefined ? `it exits with ${exitCode}` : `it was killed by ${signal}`);
  const said = headOf(output.trim().split('\n').at(-1) ?? '', SHOWN_CHARACTERS);
  return said === '' ? why : `${why}: ${said}`;
}

interface PostOptions {
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** For each try. */
  readonly timeoutMs: number;
  /** Before the second try, the third and so on: there are as many more tries. */
  readonly retryDelaysMs: readonly number[];
}

interface Answer {
  /** Why it was not taken. */
  readonly problem?: string | undefined;
  /** Another try may do better, and the first one was not taken for certain. */
  readonly mayPass: boolean;
}

/**
 * Posts JSON. Gives the reason when it was not taken, without the address, which is a secret. Never rejects. Redirects are
 * not followed: what is sent is for this address only.
 */
export async function postWebhook(address: string, json: string, options: PostOptions): Promise<string | undefined> {
  let answer = await tryOnce(address, json, options);
  for (const delayMs of options.retryDelaysMs) {
    if (!answer.mayPass || options.signal.aborted) break;
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    await pause(delayMs, undefined, { signal: options.signal }).catch(() => undefined);
    if (options.signal.aborted) break;
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    answer = await tryOnce(address, json, options);
  }
  return answer.problem;
}

async function tryOnce(address: string, body: string, { signal, timeoutMs }: PostOptions): Promise<Answer> {
  const ended = new AbortController();
  const abort = (): void => ended.abort('it was ended with the run');
  const timer = setTimeout(() => ended.abort(`no answer within ${formatDuration(timeoutMs)}`), timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const { url, headers } = targetOf(address);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ended.signal });
    // No one reads what it says, however long that is.
    await response.body?.cancel().catch(() => undefined);
    return answerOf(response.status);
  } catch (error) {
    if (ended.signal.aborted) return { problem: String(ended.signal.reason), mayPass: false };
    return { problem: `it cannot be reached: ${reasonOf(error)}`, mayPass: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function answerOf(status: number): Answer {
  if (status >= 200 && status < 300) return { mayPass: false };
  const isRedirect = status >= 300 && status < 400;
  const problem = `it answers ${status}${isRedirect ? ', a redirect, which is not followed: give the last address' : ''}`;
  return { problem, mayPass: status >= 500 };
}

/** A name and a password in an address are for a header. */
function targetOf(address: string): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(address);
  const { username, password } = url;
  const words = [username, password].map(decodeURIComponent).join(':');
  const own = username === '' ? {} : { authorization: `Basic ${Buffer.from(words).toString('base64')}` };
  url.username = '';
  url.password = '';
  return { url, headers: { 'content-type': 'application/json', 'user-agent': `pawl/${VERSION}`, ...own } };
}

/** What fetch says is only that it failed; why is reported by the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  if (typeof cause?.code === 'string') return cause.code;
  return messageOf(cause ?? error);
}
