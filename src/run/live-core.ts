import { FileSystemError, InvalidState } from '../model/errors.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import type { NewEvent } from '../model/run-event.js';
import { hasEnded, loopStateOf, openIteration } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { ActiveClock, Ticker } from './active-clock.js';
import { BatchWatch, type RunParts } from './run-host.js';
import { type CommandEffect, effectOf, refusalOf } from './command-legality.js';
import { DayWatch } from './day-ledger.js';
import { Intermission } from './intermission.js';

export interface LiveCoreOptions {
  readonly parts: Pick<RunParts, 'journal' | 'spec' | 'now' | 'ledger' | 'host'>;
  /** Something is recorded, and may have to be judged. */
  readonly onRecorded: (event: NewEvent) => void;
  /** Nothing can be recorded any more: whatever continues has to end. */
  readonly onBroken: () => void;
  /** Nothing runs for a while, and someone else may change the tree. */
  readonly onStill?: (() => void) | undefined;
  readonly onPaused?: (() => Promise<void>) | undefined;
}

/** What a run does about a command next to what any run does. */
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
  readonly #ticker: Ticker;
  readonly #dayWatch: DayWatch | undefined;
  readonly #batchWatch: BatchWatch | undefined;
  readonly intermission: Intermission;
  /** Why nothing can be recorded any more. */
  #problem: unknown;
  #isBroken = false;

  constructor(options: LiveCoreOptions) {
    const { journal, spec, now, ledger, host } = options.parts;
    const { onPaused = async () => undefined } = options;
    const state = () => this.state;
    const clock = new ActiveClock(journal.state.activeMs);
    this.#options = options;
    this.#clock = clock;
    this.#ticker = new Ticker({ state, clock, now, tick: () => this.record({ type: 'tick' }) });
    this.#dayWatch = ledger && new DayWatch({ ledger, state, record: this.record, now });
    const settled = () => this.settled();
    const account = host?.batch;
    this.#batchWatch = account && new BatchWatch({ account, state, record: (event) => this.note(event), settled });
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

  /**
   * Records an event. Never throws: once the record takes nothing more, what is going on ends, and `checkRecord` throws.
   * In a broken run each event is tried: on a full disk there is room for the last ones.
   */
  readonly record = (event: NewEvent): void => {
    const { journal } = this.#options.parts;
    // Without its beginning, which holds the limits, a record cannot be resumed.
    if (this.#isBroken ? this.state.seq === 0 : this.#problem !== undefined) return;
    try {
      journal.append(event, this.#clock.ms);
      if (journal.diskFull && !this.#isBroken) throw new FileSystemError('write to', 'the record', 'the disk is full');
    } catch (error) {
      this.#problem = error;
      if (!this.#isBroken) this.#options.onBroken();
      return;
    }
    if (!this.#isBroken) this.#onRecorded(event);
  };

  /** Throws when something could not be recorded. */
  readonly checkRecord = (): void => {
    if (this.#problem !== undefined) throw this.#problem;
  };

  /** Records what happens outside of the run; false when the run has ended. */
  note(event: NewEvent): boolean {
    if (hasEnded(this.state)) return false;
    this.record(event);
    return true;
  }

  /** Resolves when everything recorded survives a loss of power, and of this machine where the journal is elsewhere. Rejects when it does not. */
  async settled(): Promise<void> {
    this.checkRecord();
    await this.#options.parts.journal.synced?.();
  }

  /** The run itself is broken: from here on only its last events are recorded. */
  breakOff(): void {
    this.#isBroken = true;
  }

  /** Records the end of a broken run. Throws when the record does not take it. */
  fail(message: string): void {
    this.breakOff();
    this.#problem = undefined;
    this.record({ type: 'run-ended', state: 'error', reasons: [], error: message });
    this.checkRecord();
  }

  /**
   * Handles one command, at once and in order of arrival, and says what comes of it. Throws InvalidState when it is
   * refused, which is recorded, too.
   */
  send(command: LoopCommand, by: string, { refusal, onTaken }: CommandCare): CommandEffect {
    const { state } = this;
    const refused = refusal ?? refusalOf(command, state);
    this.record({ type: 'command-received', command, by, refused });
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
      case 'answer':
        return this.intermission.wake();
      case 'extend':
        this.record({ type: 'limit-extended', limit: command.limit, by });
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
