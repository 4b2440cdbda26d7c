import { observeBaseline } from '../iteration/observe.js';
import { promptValues } from '../iteration/feedback.js';
import type { Interrupt } from '../iteration/interrupt.js';
import { loadPrompt } from '../iteration/load-prompt.js';
import { renderPrompt } from '../iteration/render-prompt.js';
import { runIteration } from '../iteration/run-iteration.js';
import { InvalidState, PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { isTerminal } from '../model/loop-state.js';
import type { EventType, NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateLive, evaluateRun } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { ActiveClock } from './active-clock.js';
import { refusalOf } from './command-legality.js';
import type { LoopEffects } from './loop.js';
import { handoverOf, nextSession } from './next-session.js';
import { budgetLeft, nextTry } from './next-try.js';
import { questionsOf } from './questions.js';
import { Recorder } from './recorder.js';
import { Rest, type RestEnd } from './rest.js';
import type { RunParts } from './run-parts.js';
import { Ticker } from './ticker.js';
import { waitOf } from './wait-of.js';

/** Events after which a live condition may hold that did not before. */
const LIVE: ReadonlySet<EventType> = new Set<EventType>([
  'agent-said',
  'usage-reported',
  'context-reported',
  'error-seen',
  'permission-denied',
  'agent-finished',
  'command-received',
  'tick',
]);

/** One run while its process lives: the loop's effects, the commands, the interruptions. */
export class LiveRun implements LoopEffects {
  readonly #parts: RunParts;
  readonly #clock: ActiveClock;
  readonly #recorder: Recorder;
  readonly #ticker: Ticker;
  readonly #rest = new Rest();
  /** Ends the agent that works now. */
  #interruption = new AbortController();
  /** Ends observers, too. */
  readonly #hurry = new AbortController();
  #pauseAsked = false;
  #rebootAsked: string | undefined;
  #iterated = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#clock = new ActiveClock(parts.journal.state.activeMs);
    this.#recorder = new Recorder({
      journal: parts.journal,
      clock: this.#clock,
      onRecorded: ({ type }) => LIVE.has(type) && this.#judgeLive(),
      onBroken: () => this.#interrupt('broken'),
    });
    const { now } = parts;
    const tick = () => this.#recorder.live({ type: 'tick' });
    this.#ticker = new Ticker({ state: () => this.state, clock: this.#clock, now, tick });
  }

  get state(): RunState {
    return this.#parts.journal.state;
  }

  /** Active time runs from here on. */
  begin(): void {
    this.#clock.start();
    this.#ticker.arm();
  }

  close(): void {
    this.#ticker.stop();
    this.#clock.stop();
  }

  record(event: NewEvent): void {
    this.#recorder.boundary(event);
  }

  /** Where the run starts from: observed once, before the first iteration. */
  async observeStart(): Promise<void> {
    const { spec, environment, tree, functions, runId } = this.#parts;
    const observation = await observeBaseline({
      spec,
      harness: {
        workingDir: spec.workingDir,
        environment,
        cookie: `${runId}.0.1`,
        signal: this.#hurry.signal,
      },
      tree,
      functions,
      questions: questionsOf(() => this.state),
      seen: {},
      skipCommands: this.#hurry.signal.aborted,
      label: 'before the first iteration',
      draft: (observed) => ({ type: 'baseline-observed', observation: observed }),
    });
    this.record({ type: 'baseline-observed', observation });
  }

  judge(): Verdict {
    const verdict = evaluateRun(this.state);
    this.record({ type: 'verdict-reached', iteration: this.state.iterations, verdict });
    return verdict;
  }

  async rest(): Promise<'rested' | 'disturbed'> {
    this.#rest.begin();
    const stages = [() => this.#pause(), () => this.#wait(), () => this.#delay(), () => this.#askApproval()];
    for (const stage of stages) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if ((await stage()) === 'disturbed') return 'disturbed';
    }
    return this.#pauseAsked ? this.rest() : 'rested';
  }

  async iterate(): Promise<void> {
    const { spec, agent, runId, journal, now } = this.#parts;
    const { number, try: attempt } = nextTry(this.state);
    const session = this.#session();
    const prompt = renderPrompt(await loadPrompt(spec), promptValues(this.state, number));
    // Somebody may have asked to stop in between.
    if (this.state.operatorStop !== undefined) return;
    this.#iterated = true;
    this.#interruption = new AbortController();
    const cookie = `${runId}.${number}.${attempt}`;
    const { configHash } = this.#parts;
    this.record({ type: 'iteration-started', iteration: number, try: attempt, cookie, session, configHash });
    this.#ticker.arm();
    const ended = await runIteration(
      {
        spec,
        number,
        prompt,
        session,
        cookie,
        budgetUsd: budgetLeft(this.state),
        windowTokens: this.state.context?.windowTokens,
      },
      {
        agent,
        environment: this.#parts.environment,
        tree: this.#parts.tree,
        functions: this.#parts.functions,
        questions: questionsOf(() => journal.state),
        place: this.#parts.outputPlace?.(number, attempt),
        record: this.#recorder.live,
        interruption: this.#interruption,
        hurry: this.#hurry.signal,
        now: () => new Date(now()),
      },
    );
    this.record({ type: 'iteration-ended', ...ended });
    const { survivors = 0 } = ended.ending ?? {};
    if (survivors > 0) {
      throw new PawlError(
        'InvalidState',
        `${survivors} processes of the agent could not be ended: nothing is started beside them`,
      );
    }
  }

  end(verdict: Verdict): void {
    const state = verdict.class === 'goal' ? 'completed' : 'stopped';
    this.record({ type: 'run-ended', state, class: verdict.class, reasons: verdict.reasons });
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
        return this.#rest.disturb();
      case 'pause':
        this.#pauseAsked = true;
        return this.#rest.wake();
      case 'resume':
        return this.#rest.wake();
      case 'skip':
        return this.#interrupt('skip');
      case 'approve':
      case 'reject':
        return this.#rest.wake();
      case 'reboot':
        this.#rebootAsked = `asked by ${by}`;
        return;
      case 'extend':
        this.#recorder.live({ type: 'limit-extended', limit: command.limit, by });
        return this.#ticker.arm();
      case 'steer':
        return;
      default:
        return command satisfies never;
    }
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
    if (why !== 'skip') this.#rest.disturb();
  }

  #session(): string | undefined {
    const { spec, agent, now } = this.#parts;
    const next = nextSession(this.state, spec, { canResume: agent.canResume, nowMs: now() });
    const asked = this.#rebootAsked;
    this.#rebootAsked = undefined;
    if (next.kind === 'fresh') return undefined;
    if (next.kind === 'continue' && asked === undefined) return next.session;
    const reason = next.kind === 'reboot' ? next.reason : (asked ?? '');
    this.record({ type: 'reboot-started', reason });
    this.record({ type: 'reboot-completed', handover: handoverOf(this.state) });
    return undefined;
  }

  async #pause(): Promise<RestEnd | undefined> {
    if (!this.#pauseAsked) return undefined;
    this.#pauseAsked = false;
    this.record({ type: 'paused' });
    const how = await this.#standStill(() => this.#rest.sleep());
    if (how === 'woken') this.record({ type: 'resumed' });
    return how;
  }

  /** For a limit of the provider's. It costs no iteration and no active time. */
  async #wait(): Promise<RestEnd | undefined> {
    const { now } = this.#parts;
    const wait = waitOf(this.state, now());
    if (wait === undefined) return undefined;
    this.record({ type: 'waiting-started', for: wait.for, until: wait.until, reason: wait.reason });
    const how = await this.#standStill(() => this.#rest.until(Date.parse(wait.until), now));
    if (how !== 'disturbed') this.record({ type: 'waiting-ended' });
    return how;
  }

  /** Not before the first iteration of a process, and not after a wait. */
  async #delay(): Promise<RestEnd | undefined> {
    const { iterationDelayMs } = this.#parts.spec;
    if (!this.#iterated || iterationDelayMs === 0 || this.state.limitedSince !== undefined) return undefined;
    return this.#rest.sleep(iterationDelayMs);
  }

  async #askApproval(): Promise<RestEnd | undefined> {
    while (this.#parts.spec.attendedMode) {
      const steers = this.state.steers.length;
      this.record({ type: 'waiting-started', for: 'approval' });
      // oxlint-disable-next-line no-await-in-loop -- asked again after every rejection
      const how = await this.#standStill(() => this.#rest.sleep());
      if (how === 'disturbed') return how;
      this.record({ type: 'waiting-ended' });
      if (this.state.steers.length === steers) return how;
    }
    return undefined;
  }

  /** Time in which nothing runs is not active time, and somebody else may change the tree. */
  async #standStill<T>(rest: () => Promise<T>): Promise<T> {
    this.#clock.stop();
    this.#ticker.arm();
    const how = await rest();
    this.#parts.tree?.disturb();
    this.#clock.start();
    this.#ticker.arm();
    return how;
  }
}
