import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observation } from '../model/observation.js';
import { reduce } from '../model/reduce.js';
import type { EventBodies, EventOf, IterationOutcome, RunEvent } from '../model/run-event.js';
import { openIteration, endOf, loopStateOf } from '../model/phase.js';
import { type HistorySummary, INITIAL_STATE, type IterationSummary, type RunState } from '../model/run-state.js';
import { messageOf, WorkingDirGone } from '../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import type { LoopState } from '../model/loop-state.js';
import type { StopReason } from '../model/verdict.js';
import type { StopClass } from '../model/stop-class.js';

/** How far an iteration is, and how it ended. */
export type IterationStatus = 'pending' | EventBodies['iteration-status']['status'] | IterationOutcome;

/** One iteration in full, as the journal tells it. */
export interface Iteration {
  readonly number: number;
  readonly try: number;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly status: IterationStatus;
  /** Undefined when the file of it is gone. */
  readonly prompt?: string | undefined;
  readonly result?: IterationResult | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface IterationResult extends Observation {
  readonly durationMs: number;
  readonly error?: string | undefined;
  /** Undefined when it is unknown. */
  readonly madeProgress?: boolean | undefined;
}

/** What a run has done so far. The newest 100 iterations are in memory; the journal has all of them. */
export interface History {
  /** The last `n`, newest first, of those in memory. */
  last(n: number): readonly IterationSummary[];
  get(number: number): Promise<Iteration | undefined>;
  filter(predicate: (iteration: Iteration) => boolean): Promise<readonly Iteration[]>;
  /** Failed and timed-out iterations in a row. */
  failureStreak(): number;
  summary(): HistorySummary;
}

export interface HistorySource {
  readonly state: () => RunState;
  readonly read: () => AsyncIterable<RunEvent>;
  /** The run folder, where prompts are kept; undefined without one. */
  readonly folder: string | undefined;
}

export function createHistory({ state, read, folder }: HistorySource): History {
  async function* all(): AsyncGenerator<Iteration, void, void> {
    let open: EventOf<'iteration-started'> | undefined;
    let folded = INITIAL_STATE;
    for await (const event of read()) {
      folded = reduce(folded, event);
      if (event.type === 'iteration-started') open = event;
      if (event.type !== 'iteration-ended' || open === undefined) continue;
      const iteration = await iterationOf(open, event, folder);
      const { madeProgress } = folded.recent.at(-1) ?? {};
      yield { ...iteration, result: iteration.result && { ...iteration.result, madeProgress } };
      open = undefined;
    }
    if (open !== undefined) {
      yield { ...(await iterationOf(open, undefined, folder)), status: openIteration(folded)?.step ?? 'pending' };
    }
  }
  return {
    last: (n) => (n <= 0 ? [] : state().recent.slice(-n).toReversed()),
    async get(number) {
      let found: Iteration | undefined;
      // A later try of the same number is the one that counts.
      for await (const iteration of all()) if (iteration.number === number) found = iteration;
      return found;
    },
    async filter(predicate) {
      const found: Iteration[] = [];
      for await (const iteration of all()) if (predicate(iteration)) found.push(iteration);
      return found;
    },
    failureStreak: () => state().streaks.failures,
    summary: () => state().history,
  };
}

async function iterationOf(
  started: EventOf<'iteration-started'>,
  ended: EventOf<'iteration-ended'> | undefined,
  folder: string | undefined,
): Promise<Iteration> {
  const { iteration: number, try: attempt, at: startedAt, session, cookie } = started;
  return {
    number,
    try: attempt,
    startedAt,
    endedAt: ended?.at,
    status: ended?.outcome ?? 'pending',
    prompt: folder === undefined ? undefined : await promptIn(join(folder, outputFolder(number, attempt))),
    result:
      ended === undefined ? undefined : { ...ended.observation, durationMs: ended.durationMs, error: ended.error },
    metadata: {
      ...(session === undefined ? {} : { session }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(ended?.ending === undefined ? {} : { cause: ended.ending.cause }),
      ...(ended?.error === undefined ? {} : { error: ended.error }),
    },
  };
}

async function promptIn(folder: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, 'prompt.md'), 'utf8');
  } catch {
    return undefined;
  }
}

/** How a run, or this stretch of it, ended. */
export interface RunResult {
  readonly runId: string;
  readonly status: LoopState;
  readonly class?: StopClass | undefined;
  /** Every reason, the deciding one first. */
  readonly reasons: readonly StopReason[];
  readonly exitCode: ExitCode;
  /** Why the run itself broke. */
  readonly error?: string | undefined;
  readonly state: RunState;
}

export function resultOf(runId: string, state: RunState, error: string | undefined): RunResult {
  const end = endOf(state);
  const broken = error ?? end?.error;
  const stopClass = end?.class;
  return {
    runId,
    status: broken === undefined ? loopStateOf(state) : 'error',
    class: stopClass,
    reasons: end?.reasons ?? [],
    exitCode: broken === undefined && stopClass !== undefined ? EXIT_CODES[stopClass] : EXIT_CODES.error,
    ...(broken === undefined ? {} : { error: broken }),
    state,
  };
}

/** Tells anyone who can still be told why a run broke, and the record, as far as that can be done. */
export async function failWith(
  live: { readonly fail: (message: string) => void | Promise<void> },
  error: unknown,
): Promise<string> {
  const message = messageOf(error);
  try {
    await live.fail(message);
    return message;
  } catch (again) {
    // It says what happened to the record.
    if (again instanceof WorkingDirGone) return again.message;
    return `${message}; and this could not be recorded: ${messageOf(again)}`;
  }
}

/** Where an iteration's prompt and raw output lie, below the run folder. */
export function outputFolder(iteration: number, attempt: number): string {
  const name = String(iteration).padStart(4, '0');
  return join('iterations', attempt === 1 ? name : `${name}.${attempt}`);
}
