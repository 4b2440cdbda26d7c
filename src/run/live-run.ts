import { checkTestsRan, watchFolder, earlierStart } from './start-checks.js';
import { feedbackValues, toldOf, loadPrompt } from '../iteration/prompt.js';
import { observeBaseline } from '../iteration/observe.js';
import { runReview } from '../iteration/run-review.js';
import { type Interrupt, StopSignal } from '../iteration/stop-signal.js';
import { PawlError } from '../model/errors.js';
import type { EarlierStart, Observation } from '../model/observation.js';
import type { LoopCommand } from '../model/loop-command.js';
import { LIVE_EVENTS, type NewEvent } from '../model/run-event.js';
import { lastWork } from '../model/work.js';
import { hasEnded, isBeforeAgent, openIteration, waitingOf } from '../model/phase.js';
import { DEFAULT_CALL_WAIT_MS, meantBy } from '../model/questions.js';
import type { ReviewCause } from '../model/review.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateRun, reviewDue, evaluateLive } from '../stop/evaluate-policy.js';
import { attempt, nextTry } from './attempt.js';
import { brokenIteration } from './after-crash.js';
import {
  ClaimDesk,
  PersonDesk,
  questionId,
  type Asked,
  askEffect,
  claimEffect,
  type ClaimReport,
  type QuestionReport,
} from './agent-reports.js';
import { type CommandEffect, refusalOf } from './command-legality.js';
import { Hooks } from './hooks.js';
import { keepBest, recordCommit } from './record-commit.js';
import { LiveCore } from './live-core.js';
import type { LoopEffects } from './loop.js';
import { chooseSession, SessionFile, promptValues } from './next-session.js';
import { questionsOf } from './questions.js';
import type { LiveParts, RunParts } from './run-host.js';
import { openRequestIds, type SpendAccount, totalSpend } from '../model/spend-account.js';
import { childrenOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { factsOf } from '../stop/facts.js';

/** By which it is in the record, should an agent print it. */
const CLAIM_KEY = 'PAWL_CLAIM_KEY';

/** One run while its process lives: the loop's effects, what commands mean to it, the interruptions. */
export class LiveRun implements LoopEffects {
  readonly core: LiveCore;
  readonly context: LiveParts;
  readonly #stop = new StopSignal();
  readonly #hooks: Hooks;
  readonly #sessionFile: SessionFile;
  readonly #checkFolder: () => void;
  /** Set once the agent was asked to end because of what it spends. */
  #overspend: Overspend | undefined;
  /** Takes what the agent of this iteration reports. */
  #desk = new ClaimDesk();
  /** Where its questions wait for a person. */
  readonly #person = new PersonDesk();

  constructor(parts: RunParts) {
    this.#sessionFile = new SessionFile(parts);
    this.#checkFolder = watchFolder(parts);
    this.core = new LiveCore({
      parts,
      onRecorded: (event) => this.#onRecorded(event),
      onBroken: () => this.#interrupt('broken'),
      onStill: () => parts.tree?.disturb(),
      onPaused: async () => void (await this.#hooks.run('on_pause', {})),
    });
    const { record, checkRecord } = this.core;
    const questions = questionsOf(() => parts.journal.state);
    this.context = { ...parts, questions, record, checkRecord, stop: this.#stop };
    this.#hooks = new Hooks(this.context);
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
    const earlier = await earlierStart(this.context, this.#stop.now);
    const observation = await this.#observe((seen) => ({ type: 'baseline-observed', observation: seen }), earlier);
    // Not recorded if they cannot be run, so that a resume observes again.
    checkTestsRan(this.context.spec, observation.tests);
    this.record({ type: 'baseline-observed', observation });
  }

  /** A person accepts the tests as they are now: they are run again, and what is judged next is their result. */
  async acceptTests(by: string): Promise<void> {
    const observation = await this.#observe((seen) => ({ type: 'tests-accepted', observation: seen, by }));
    this.record({ type: 'tests-accepted', observation, by });
  }

  /** What there is without an agent: the files, the tests and the probes. */
  #observe(draft: (observation: Observation) => NewEvent, earlier?: EarlierStart): Promise<Observation> {
    const { context, state } = this;
    return observeBaseline({
      context,
      cookie: `${context.runId}.0.1`,
      draft,
      seen: earlier === undefined ? {} : { earlier },
      skipCommands: this.#stop.now.aborted,
      label: state.iterations === 0 ? 'before the first iteration' : 'as they were accepted',
    });
  }

  judge(): Verdict {
    const verdict = evaluateRun(this.state);
    this.record({ type: 'verdict-reached', iteration: this.state.iterations, verdict });
    this.core.checkRecord();
    return verdict;
  }

  rest(): Promise<'rested' | 'disturbed' | 'left'> {
    return this.core.intermission.rest();
  }

  /** What lies next: a review that the decision waits for, or an iteration. */
  async iterate(): Promise<void> {
    const cause = reviewDue(this.state);
    return cause === undefined ? this.#iterate() : this.#review(cause);
  }

  async #review(cause: ReviewCause): Promise<void> {
    await this.core.lookAtSpend();
    if (this.#isUnwanted()) return;
    this.#stop.renew();
    await runReview(this.context, cause);
    await this.core.settled();
  }

  async #iterate(): Promise<void> {
    const { agent, configHash, keepSecret, record, runId, spec } = this.context;
    this.#checkFolder();
    // A prompt that cannot be read costs no iteration, unless a hook is still to write it.
    if (spec.hooks.before_iteration === undefined) loadPrompt(spec);
    await this.core.lookAtSpend();
    if (this.#isUnwanted()) return;
    const next = nextTry(this.state);
    this.#stop.renew();
    this.#overspend = undefined;
    const session = await chooseSession(this.context);
    if (this.#isUnwanted()) return;
    // From the record before it starts: the start removes the facts of the last iteration.
    const told = agent.keepsConversation === true ? toldOf(this.state) : undefined;
    const values =
      told === undefined
        ? promptValues(this.state, next.number)
        : { ...feedbackValues(this.state, next.number), left: '' };
    const cookie = `${runId}.${next.number}.${next.try}`;
    this.#desk = new ClaimDesk();
    const { key: claimKey } = this.#desk;
    keepSecret?.(CLAIM_KEY, claimKey);
    this.core.intermission.hasIterated();
    record({ type: 'iteration-started', iteration: next.number, try: next.try, cookie, session, configHash });
    // No agent works that is not on record.
    await this.core.settled();
    this.core.armTicker();
    const { ended, broken } = await attempt(
      { ...next, session, cookie, claimKey, values, told },
      { run: this.context, hooks: this.#hooks, checkFolder: this.#checkFolder },
    );
    this.#person.close();
    record({ type: 'iteration-ended', ...ended });
    this.#sessionFile.keep();
    await this.core.settled();
    const { survivors = 0 } = ended.ending ?? {};
    if (broken !== undefined) throw broken;
    if (survivors > 0) {
      const message = `${survivors} processes of the agent could not be ended: Pawl starts nothing else until they end`;
      throw new PawlError('InvalidState', message);
    }
  }

  /** Someone may have asked to stop or to pause in between, or others may have spent what was left. */
  #isUnwanted(): boolean {
    const { stop, pause } = this.state.requests;
    return stop !== undefined || pause !== undefined || liveInterrupt(this.state) !== undefined;
  }

  async end(verdict: Verdict): Promise<void> {
    const state = verdict.class === 'goal' ? 'completed' : 'stopped';
    const { class: stopClass, reasons } = verdict;
    const summary = lastWork(this.state)?.summary;
    const moment = { when: 'end', iteration: this.state.iterations, summary } as const;
    await keepBest(this.context, stopClass);
    await recordCommit(this.context, moment);
    const messages = reasons.map(({ message }) => message);
    await this.#hooks.run('on_stop', { status: state, state, class: stopClass, reasons: messages });
    this.record({ type: 'run-ended', state, class: stopClass, reasons });
  }

  /** The run itself is broken. Says so to the hooks and in the record; throws when the record does not take it. */
  async fail(message: string): Promise<void> {
    this.core.breakOff();
    await this.#hooks.runBroken(message);
    const ended = brokenIteration(this.state, message);
    if (ended !== undefined) this.record({ type: 'iteration-ended', ...ended });
    this.core.fail(message);
  }

  /** Handles one command, and says what comes of it. Throws InvalidState when the state does not allow it. */
  send(command: LoopCommand, by: string): CommandEffect {
    const refusal = refusalOf(command, this.state) ?? (command.type === 'reboot' ? this.#whyNoReboot() : undefined);
    const meant = refusal === undefined ? meantBy(command, this.state) : command;
    return this.core.send(meant, by, { refusal, onTaken: () => this.#onTaken(meant) });
  }

  /** Records what the agent of this iteration reports. Throws InvalidState when it comes from another. */
  hear(report: ClaimReport, by: string): CommandEffect {
    this.#desk.take(report, this.state);
    this.record({ type: 'claim-made', ...report.claim, by });
    this.core.checkRecord();
    return claimEffect(report);
  }

  /** Records a question of the agent of this iteration. Throws InvalidState when it comes from another, or is one too many. */
  ask(report: QuestionReport, by: string, signal: AbortSignal): Asked {
    this.#desk.take(report, this.state);
    const { id, isNew } = questionId(report.question, this.state);
    if (isNew) this.record({ type: 'question-asked', question: id, ...report.question, by });
    this.core.checkRecord();
    const { callWaitMs = DEFAULT_CALL_WAIT_MS, maxWaitMs } = this.context.spec.questions ?? {};
    return { id, effect: askEffect(maxWaitMs), answer: this.#person.wait(id, callWaitMs, signal) };
  }

  #whyNoReboot(): string | undefined {
    const { agent, spec } = this.context;
    if (agent.canResume && spec.session.mode === 'continue') return undefined;
    const why = agent.canResume ? 'session.mode is fresh' : `the agent ${agent.name} cannot continue a session`;
    return `cannot reboot: ${why}, so every iteration starts a new session`;
  }

  #onTaken(command: LoopCommand): void {
    if (command.type === 'stop') this.#end(command.now === true);
    if (command.type === 'answer') this.#answer(command.question ?? '', command.text);
    if (command.type === 'resume') this.#endPauseHook();
    if (command.type === 'skip') this.#interrupt('skip');
  }

  /** To the call that asked, if it still waits. Otherwise the next prompt carries the answer. */
  #answer(question: string, text: string): void {
    if (this.#person.give(question, text)) this.record({ type: 'answer-delivered', question });
  }

  #end(isNow: boolean): void {
    if (isNow) {
      this.#stop.endNow('operator');
      this.#hooks.cutLast();
    }
    // An agent that no one wants is not started, and one that waits for an answer would wait for ever.
    const isReviewing = this.state.review?.open !== undefined;
    if (isBeforeAgent(this.state) || waitingOf(this.state)?.for === 'answer' || isReviewing)
      this.#interrupt('operator');
    this.#endPauseHook();
  }

  /** No one waits for what a run does because it pauses. */
  #endPauseHook(): void {
    if (this.state.hook === 'on_pause') this.#hooks.cutShort();
  }

  #onRecorded(event: NewEvent): void {
    if (!LIVE_EVENTS.has(event.type) || hasEnded(this.state)) return;
    if (event.type === 'usage-reported' && this.#overspend?.isSpentOn(event, this.state.spend) === true) {
      this.#stop.killAgent();
    }
    const why = liveInterrupt(this.state);
    if (why !== undefined) this.#interrupt(why);
  }

  /** Ends what is going on; the loop then judges. */
  #interrupt(why: Interrupt): void {
    if (why === 'budget' && !this.#stop.agent.aborted) this.#overspend = new Overspend(this.state.spend);
    if (why === 'skip' || isBeforeAgent(this.state)) this.#hooks.cutShort();
    if (why === 'skip') return this.#stop.endAgent(why);
    if (why === 'broken') this.#stop.endNow(why);
    else this.#stop.endRun(why);
    this.core.intermission.disturb();
  }
}

type UsageReport = Extract<NewEvent, { readonly type: 'usage-reported' }>;

/** Whether an agent continues asking its model after it was told to end because of what it spends. */
export class Overspend {
  readonly #underWay: ReadonlySet<string>;
  readonly #before: SpendAccount;

  /** As the account is when the agent is told. */
  constructor(account: SpendAccount) {
    this.#underWay = openRequestIds(account);
    this.#before = account;
  }

  /** A request that was under way may end, and a turn may be summed up: nothing of that was begun again. */
  isSpentOn({ scope, id }: UsageReport, account: SpendAccount): boolean {
    if (scope === 'turn' || (id !== undefined && this.#underWay.has(id))) return false;
    const [before, now] = [totalSpend(this.#before), totalSpend(account)];
    return isMore(now.costUsd, before.costUsd) || isMore(now.totalTokens, before.totalTokens);
  }
}

function isMore(now: number | undefined, before: number | undefined): boolean {
  return (now ?? 0) > (before ?? 0);
}

/** Why what continues now has to end at once; undefined when nothing has to. Whatever does also ends the run. */
export function liveInterrupt(state: RunState): Interrupt | undefined {
  const { stop, class: stopClass, reasons } = evaluateLive(state.policy, factsOf(state));
  if (!stop) return undefined;
  // A review decides before a condition that has failed: it must not be cut short by one, again and again.
  if (openIteration(state) === undefined && !evaluateRun(state).stop) return undefined;
  if (stopClass === 'operator' || stopClass === 'failure') return stopClass;
  return reasons.some(({ condition }) => condition !== undefined && isAboutSpend(condition)) ? 'budget' : 'limit';
}

function isAboutSpend(condition: StopCondition): boolean {
  return CONDITION_CATALOG[condition.type].spend === true || childrenOf(condition).some(isAboutSpend);
}
