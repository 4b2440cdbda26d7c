/**
 * J1 for a fleet: `append` folds, publishes and queues; a sender commits behind it, in order. What was appended is in the
 * record when `synced` says so: whoever starts what cannot be undone waits for it. J3 by the epoch and
 * the token of the claim: a worker whose run was taken over can record nothing more, and hears of it.
 */
import {
  type JournalListener,
  createPublisher,
  type ListenerErrorHandler,
  type Publisher,
} from '../journal/journal.js';
import { encodeRecord, MAX_LINE_BYTES, type RedactLine } from '../journal/record-scanner.js';
import { createRedactor, type Redactor } from '../journal/redact.js';
import { ConfigError, FileSystemError, InvalidState, JournalDamaged } from '../model/errors.js';
import { reduce } from '../model/reduce.js';
import type { NewEvent, RunEvent } from '../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { Database, Query } from './database.js';
import { DatabaseUnreachable } from './database-error.js';
import type { FleetJournal } from './engine/engine.js';
import { EventSender } from './event-sender.js';
import { readEvents } from './read-events.js';
import type { ClaimOfRun } from './send-events.js';
import { SupersededError } from './superseded-error.js';

const CLOSE_WITHIN_MS = 10_000;

/** The row of the run has the claim already. */
export interface PostgresJournalOptions extends ClaimOfRun {
  /** Takes secrets out of everything that is recorded, in place of one made from the environment. */
  readonly redactor?: Redactor | undefined;
  /** Wall time in milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly onListenerError?: ListenerErrorHandler | undefined;
  /** Once it is aborted nothing more is recorded. */
  readonly giveUp?: AbortSignal | undefined;
  /** Told once when the database fails and the same events will be sent until it takes them. Must not throw. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
  /** How long `close` waits for what is not recorded yet. */
  readonly closeWithinMs?: number | undefined;
}

/** Throws SupersededError when the run is somebody else's by now. */
export async function openPostgresJournal(
  database: Database,
  options: PostgresJournalOptions,
): Promise<PostgresJournal> {
  const state = await database.transaction((query) => readState(query, options));
  return new PostgresJournal(database, options, state);
}

async function readState(query: Query, { runId, epoch, claim }: ClaimOfRun): Promise<RunState> {
  await query('set transaction isolation level repeatable read, read only');
  const [row] = await query<{ isMine: boolean | null; lastSeq: number }>(
    'select epoch = $2 and claim = $3::uuid as "isMine", last_seq as "lastSeq" from pawl.runs where id = $1',
    [runId, epoch, claim],
  );
  if (row === undefined) throw new ConfigError([{ path: '', message: `there is no run ${runId} in the fleet` }]);
  if (row.isMine !== true) throw new SupersededError(runId, epoch);
  let state = INITIAL_STATE;
  for await (const event of readEvents(query, runId)) state = reduce(state, event);
  if (state.seq === row.lastSeq) return state;
  const what = `records up to ${row.lastSeq} were here, and only ${state.seq} are left`;
  throw new JournalDamaged(`pawl.events of ${runId}`, state.seq + 1, what);
}

/** The journal of a run in the database of the fleet. Made by `openPostgresJournal`. */
export class PostgresJournal implements FleetJournal {
  readonly runId: string;
  /** A database without room makes the sender wait; it does not end the run. */
  readonly diskFull = false;
  readonly #query: Query;
  readonly #publisher: Publisher;
  readonly #redact: RedactLine;
  readonly #now: () => number;
  readonly #sender: EventSender;
  readonly #closeWithinMs: number;
  #state: RunState;
  #closing: Promise<void> | undefined;

  constructor(database: Pick<Database, 'query'>, options: PostgresJournalOptions, state: RunState) {
    const { runId, epoch, claim, giveUp, onRetry } = options;
    this.runId = runId;
    this.#query = database.query;
    this.#publisher = createPublisher(options.onListenerError);
    this.#redact = (options.redactor ?? createRedactor(process.env)).json;
    this.#now = options.now ?? Date.now;
    this.#closeWithinMs = options.closeWithinMs ?? CLOSE_WITHIN_MS;
    this.#sender = new EventSender({ query: database.query, runId, epoch, claim, giveUp, onRetry });
    this.#state = state;
  }

  get state(): RunState {
    return this.#state;
  }

  append(event: NewEvent, activeMs: number): RunEvent {
    if (this.#closing !== undefined) throw new InvalidState('closed', 'append to');
    this.#sender.check();
    const stamp = { seq: this.#state.seq + 1, at: new Date(this.#now()).toISOString(), activeMs };
    const { line, recorded } = encodeRecord(event, stamp, this.#redact);
    if (line.length > MAX_LINE_BYTES) {
      const why = `${event.type} has ${line.length} bytes, more than the ${MAX_LINE_BYTES} that a record may have`;
      throw new FileSystemError('write to', `the record of ${this.runId}`, why);
    }
    this.#state = reduce(this.#state, recorded);
    this.#sender.push(recorded.seq, line.toString('utf8', 0, line.length - 1), line.length, this.#state);
    this.#publisher.publish(recorded, this.#state);
    return recorded;
  }

  /** Resolves when everything appended so far is committed; rejects when it never will be. */
  synced(): Promise<void> {
    return this.#sender.flushed();
  }

  /** Told once why nothing more can be recorded, at once if that is so already. Must not throw. */
  onBroken(listener: (error: unknown) => void): () => void {
    return this.#sender.onBroken(listener);
  }

  subscribe(listener: JournalListener): () => void {
    return this.#publisher.subscribe(listener);
  }

  read(fromSeq?: number): AsyncIterable<RunEvent> {
    const untilSeq = this.#state.seq;
    const recorded = this.synced();
    // Whoever reads hears of it; whoever only asked must not end the process.
    recorded.catch(() => {});
    return readAfter(recorded, () => readEvents(this.#query, this.runId, { fromSeq, untilSeq }));
  }

  /** Waits a while for what is not recorded yet, and rejects when some of it is not. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const late = setTimeout(() => {
      const why = 'the database did not take the last events in time';
      this.#sender.break(new DatabaseUnreachable(`run ${this.runId}: ${why}`));
    }, this.#closeWithinMs);
    try {
      if (this.#sender.hasUnsent) await this.#sender.flushed();
    } finally {
      clearTimeout(late);
      this.#sender.end();
    }
  }
}

async function* readAfter(
  ready: Promise<void>,
  read: () => AsyncIterable<RunEvent>,
): AsyncGenerator<RunEvent, void, void> {
  await ready;
  yield* read();
}
