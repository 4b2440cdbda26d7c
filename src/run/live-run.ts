import { commitRun } from '../iteration/commit-run.js';
import { promptValues } from '../iteration/feedback.js';
import type { Interrupt } from '../iteration/interrupt.js';
import { loadPrompt } from '../iteration/load-prompt.js';
import { type PromptValues, renderPrompt } from '../iteration/render-prompt.js';
import { type IterationSetting, runIteration } from '../iteration/run-iteration.js';
import { InvalidState, messageOf, PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { isTerminal } from '../model/loop-state.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateLive, evaluateRun } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { ActiveClock } from './active-clock.js';
import { refusalOf } from './command-legality.js';
import { DayWatch } from './day-watch.js';
import { Hooks } from './hooks.js';
import { Intermission } from './intermission.js';
import { LIVE_EVENTS } from './live-events.js';
import type { LoopEffects } from './loop.js';
import { chooseSession } from './choose-session.js';
import { budgetLeft, nextTry } from './next-try.js';
import { observeStart } from './observe-start.js';
import { questionsOf } from './questions.js';
import { Recorder } from './recorder.js';
import type { RunParts } from './run-parts.js';
import { Ticker } from './ticker.js';

type IterationEnded = EventBodies['iteration-ended'];

interface Attempt {
  readonly number: number;
  readonly attempt: number;
  readonly session: string | undefined;
  readonly cookie: string;
}

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
  #rebootAsked: string | undefined;

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
      signal: this.#hurry.signal,
      record: (event) => this.record(event),
      askPause: () => this.#intermission.askPause(),
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
    // Somebody may have asked to stop in between, or others may have spent what was left.
    if (this.state.operatorStop !== undefined || this.#isToStop()) return;
    const { number, try: attempt } = nextTry(this.state);
    const session = chooseSession(this.#parts, this.#rebootAsked, (event) => this.record(event));
    this.#rebootAsked = undefined;
    // From the record before it starts: the start wipes the last iteration's facts away.
    const values = promptValues(this.state, number);
    const cookie = `${runId}.${number}.${attempt}`;
    this.#intermission.hasIterated();
    this.#interruption = new AbortController();
    this.record({ type: 'iteration-started', iteration: number, try: attempt, cookie, session, configHash });
    this.#ticker.arm();
    const { ended, broken } = await this.#attempt({ number, attempt, session, cookie }, values);
    this.record({ type: 'iteration-ended', ...ended });
    const { survivors = 0 } = ended.ending ?? {};
    if (broken !== undefined) throw broken;
    if (survivors > 0) {
      const message = `${survivors} processes of the agent could not be ended: nothing is started beside them`;
      throw new PawlError('InvalidState', message);
    }
  }

  /** The hooks and what lies between them. `broken`: why the run cannot go on. */
  async #attempt(
    { number, attempt, session, cookie }: Attempt,
    values: PromptValues,
  ): Promise<{ readonly ended: IterationEnded; readonly broken?: unknown }> {
    const unstarted = { iteration: number, agentStarted: false, durationMs: 0, observation: {} } as const;
    const held = await this.#hooks.run('before_iteration', { iteration: number });
    if (held !== undefined) return { ended: { ...unstarted, outcome: 'skipped', error: held } };
    // Nobody wants it any more.
    if (this.#interruption.signal.aborted) {
      return { ended: { ...unstarted, outcome: 'interrupted', interruption: 'operator' } };
    }
    const { spec } = this.#parts;
    let template: string;
    try {
      template = await loadPrompt(spec);
    } catch (broken) {
      return { ended: { ...unstarted, outcome: 'failed', error: messageOf(broken) }, broken };
    }
    const prompt = renderPrompt(template, values);
    const budgetUsd = budgetLeft(this.state);
    const windowTokens = this.state.context?.windowTokens;
    const ended = await runIteration(
      { spec, number, prompt, session, cookie, budgetUsd, windowTokens },
      this.#iterationSetting(number, attempt),
    );
    const facts = { iteration: number, outcome: ended.outcome, error: ended.error };
    await this.#hooks.run('after_iteration', facts);
    if (ended.outcome === 'failed' || ended.outcome === 'timed-out') await this.#hooks.run('on_error', facts);
    // Nothing of the agent's, nothing to commit.
    if (ended.observation.files?.changedFiles !== 0) await this.#commit('iteration', number, ended.observation.summary);
    return { ended };
  }

  #iterationSetting(number: number, attempt: number): IterationSetting {
    const { agent, environment, tree, guard, functions, journal, now, outputPlace } = this.#parts;
    return {
      agent,
      environment,
      tree,
      guard,
      functions,
      questions: questionsOf(() => journal.state),
      place: outputPlace?.(number, attempt),
      record: this.#recorder.live,
      redact: this.#parts.redact,
      interruption: this.#interruption,
      hurry: this.#hurry.signal,
      now: () => new Date(now()),
    };
  }

  async #commit(when: 'iteration' | 'end', iteration: number, summary: string | undefined): Promise<void> {
    const { spec, runId, environment } = this.#parts;
    const committed = await commitRun(when, spec, { runId, iteration, summary, environment });
    if (committed !== undefined) this.record({ type: 'work-committed', ...committed });
  }

  async end(verdict: Verdict): Promise<void> {
    const state = verdict.class === 'goal' ? 'completed' : 'stopped';
    const { class: stopClass, reasons } = verdict;
    await this.#commit('end', this.state.iterations, this.state.recent.at(-1)?.summary);
    await this.#hooks.run('on_stop', { state, class: stopClass, reasons: reasons.map(({ message }) => message) });
    this.record({ type: 'run-ended', state, class: stopClass, reasons });
  }

  /** The run itself is broken. Says so in the record, if that can still be done. */
  fail(message: string): void {
    this.#recorder.last({ type: 'run-ended', state: 'error', reasons: [], error: message });
  }

  /** Handles one command, at once and in order of arrival. Throws InvalidState when the state does not allow it. */
  send(command: LoopCommand, by: string): void {
    const refused = refusalOf(command, this.state);
    this.#recorder.live({ type: 'command-received', command, by, refused });
    if (refused !== undefined) throw new InvalidState(this.state.status, command.type);
    this.#obey(command, by);
  }

  #obey(command: LoopCommand, by: string): void {
    switch (command.type) {
      case 'stop':
        if (command.now === true) this.#hurry.abort();
        return this.#intermission.disturb();
      case 'pause':
        return this.#intermission.askPause();
      case 'resume':
        return this.#intermission.wake();
      case 'skip':
        return this.#interrupt('skip');
      case 'approve':
      case 'reject':
        return this.#intermission.wake();
      case 'reboot':
        this.#rebootAsked = `asked by ${by}`;
        return;
      case 'extend':
        this.#recorder.live({ type: 'limit-extended', limit: command.limit, by });
        // A limit may also have been lowered.
        this.#intermission.disturb();
        return this.#ticker.arm();
      case 'steer':
        return;
      default:
        return command satisfies never;
    }
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
    if (why === 'broken') this.#hurry.abort();
    if (why !== 'skip') this.#intermission.disturb();
  }
}
