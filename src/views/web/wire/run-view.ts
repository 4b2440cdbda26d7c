/** V1: a view can be killed and reopened at any event and shows the same: what it shows is a fold of the record. */
import { isLegal } from '../../../model/record-fault.js';
import { reduce } from '../../../model/reduce.js';
import {
  type EventOf,
  type EventType,
  type Interruption,
  type IterationOutcome,
  type RunEvent,
  typesWhere,
} from '../../../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../../model/run-state.js';
import { reviewSpend } from '../../../model/spend-lanes.js';
import { reduceItems, NO_ITEMS, type ShownItems } from '../../../model/shown-items.js';

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
  /** What all reviews up to the next iteration have spent; absent without any. */
  readonly reviewsCostUsd?: number | undefined;
  readonly reviewsTokens?: number | undefined;
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
  /** What happened to the run next to its iterations: pauses, waits, commands, limits, restores; bounded. */
  readonly marks: readonly RunEvent[];
  readonly items: ShownItems;
}

export const NOTHING_VIEWED: RunView = {
  state: INITIAL_STATE,
  rows: [],
  spoken: [],
  spokenCharacters: 0,
  marks: [],
  items: NO_ITEMS,
};

const SPOKEN: ReadonlySet<EventType> = new Set([
  'iteration-started',
  ...typesWhere(({ listed }) => listed === 'agent'),
  'iteration-ended',
] satisfies EventType[]);

const MARKS: ReadonlySet<EventType> = new Set([
  'run-started',
  ...typesWhere(({ listed }) => listed === 'run'),
  'run-ended',
] satisfies EventType[]);

/**
 * The server folds what is recorded and the page what follows, by this one fold. A journal may hold a million events, so
 * an event costs the same however many came before it, and nothing is measured that the view does not keep.
 */
export class ViewFold {
  #state: RunState;
  /** The last event, if it changed nothing but the position of the state: it is folded before the next one that does. */
  #passed: RunEvent | undefined;
  readonly #rows: IterationRow[];
  #spoken: RunEvent[];
  /** At most what the JSON of `#spoken` is long. */
  #leastCharacters = 0;
  #marks: RunEvent[];
  #items: ShownItems;
  #view: RunView | undefined;

  constructor(from: RunView = NOTHING_VIEWED) {
    this.#state = from.state;
    this.#rows = [...from.rows];
    this.#spoken = [...from.spoken];
    this.#marks = [...from.marks];
    this.#items = from.items;
    this.#view = from;
  }

  get seq(): number {
    return this.#passed?.seq ?? this.#state.seq;
  }

