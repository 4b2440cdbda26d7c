import { type Claim, claimsOf } from '../../../model/claim.js';
import { type EventType, type RunEvent, typesWhere } from '../../../model/run-event.js';
import { openIteration } from '../../../model/phase.js';
import type { IterationSummary, RunState } from '../../../model/run-state.js';
import { attemptReport } from '../../../model/shown-items.js';
import type { ExportCleaner } from './export-cleaner.js';
import type { ExportedIteration, ExportedMark, ExportedVerdict } from './run-export.js';
import { tokensOf } from './exported-figures.js';

const MOST_VERDICTS = 1000;
const MOST_MARKS = 5000;
const MOST_OUTPUT_CHARACTERS = 4 * 1024 * 1024;
const MOST_MESSAGE_CHARACTERS = 500;

const MARKS: ReadonlySet<EventType> = new Set([...typesWhere(({ listed }) => listed === 'run'), 'claim-made']);

const OUTPUT: ReadonlySet<EventType> = new Set([
  'iteration-started',
  'attempt-started',
  ...typesWhere(({ listed }) => listed === 'agent'),
] satisfies EventType[]);

/** What an export keeps of a record beyond its state, in bounded memory. */
export interface ExportFold {
  readonly see: (event: RunEvent, before: RunState, after: RunState) => void;
  readonly iterations: readonly ExportedIteration[];
  readonly verdicts: Newest<ExportedVerdict>;
  readonly marks: Newest<ExportedMark>;
  readonly output: Newest<RunEvent>;
  /** What the last attempt at each item came to, by index. */
  readonly messages: ReadonlyMap<number, string>;
}

export function createExportFold(cleaner: ExportCleaner, hasOutput: boolean): ExportFold {
  const iterations: ExportedIteration[] = [];
  const verdicts = new Newest<ExportedVerdict>(MOST_VERDICTS);
  const marks = new Newest<ExportedMark>(MOST_MARKS);
  const output = new Newest<RunEvent>(MOST_OUTPUT_CHARACTERS, (event) => JSON.stringify(event).length);
  const messages = new Map<number, string>();
  return {
    iterations,
    verdicts,
    marks,
    output,
    messages,
    see(dirty, before, after) {
      const clean = () => cleaner.event(dirty, after.policy);
      const last = after.recent.at(-1);
      if (dirty.type === 'iteration-ended' && last !== undefined && after.recent !== before.recent) {
        const summary = wordsOf(clean(), last);
        const context = dirty.observation.contextPercent ?? contextPercent(after);
        iterations.push(iterationOf(summary, context, claimsOf(after.latest)));
      }
      if (dirty.type === 'verdict-reached') verdicts.add(verdictOf(clean() as typeof dirty));
      if (MARKS.has(dirty.type)) marks.add(markOf(clean(), after));
      if (hasOutput && OUTPUT.has(dirty.type)) output.add(clean());
      if (dirty.type === 'attempt-ended') noteAttempt(messages, clean());
    },
  };
}

/** The newest of many, up to a size, and how many older ones there were. */
export class Newest<T> {
  readonly #most: number;
  readonly #sizeOf: (one: T) => number;
  #kept: T[] = [];
  #first = 0;
  #size = 0;
  #omitted = 0;

  constructor(most: number, sizeOf: (one: T) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  add(one: T): void {
    this.#kept.push(one);
    this.#size += this.#sizeOf(one);
    while (this.#size > this.#most && this.#first < this.#kept.length - 1) {
      this.#size -= this.#sizeOf(this.#kept[this.#first] as T);
      this.#first += 1;
      this.#omitted += 1;
    }
    if (this.#first < this.#kept.length / 2) return;
    this.#kept = this.#kept.slice(this.#first);
    this.#first = 0;
  }

  get all(): readonly T[] {
    return this.#kept.slice(this.#first);
  }

  get omitted(): number {
    return this.#omitted;
  }
}

/** The words as they are in the event that was cleaned. */
function wordsOf(event: RunEvent, last: IterationSummary): IterationSummary {
  const { summary: _summary, error: _error, ...figures } = last;
  if (event.type !== 'iteration-ended') return figures;
  return { ...figures, summary: event.observation.summary, error: event.error };
}

function iterationOf(
  ended: IterationSummary,
  context: number | undefined,
  claims: readonly Claim[],
): ExportedIteration {
  const { iteration, try: number, outcome, interruption, startedAt, endedAt, durationMs, activeMs } = ended;
  const { spend, estimated, testsPassed, testsFailed, changedFiles, madeProgress, summary, error } = ended;
  return {
    iteration,
    try: number,
    outcome,
    interruption,
    startedAt,
    endedAt,
    durationMs,
    activeMs,
    costUsd: spend.costUsd,
    isEstimated: estimated,
    tokens: tokensOf(spend),
    contextPercent: context,
    testsPassed,
    testsFailed,
    changedFiles,
    madeProgress,
    claims: claims.map(({ claim }) => claim),
    summary,
    error,
  };
}

function contextPercent({ context }: RunState): number | undefined {
  if (context === undefined || context.windowTokens <= 0) return undefined;
  return (100 * context.usedTokens) / context.windowTokens;
}

function verdictOf({ iteration, at, verdict }: Extract<RunEvent, { type: 'verdict-reached' }>): ExportedVerdict {
  const { stop, class: stopClass, reasons, judgements } = verdict;
  return { iteration, at, stop, class: stopClass, reasons, judgements };
}

function markOf(event: RunEvent, state: RunState): ExportedMark {
  const open = openIteration(state);
  const { v: _v, activeMs: _activeMs, ...mark } = event;
  // What the agent gives as evidence are its words: they are in the output.
  if (mark.type === 'claim-made') {
    const { evidence: _evidence, ...claim } = mark;
    return { ...claim, iteration: open?.iteration };
  }
  if (mark.type === 'run-resumed') {
    const { spec: _spec, policy: _policy, ...rest } = mark;
    return rest;
  }
  if (mark.type !== 'manifest-changed') return mark;
  const { spec: _spec, policy: _policy, pipeline: _pipeline, ...rest } = mark;
  return rest;
}

function noteAttempt(messages: Map<number, string>, event: RunEvent): void {
  if (event.type !== 'attempt-ended' || event.index === undefined) return;
  const { message, printed } = attemptReport(event);
  const words = message ?? printed;
  if (words === undefined) messages.delete(event.index);
  else messages.set(event.index, words.slice(0, MOST_MESSAGE_CHARACTERS));
}
