/** V1: a view can be killed and reopened at any event and shows the same: what it shows is a fold of the record. */
import { reduce } from '../../../model/reduce.js';
import type { EventType, Interruption, IterationOutcome, RunEvent } from '../../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../../model/run-state.js';
import { foldItems, NO_ITEMS_SEEN, type SeenItems } from '../../../model/seen-items.js';
import { SPEAKING_EVENTS, TURNING_EVENTS } from '../../../model/told-events.js';

/** What is kept of the agent's words and deeds, by the length of their JSON. */
const MOST_SPOKEN_CHARACTERS = 512 * 1024;
const MOST_SPOKEN = 500;
const MOST_MARKS = 500;

/** One ended iteration as the table and the charts show it. What is absent is not known. */
export interface IterationRow {
  readonly iteration: number;
  readonly try: number;
  readonly outcome: IterationOutcome;
  readonly interruption?: Interruption | undefined;
  readonly startedAt: string;
  readonly durationMs: number;
  /** Active time of the run at its end. */
  readonly activeMs: number;
  /** Its own spend. */
  readonly costUsd?: number | undefined;
  readonly totalTokens?: number | undefined;
  readonly isEstimated: boolean;
  readonly contextPercent?: number | undefined;
  readonly testsPassed?: number | undefined;
  readonly testsFailed?: number | undefined;
  readonly changedFiles?: number | undefined;
  readonly madeProgress?: boolean | undefined;
  /** Where in the record it ended. */
  readonly seq: number;
}

/** The whole of what the page of a run shows: the state, every iteration in one row, and what was said and done last. */
export interface RunView {
  readonly state: RunState;
  readonly rows: readonly IterationRow[];
  /** What the agent said and did, newest last, over iterations; bounded. */
  readonly spoken: readonly RunEvent[];
  readonly spokenCharacters: number;
  /** What happened to the run beside its iterations: pauses, waits, commands, limits, restores; bounded. */
  readonly marks: readonly RunEvent[];
  readonly items: SeenItems;
}

export const NOTHING_VIEWED: RunView = {
  state: INITIAL_STATE,
  rows: [],
  spoken: [],
  spokenCharacters: 0,
  marks: [],
  items: NO_ITEMS_SEEN,
};

const SPOKEN: ReadonlySet<EventType> = new Set([
  'iteration-started',
  ...SPEAKING_EVENTS,
  'iteration-ended',
] satisfies EventType[]);

const MARKS: ReadonlySet<EventType> = new Set(['run-started', ...TURNING_EVENTS, 'run-ended'] satisfies EventType[]);

/** The server folds what is recorded and the page what follows, by this one function. */
export function foldView(view: RunView, event: RunEvent): RunView {
  const state = reduce(view.state, event);
  return {
    state,
    rows: event.type === 'iteration-ended' ? withRow(view, state, event.seq) : view.rows,
    ...(SPOKEN.has(event.type) ? withSpoken(view, event) : spokenOf(view)),
    marks: MARKS.has(event.type) ? [...view.marks, event].slice(-MOST_MARKS) : view.marks,
    items: foldItems(view.items, event),
  };
}

function withRow({ rows }: RunView, { recent, context }: RunState, seq: number): readonly IterationRow[] {
  const ended = recent.at(-1);
  if (ended === undefined) return rows;
  const { iteration, try: attempt, outcome, interruption, startedAt, durationMs, activeMs, spend, estimated } = ended;
  const { testsPassed, testsFailed, changedFiles, madeProgress } = ended;
  const row: IterationRow = {
    iteration,
    try: attempt,
    outcome,
    interruption,
    startedAt,
    durationMs,
    activeMs,
    costUsd: spend.costUsd,
    totalTokens: spend.totalTokens,
    isEstimated: estimated,
    contextPercent: context === undefined ? undefined : (100 * context.usedTokens) / context.windowTokens,
    testsPassed,
    testsFailed,
    changedFiles,
    madeProgress,
    seq,
  };
  return [...rows, row];
}

type Spoken = Pick<RunView, 'spoken' | 'spokenCharacters'>;

function spokenOf({ spoken, spokenCharacters }: RunView): Spoken {
  return { spoken, spokenCharacters };
}

function withSpoken(view: RunView, event: RunEvent): Spoken {
  const shown = withoutObservation(event);
  let characters = view.spokenCharacters + lengthOf(shown);
  const spoken = [...view.spoken, shown];
  let first = 0;
  while (first < spoken.length - 1 && (spoken.length - first > MOST_SPOKEN || characters > MOST_SPOKEN_CHARACTERS)) {
    characters -= lengthOf(spoken[first] as RunEvent);
    first += 1;
  }
  return { spoken: spoken.slice(first), spokenCharacters: characters };
}

/** What an iteration showed is in the state and in its row. */
function withoutObservation(event: RunEvent): RunEvent {
  return event.type === 'iteration-ended' ? { ...event, observation: {} } : event;
}

function lengthOf(event: RunEvent): number {
  return JSON.stringify(event).length;
}