  /** The same object until the next event. */
  get view(): RunView {
    this.#foldPassed();
    this.#view ??= {
      state: this.#state,
      rows: [...this.#rows],
      ...keptOf(this.#spoken),
      marks: this.#marks.slice(-MOST_MARKS),
      items: this.#items,
    };
    return this.#view;
  }

  add(event: RunEvent): void {
    this.#view = undefined;
    if ((this.#passed?.activeMs ?? 0) > event.activeMs || !isPassed(event, this.#state)) this.#foldPassed();
    if (isPassed(event, this.#state)) this.#passed = event;
    else this.#state = reduce(this.#state, event);
    if (event.type === 'iteration-ended') this.#addRow(event.seq);
    if (event.type === 'review-ended') this.#addReview();
    this.addSpoken(event);
    if (MARKS.has(event.type)) this.#addMark(event);
    this.#items = reduceItems(this.#items, event);
  }

  /** Adds to what the agent said and did, and to nothing else. */
  addSpoken(event: RunEvent): void {
    if (SPOKEN.has(event.type)) this.#keepSpoken(withoutObservation(event));
  }

  /** Drops what the agent said and did, to be added again by who has skimmed it. Gives the number of the first event. */
  dropSpoken(): number {
    const { seq = this.seq + 1 } = this.#spoken.at(-MOST_SPOKEN) ?? this.#spoken[0] ?? {};
    this.#spoken = [];
    this.#leastCharacters = 0;
    this.#view = undefined;
    return seq;
  }

  #foldPassed(): void {
    if (this.#passed !== undefined) this.#state = reduce(this.#state, this.#passed);
    this.#passed = undefined;
  }

  #addRow(seq: number): void {
    const row = rowOf(this.#state, seq);
    if (row !== undefined) this.#rows.push(row);
  }

  #addReview(): void {
    const row = this.#rows.pop();
    if (row !== undefined) this.#rows.push({ ...row, ...reviewsIn(this.#state) });
  }

  #addMark(event: RunEvent): void {
    this.#marks.push(event);
    if (this.#marks.length > 2 * MOST_MARKS) this.#marks = this.#marks.slice(-MOST_MARKS);
  }

  /** Now and then drops what certainly does not fit any more; `keptOf` measures the rest. */
  #keepSpoken(event: RunEvent): void {
    this.#spoken.push(event);
    this.#leastCharacters += leastLengthOf(event);
    if (this.#spoken.length <= 2 * MOST_SPOKEN && this.#leastCharacters <= 4 * MOST_SPOKEN_CHARACTERS) return;
    const kept = newestOf(this.#spoken, leastLengthOf);
    this.#spoken = this.#spoken.slice(kept.first);
    this.#leastCharacters = kept.characters;
  }
}

function reviewsIn({ spend }: RunState): Pick<IterationRow, 'reviewsCostUsd' | 'reviewsTokens'> {
  const { costUsd, totalTokens } = reviewSpend(spend) ?? {};
  return { reviewsCostUsd: costUsd, reviewsTokens: totalTokens };
}

function rowOf(state: RunState, seq: number): IterationRow | undefined {
  const { recent, context } = state;
  const ended = recent.at(-1);
  if (ended === undefined) return undefined;
  const { iteration, try: attempt, outcome, interruption, startedAt, durationMs, activeMs, spend, estimated } = ended;
  const { testsPassed, testsFailed, changedFiles, madeProgress } = ended;
  return {
    iteration,
    try: attempt,
    outcome,
    interruption,
    startedAt,
    durationMs,
    activeMs,
    costUsd: spend.costUsd,
    totalTokens: spend.totalTokens,
    ...reviewsIn(state),
    isEstimated: estimated,
    contextPercent: context === undefined ? undefined : (100 * context.usedTokens) / context.windowTokens,
    testsPassed,
    testsFailed,
    changedFiles,
    madeProgress,
    seq,
  };
}

function keptOf(spoken: readonly RunEvent[]): Pick<RunView, 'spoken' | 'spokenCharacters'> {
  const { first, characters } = newestOf(spoken, lengthOf);
  return { spoken: spoken.slice(first), spokenCharacters: characters };
}

/** Where the newest events begin that fit together; the last one always does. */
function newestOf(
  spoken: readonly RunEvent[],
  measure: (event: RunEvent) => number,
): { readonly first: number; readonly characters: number } {
  let characters = 0;
  for (let index = spoken.length - 1; index >= 0; index -= 1) {
    const count = spoken.length - index;
    const length = measure(spoken[index] as RunEvent);
    if (count > 1 && (count > MOST_SPOKEN || characters + length > MOST_SPOKEN_CHARACTERS)) {
      return { first: index + 1, characters };
    }
    characters += length;
  }
  return { first: 0, characters };
}

/** What an iteration showed is in the state and in its row. */
function withoutObservation(event: RunEvent): RunEvent {
  return event.type === 'iteration-ended' ? { ...event, observation: {} } : event;
}

/** Most events are words and deeds of the agent, and a copy of the state for each of them would take most of the time. */
function isPassed(event: RunEvent, { streaks, phase, toolUse }: RunState): boolean {
  if (!isLegal(phase, event)) return false;
  switch (event.type) {
    case 'agent-said':
      return event.matches === undefined;
    case 'tool-answered':
      return event.denied === true || (streaks.denials === 0 && !countsAnswer(event, toolUse));
    case 'tool-called':
      return toolUse === undefined;
    case 'tick':
      return true;
    default:
      return false;
  }
}

function countsAnswer({ failed }: EventOf<'tool-answered'>, toolUse: RunState['toolUse']): boolean {
  return toolUse !== undefined && (failed === true || toolUse.failuresInARow > 0);
}

/** Its long texts are in its JSON at full length or longer. */
function leastLengthOf(event: RunEvent): number {
  const { text = '', input = '', output = '' } = event as { text?: string; input?: string; output?: string };
  return text.length + input.length + output.length;
}

/** Events stay in the view for a while. */
const LENGTHS = new WeakMap<RunEvent, number>();

function lengthOf(event: RunEvent): number {
  const length = LENGTHS.get(event) ?? JSON.stringify(event).length;
  LENGTHS.set(event, length);
  return length;
}
