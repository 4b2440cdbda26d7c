import { checkTestsRan } from '../iteration/check-test-program.js';
import { feedbackValues, toldOf } from '../iteration/feedback.js';
import type { Interrupt } from '../iteration/interrupt.js';
import { loadPrompt } from '../iteration/load-prompt.js';
import { PawlError } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { LIVE_EVENTS, type NewEvent } from '../model/run-event.js';
import { lastWork } from '../model/last-look.js';
import { hasEnded, isBeforeAgent, waitingOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { attempt } from './attempt.js';
import { brokenIteration } from './broken-iteration.js';
import { watchFolder } from './check-tree.js';
import { ClaimDesk } from './claim-desk.js';
import { claimEffect, type ClaimReport } from './claim-report.js';
import type { CommandEffect } from './command-effect.js';
import { refusalOf } from './command-legality.js';
import { Hooks } from './hooks.js';
import { LiveCore } from './live-core.js';
import { liveInterrupt } from './live-interrupt.js';
import type { LoopEffects } from './loop.js';
import { chooseSession } from './choose-session.js';
import { nextTry } from './next-try.js';
import { observeStart } from './observe-start.js';
import { Overspend } from './overspend.js';
import { promptValues } from './prompt-values.js';
import { recordCommit } from './record-commit.js';
import type { RunParts } from './run-parts.js';
import { SessionFile } from './session-file.js';

/** By which it stands in the record, should an agent print it. */
const CLAIM_KEY = 'PAWL_CLAIM_KEY';

/** One run while its process lives: the loop's effects, what commands mean to it, the interruptions. */
export class LiveRun implements LoopEffects {
  readonly core: LiveCore;
  readonly #parts: RunParts;
  readonly #hooks: Hooks;
  readonly #sessionFile: SessionFile;
  readonly #checkFolder: () => void;
  /** Ends the agent that works now. */
  #interruption = new AbortController();
  /** Ends its grace, too. */
  #cutOff = new AbortController();
  /** The run is to end, whatever becomes of what goes on now. */
  #ending = new AbortController();
  /** There once it was told to end because of what it spends. */
  #overspend: Overspend | undefined;
  /** Takes what the agent reports that works now. */
  #desk = new ClaimDesk();
  /** Ends observers, too. */
  readonly #hurry = new AbortController();

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#sessionFile = new SessionFile(parts);
    this.#checkFolder = watchFolder(parts);
    this.core = new LiveCore({
      parts,
      onRecorded: (event) => this.#onRecorded(event),
      onBroken: () => this.#interrupt('broken'),
      onStill: () => parts.tree?.disturb(),
      onPaused: async () => void (await this.#hooks.run('on_pause', {})),
    });
    const { record, recordLast } = this.core;
    this.#hooks = new Hooks(parts, { hurry: this.#hurry.signal, record, recordLast });
  }

  get state(): RunState {
    return this.core.state;
  }

  record(event: NewEvent): void {
    this.core.record(event);
  }

  /** Where the run starts from: observed once, before the first iteration. */
  async observeStart(): Promise<void> {
    // The limits on time are recorded only now.
    this.core.armTicker();
    const observation = await observeStart(this.#parts, this.#hurry.signal, this.#ending.signal);
    // Not recorded if they cannot be run, so that a resume observes again.
    checkTestsRan(this.#parts.spec, observation.tests);
    this.record({ type: 'baseline-observed', observation });
  }

  judge(): Verdict {
    const verdict = evaluateRun(this.state);
    this.record({ type: 'verdict-reached', iteration: this.state.iterations, verdict });
    return verdict;
  }

  rest(): Promise<'rested' | 'disturbed' | 'left'> {
    return this.core.intermission.rest();
  }

  async iterate(): Promise<void> {
    const { runId, configHash, spec } = this.#parts;
    this.#checkFolder();
    // A prompt that cannot be read costs no iteration, unless a hook is still to write it.
    if (spec.hooks.before_iteration === undefined) loadPrompt(spec);
    await this.core.lookAtSpend();
    if (this.#isUnwanted()) return;
    const { record, recordLive } = this.core;
    const next = nextTry(this.state);
    this.#interruption = new AbortController();
    this.#cutOff = new AbortController();
    this.#ending = new AbortController();
    this.#overspend = undefined;
    const session = await chooseSession(this.#parts, { record, recordLive, signal: this.#interruption.signal });
    if (this.#isUnwanted()) return;
    // From the record before it starts: the start wipes the last iteration's facts away.
    const told = this.#parts.agent.keepsConversation === true ? toldOf(this.state) : undefined;
    const values =
      told === undefined
        ? promptValues(this.state, next.number)
        : { ...feedbackValues(this.state, next.number), left: '' };
    const cookie = `${runId}.${next.number}.${next.try}`;
    this.#desk = new ClaimDesk();
    const { key: claimKey } = this.#desk;
    this.#parts.keepSecret?.(CLAIM_KEY, claimKey);
    this.core.intermission.hasIterated();
    record({ type: 'iteration-started', iteration: next.number, try: next.try, cookie, session, configHash });
    // Nobody is to find an agent at work of which the record does not tell.
    await this.core.settled();
    this.core.armTicker();
    const { ended, broken } = await attempt(
      { ...next, session, cookie, claimKey, values, told },
      {
        parts: this.#parts,
        hooks: this.#hooks,
        checkFolder: this.#checkFolder,
        record,
        recordLive,
        interruption: this.#interruption,
        cutOff: this.#cutOff.signal,
        hurry: this.#hurry.signal,
        ending: this.#ending.signal,
      },
    );
    record({ type: 'iteration-ended', ...ended });
    this.#sessionFile.keep();
    await this.core.settled();
    const { survivors = 0 } = ended.ending ?? {};
    if (broken !== undefined) throw broken;
    if (survivors > 0) {
      const message = `${survivors} processes of the agent could not be ended: nothing is started beside them`;
      throw new PawlError('InvalidState', message);
    }
  }

  /** Somebody may have asked to stop or to pause in between, or others may have spent what was left. */
  #isUnwanted(): boolean {
    const { stop, pause } = this.state.requests;
    return stop !== undefined || pause !== undefined || liveInterrupt(this.state) !== undefined;
  }

  async end(verdict: Verdict): Promise<void> {
    const state = verdict.class === 'goal' ? 'completed' : 'stopped';
    const { class: stopClass, reasons } = verdict;
    const { iterations: iteration } = this.state;
    const moment = {
      when: 'end',
      iteration,
      summary: lastWork(this.state)?.summary,
      ending: this.#ending.signal,
    } as const;
    await recordCommit(this.#parts, moment, this.core.record);
    const messages = reasons.map(({ message }) => message);
    await this.#hooks.run('on_stop', { status: state, state, class: stopClass, reasons: messages });
    this.record({ type: 'run-ended', state, class: stopClass, reasons });
    await this.core.settled();
  }

  /** The run itself is broken. Says so to the hooks and in the record; throws when the record does not take it. */
  async fail(message: string): Promise<void> {
    await this.#hooks.runBroken(message);
    const ended = brokenIteration(this.state, message);
    if (ended !== undefined) this.core.recordLast({ type: 'iteration-ended', ...ended });
    this.core.fail(message);
  }

  /** Handles one command, and says what comes of it. Throws InvalidState when the state does not allow it. */
  send(command: LoopCommand, by: string): CommandEffect {
    const refusal = refusalOf(command, this.state) ?? (command.type === 'reboot' ? this.#whyNoReboot() : undefined);
    return this.core.send(command, by, { refusal, onTaken: () => this.#onTaken(command) });
  }

  /** Records what the agent of this iteration reports. Throws InvalidState when it comes from another. */
  hear(report: ClaimReport, by: string): CommandEffect {
    this.#desk.take(report, this.state);
    this.record({ type: 'claim-made', ...report.claim, by });
    return claimEffect(report);
  }

  #whyNoReboot(): string | undefined {
    const { agent, spec } = this.#parts;
    if (agent.canResume && spec.session.mode === 'continue') return undefined;
    const why = agent.canResume ? 'session.mode is fresh' : `the agent ${agent.name} cannot continue a session`;
    return `cannot reboot: ${why}, so every iteration begins a fresh session`;
  }

  #onTaken(command: LoopCommand): void {
    if (command.type === 'stop') this.#stop(command.now === true);
    if (command.type === 'resume') this.#endPauseHook();
    if (command.type === 'skip') this.#interrupt('skip');
  }

  #stop(isNow: boolean): void {
    if (isNow) {
      this.#hurry.abort();
      this.#hooks.cutLast();
    }
    // An agent that nobody wants is not started, and one that waits for an answer would wait for ever.
    if (isBeforeAgent(this.state) || waitingOf(this.state)?.for === 'answer') this.#interrupt('operator');
    this.#endPauseHook();
  }

  /** Nobody waits for what a run does because it pauses. */
  #endPauseHook(): void {
    if (this.state.hook === 'on_pause') this.#hooks.cutShort();
  }

  #onRecorded(event: NewEvent): void {
    if (!LIVE_EVENTS.has(event.type) || hasEnded(this.state)) return;
    if (event.type === 'usage-reported' && this.#overspend?.isSpentOn(event, this.state.spend) === true) {
      this.#cutOff.abort();
    }
    const why = liveInterrupt(this.state);
    if (why !== undefined) this.#interrupt(why);
  }

  /** Ends whatever goes on now; the loop then judges. */
  #interrupt(why: Interrupt): void {
    if (!this.#interruption.signal.aborted) {
      if (why === 'budget') this.#overspend = new Overspend(this.state.spend);
      this.#interruption.abort(why);
    }
    if (why === 'skip' || isBeforeAgent(this.state)) this.#hooks.cutShort();
    if (why === 'broken') this.#hurry.abort();
    if (why === 'skip') return;
    this.#ending.abort(why);
    this.core.intermission.disturb();
  }
}
