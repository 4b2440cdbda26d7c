import { InvalidState } from '../model/errors.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import type { NewEvent } from '../model/run-event.js';
import { hasEnded, loopStateOf, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { ActiveClock } from './active-clock.js';
import { BatchWatch } from './batch-watch.js';
import { type CommandEffect, effectOf } from './command-effect.js';
import { refusalOf } from './command-legality.js';
import { DayWatch } from './day-watch.js';
import { Intermission } from './intermission.js';
import { Recorder } from './recorder.js';
import type { RunParts } from './run-parts.js';
import { Ticker } from './ticker.js';

export interface LiveCoreOptions {
  readonly parts: Pick<RunParts, 'journal' | 'spec' | 'now' | 'ledger' | 'batch'>;
  /** Something is recorded, and may have to be judged. */
  readonly onRecorded: (event: NewEvent) => void;
  /** Nothing can be recorded any more: whatever goes on has to end. */
  readonly onBroken: () => void;
  /** Nothing runs for a while, and somebody else may change the tree. */
  readonly onStill?: (() => void) | undefined;
  readonly onPaused?: (() => Promise<void>) | undefined;
}

/** What a run does about a command beside what any run does. */
export interface CommandCare {
  /** Why this kind of run does not take it, whatever its state. */
  readonly refusal?: string | undefined;
  /** It is taken: told before anything else comes of it. */
  readonly onTaken: () => void;
}

/** What any run has while its process lives: active time, the record, the day's account, rests and commands. */
export class LiveCore {
  readonly #options: LiveCoreOptions;
  readonly #clock: ActiveClock;
  readonly #recorder: Recorder;
  readonly #ticker: Ticker;
  readonly #dayWatch: DayWatch | undefined;
  readonly #batchWatch: BatchWatch | undefined;
  readonly intermission: Intermission;

  constructor(options: LiveCoreOptions) {
    const { journal, spec, now, ledger, batch } = options.parts;
    const { onPaused = async () => undefined, onBroken } = options;
    const state = () => this.state;
    const clock = new ActiveClock(journal.state.activeMs);
    this.#options = options;
    this.#clock = clock;
    this.#recorder = new Recorder({ journal, clock, onRecorded: (event) => this.#onRecorded(event), onBroken });
    this.#ticker = new Ticker({ state, clock, now, tick: () => this.recordLive({ type: 'tick' }) });
    this.#dayWatch = ledger && new DayWatch({ ledger, state, record: this.recordLive, now });
    const settled = () => this.settled();
    this.#batchWatch = batch && new BatchWatch({ account: batch, state, record: (event) => this.note(event), settled });
    this.intermission = new Intermission({
      spec,
      state,
      record: this.record,
      now,
      stopClock: () => this.#standStill(),
      startClock: () => this.begin(),
      onPaused,
    });
  }

  get state(): RunState {
    return this.#options.parts.journal.state;
  }

  /** Active time runs from here on. */
  begin(): void {
    this.#clock.start();
    this.#ticker.arm();
  }

  /** From here on the accounts that are shared with other runs are kept. */
  async watchSpend(): Promise<void> {
    this.#dayWatch?.begin();
    await this.#batchWatch?.begin();
  }

  /** What others have spent of the shared accounts until now. */
  async lookAtSpend(): Promise<void> {
    this.#dayWatch?.look();
    await this.#batchWatch?.look();
  }

  /** What time alone will change has changed. */
  armTicker(): void {
    this.#ticker.arm();
  }

  close(): void {
    this.#dayWatch?.end();
    this.#batchWatch?.end();
    this.#ticker.stop();
    this.#clock.stop();
  }

  /** Records a boundary; throws when it cannot be. */
  readonly record = (event: NewEvent): void => this.#recorder.boundary(event);

  /** Records what happens meanwhile. Never throws: whatever goes on is ended instead. */
  readonly recordLive = (event: NewEvent): void => this.#recorder.live(event);

  /** Records one of the last events, for which there is room on a full disk. Throws when it cannot be. */
  readonly recordLast = (event: NewEvent): void => {
    // Without its beginning, which holds the limits, a record is none to go on with.
    if (this.state.seq > 0) this.#recorder.last(event);
  };

  /** Records what happens beside the run, never throws; false when the run has ended. */
  note(event: NewEvent): boolean {
    if (hasEnded(this.state)) return false;
    this.recordLive(event);
    return true;
  }

  /** Resolves when all that is recorded is kept for good: a journal that is kept elsewhere takes a moment for it. */
  async settled(): Promise<void> {
    await this.#options.parts.journal.synced?.();
  }

  /** Throws when something could not be recorded. */
  check(): void {
    this.#recorder.check();
  }

  /** The run itself is broken. Throws when the record does not take it. */
  fail(message: string): void {
    this.recordLast({ type: 'run-ended', state: 'error', reasons: [], error: message });
  }

  /**
   * Handles one command, at once and in order of arrival, and says what comes of it. Throws InvalidState when it is
   * refused, which is recorded, too.
   */
  send(command: LoopCommand, by: string, { refusal, onTaken }: CommandCare): CommandEffect {
    const { state } = this;
    const refused = refusal ?? refusalOf(command, state);
    this.recordLive({ type: 'command-received', command, by, refused });
    if (refused !== undefined) throw new InvalidState(loopStateOf(state), wordOf(command), refused);
    onTaken();
    this.#obey(command, by);
    return effectOf(command, state);
  }

  #obey(command: LoopCommand, by: string): void {
    switch (command.type) {
      case 'stop':
        return this.intermission.disturb();
      case 'pause':
      case 'resume':
        return this.intermission.wake();
      case 'approve':
      case 'reject':
        return this.intermission.answer(command.type);
      case 'extend':
        this.recordLive({ type: 'limit-extended', limit: command.limit, by });
        // A limit may also have been lowered.
        this.intermission.disturb();
        return this.#ticker.arm();
      case 'skip':
      case 'reboot':
      case 'steer':
        return;
      default:
        return command satisfies never;
    }
  }

  /** Time in which nothing runs is not active time. */
  #standStill(): void {
    this.#clock.stop();
    this.#ticker.arm();
    this.#options.onStill?.();
  }

  #onRecorded(event: NewEvent): void {
    const { type } = event;
    if (type === 'usage-reported') this.#dayWatch?.note();
    if (type === 'usage-reported' || type === 'iteration-ended') this.#batchWatch?.lookSoon();
    // While a person is asked in the middle of an iteration, nothing runs.
    if (type === 'waiting-started' && event.for === 'answer') this.#standStill();
    if (type === 'waiting-ended' && openIteration(this.state) !== undefined) this.begin();
    this.#options.onRecorded(event);
  }
}
