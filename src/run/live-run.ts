import { promptValues } from '../iteration/feedback.js';
import type { Interrupt } from '../iteration/interrupt.js';
import { loadPrompt } from '../iteration/load-prompt.js';
import { InvalidState, PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { isTerminal } from '../model/loop-state.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateLive, evaluateRun } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { ActiveClock } from './active-clock.js';
import { attempt } from './attempt.js';
import { isBeforeAgent } from './before-agent.js';
import { type CommandEffect, effectOf } from './command-effect.js';
import { refusalOf, wordOf } from './command-legality.js';
import { DayWatch } from './day-watch.js';
import { Hooks } from './hooks.js';
import { Intermission } from './intermission.js';
import { LIVE_EVENTS } from './live-events.js';
import type { LoopEffects } from './loop.js';
import { chooseSession } from './choose-session.js';
import { nextTry } from './next-try.js';
import { observeStart } from './observe-start.js';
import { recordCommit } from './record-commit.js';
import { Recorder } from './recorder.js';
import type { RunParts } from './run-parts.js';
import { Ticker } from './ticker.js';

/** One run while its process lives: the loop's effects, the commands, the interruptions. */
export class LiveRun implements LoopEffects {
  readonly #parts: RunParts;
  readonly #clock: ActiveClock;
  readonly #recorder: Recorder;
  readonly #ticker: Ticker;
  readonly #intermission: Intermission;
  readonly #hooks: Hooks;
  readonly #dayWatch: DayWatch | undefined;
  /** Ends the agent that works now. */
  #interruption = new AbortController();
  /** Ends observers, too. */
  readonly #hurry = new AbortController();

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#clock = new ActiveClock(parts.journal.state.activeMs);
    this.#recorder = new Recorder({
      journal: parts.journal,
      clock: this.#clock,
      onRecorded: ({ type }) => this.#onRecorded(type),
      onBroken: () => this.#interrupt('broken'),
    });
    const { now } = parts;
    const tick = () => this.#recorder.live({ type: 'tick' });
    this.#ticker = new Ticker({ state: () => this.state, clock: this.#clock, now, tick });
    const { ledger } = parts;
    const record = this.#recorder.live;
    this.#dayWatch = ledger && new DayWatch({ ledger, state: () => this.state, record, now });
    this.#hooks = new Hooks(parts, {
      hurry: this.#hurry.signal,
      record: (event) => this.record(event),
      recordLast: (event) => this.#recorder.last(event),
    });
    this.#intermission = new Intermission({
      spec: parts.spec,
      state: () => this.state,
      record: (event) => this.record(event),
      now,
      stopClock: () => this.#standStill(),
      startClock: () => this.begin(),
      onPaused: async () => void (await this.#hooks.run('on_pause', {})),
    });
  }

  get state(): RunState {
    return this.#parts.journal.state;
  }

  /** Active time runs from here on. */
  begin(): void {
    this.#clock.start();
    this.#ticker.arm();
  }

  /** Time in which nothing runs is not active time, and somebody else may change the tree. */
  #standStill(): void {
    this.#clock.stop();
    this.#ticker.arm();
    this.#parts.tree?.disturb();
  }

  /** From here on the day's account of the machine is kept. */
  watchDay(): void {
    this.#dayWatch?.begin();
  }

  close(): void {
    this.#dayWatch?.end();
    this.#ticker.stop();
    this.#clock.stop();
  }

  record(event: NewEvent): void {
    this.#recorder.boundary(event);
  }

  /** Records what happens beside the run, never throws; false when the run has ended. */
  note(event: NewEvent): boolean {
    if (isTerminal(this.state.status)) return false;
    this.#recorder.live(event);
    return true;
  }

  /** Where the run starts from: observed once, before the first iteration. */
  async observeStart(): Promise<void> {
    const observation = await observeStart(this.#parts, this.#hurry.signal);
    this.record({ type: 'baseline-observed', observation });
  }

  judge(): Verdict {
    const verdict = evaluateRun(this.state);
    this.record({ type: 'verdict-reached', iteration: this.state.iterations, verdict });
    return verdict;
  }

  rest(): Promise<'rested' | 'disturbed'> {
    return this.#intermission.rest();
  }

  async iterate(): Promise<void> {
    const { runId, configHash, spec } = this.#parts;
    // A prompt that cannot be read costs no iteration, unless a hook is still to write it.
    if (spec.hooks.before_iteration === undefined) await loadPrompt(spec);
    this.#dayWatch?.look();
    // Somebody may have asked to stop or to pause in between, or others may have spent what was left.
    const { operatorStop, pauseAsked } = this.state;
    if (operatorStop !== undefined || pauseAsked !== undefined || this.#isToStop()) return;
    const record = (event: NewEvent) => this.record(event);
    const next = nextTry(this.state);
    const session = chooseSession(this.#parts, record);
    // From the record before it starts: the start wipes the last iteration's facts away.
    const values = promptValues(this.state, next.number);
    const cookie = `${runId}.${next.number}.${next.try}`;
    this.#intermission.hasIterated();
    this.#interruption = new AbortController();
    record({ type: 'iteration-started', iteration: next.number, try: next.try, cookie, session, configHash });
    this.#ticker.arm();
    const { ended, broken } = await attempt(
      { ...next, session, cookie, values },
      {
        parts: this.#parts,
        hooks: this.#hooks,
        record,
        recordLive: this.#recorder.live,
        interruption: this.#interruption,
        hurry: this.#hurry.signal,
      },
    );
    record({ type: 'iteration-ended', ...ended });
    const { survivors = 0 } = ended.ending ?? {};
    if (broken !== undefined) throw broken;
    if (survivors > 0) {
      const message = `${survivors} processes of the agent could not be ended: nothing is started beside them`;
      throw new PawlError('InvalidState', message);
    }
  }

  async end(verdict: Verdict): Promise<void> {
    const state = verdict.class === 'goal' ? 'completed' : 'stopped';
    const { class: stopClass, reasons } = verdict;
    const { iterations: iteration, recent } = this.state;
    const moment = { when: 'end', iteration, summary: recent.at(-1)?.summary } as const;
    await recordCommit(this.#parts, moment, (event) => this.record(event));
    const messages = reasons.map(({ message }) => message);
    await this.#hooks.run('on_stop', { status: state, state, class: stopClass, reasons: messages });
    this.record({ type: 'run-ended', state, class: stopClass, reasons });
  }

  /** The run itself is broken. Says so to the hooks and in the record; throws when the record does not take it. */
  async fail(message: string): Promise<void> {
    await this.#hooks.runBroken(message);
    this.#recorder.last({ type: 'run-ended', state: 'error', reasons: [], error: message });
  }

  /**
   * Handles one command, at once and in order of arrival, and says what comes of it. Throws InvalidState when the state
   * does not allow it.
   */
  send(command: LoopCommand, by: string): CommandEffect {
    const { state } = this;
    const refused = refusalOf(command, state);
    this.#recorder.live({ type: 'command-received', command, by, refused });
    if (refused !== undefined) throw new InvalidState(state.status, wordOf(command), refused);
    this.#obey(command, by);
    return effectOf(command, state);
  }

  #obey(command: LoopCommand, by: string): void {
    switch (command.type) {
      case 'stop':
        return this.#stop(command.now === true);
      case 'pause':
        return this.#intermission.wake();
      case 'resume':
        this.#endPauseHook();
        return this.#intermission.wake();
      case 'skip':
        return this.#interrupt('skip');
      case 'approve':
      case 'reject':
        return this.#intermission.answer(command.type);
      case 'extend':
        this.#recorder.live({ type: 'limit-extended', limit: command.limit, by });
        // A limit may also have been lowered.
        this.#intermission.disturb();
        return this.#ticker.arm();
      case 'reboot':
      case 'steer':
        return;
      default:
        return command satisfies never;
    }
  }

  #stop(isNow: boolean): void {
    if (isNow) {
      this.#hurry.abort();
      this.#hooks.cutLast();
    }
    // An agent that nobody wants is not started.
    if (isBeforeAgent(this.state)) this.#interrupt('operator');
    this.#endPauseHook();
    this.#intermission.disturb();
  }

  /** Nobody waits for what a run does because it pauses. */
  #endPauseHook(): void {
    if (this.state.hook === 'on_pause') this.#hooks.cutShort();
  }

  #onRecorded(type: NewEvent['type']): void {
    if (type === 'usage-reported') this.#dayWatch?.note();
    if (LIVE_EVENTS.has(type)) this.#judgeLive();
  }

  #isToStop(): boolean {
    return evaluateLive(this.state.policy, factsOf(this.state)).stop;
  }

  #judgeLive(): void {
    if (isTerminal(this.state.status)) return;
    const verdict = evaluateLive(this.state.policy, factsOf(this.state));
    if (!verdict.stop) return;
    const stopClass = verdict.class;
    this.#interrupt(stopClass === 'operator' || stopClass === 'failure' ? stopClass : 'limit');
  }

  /** Ends whatever goes on now; the loop then judges. */
  #interrupt(why: Interrupt): void {
    if (!this.#interruption.signal.aborted) this.#interruption.abort(why);
    if (why === 'skip' || isBeforeAgent(this.state)) this.#hooks.cutShort();
    if (why === 'broken') this.#hurry.abort();
    if (why !== 'skip') this.#intermission.disturb();
  }
}
