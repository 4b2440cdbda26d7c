import { dirname, join } from 'node:path';
import { messageOf, PawlError } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { endOf, hasEnded, isStoppedBySystem, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { createSpecRun, type RunHandle } from '../run/run-handle.js';
import { batchStop, withBatchBudget } from './batch-budget.js';
import { CommandInbox } from './command-inbox.js';
import { mayPass } from './database-error.js';
import { cancelled, endRecord } from './end-record.js';
import type { ClaimedRun, FleetJournal, ReleaseTo, RunRecords } from './engine/engine.js';
import { ClaimLost } from './engine/heartbeat.js';
import { isHomeFit } from './is-home-fit.js';
import { leaveClone } from '../workspace/leave-clone.js';
import { outcomeOf } from './run-outcome.js';
import { SupersededError } from './superseded-error.js';
import { tooLate } from './too-late.js';
import { specOf } from './submitted-spec.js';
import { withoutCredentials } from '../workspace/repository-name.js';
import { openClone, type RunClone } from '../workspace/clone.js';
import { CloneFailed } from '../workspace/clone-failed.js';
import { PushFailed, PushRefused, WorkPublisher } from '../workspace/work-publisher.js';

export interface WorkerSetting {
  readonly records: RunRecords;
  /** Holds the mirrors and the working trees. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  /** The claim is lost: nothing of the run may go on. */
  readonly lost: AbortSignal;
  /** Resolves when the claim is held right now. */
  readonly prove: () => Promise<void>;
  readonly onWarning: (message: string) => void;
  /** This machine itself keeps runs from being begun. */
  readonly onUnfit: () => void;
}

/** A shorter wait is not worth another worker's start. */
const SHORT_WAIT_MS = 10_000;
const RETRY_MS = 60_000;
/** Workers die for reasons of their own: it takes more of them until the run is to blame. */
const MOST_CRASHES = 10;

/** One claimed run, for as long as this worker has it. */
export class RunOnWorker {
  /** Where the run goes now; undefined when it is another's. Never rejects. */
  readonly done: Promise<ReleaseTo | undefined>;
  readonly run: ClaimedRun;
  readonly #setting: WorkerSetting;
  /** Nothing more can be recorded. */
  readonly #broken = new AbortController();
  readonly #stop: AbortSignal;
  #isCancelled = false;
  /** The worker ends: nobody waits for an iteration. */
  readonly #hurry = new AbortController();
  /** Ends a push that is under way then. */
  readonly #letGo = new AbortController();
  #isPublishing = false;
  /** Why what is in the tree is on no branch, although the run goes on. */
  #lost: { readonly lost: string } | undefined;
  /** What is in the tree is nowhere else. */
  #keepsTree = false;
  #handle: RunHandle | undefined;
  /** Its run has come to its end, or rests. */
  #isOver = false;
  #inbox: CommandInbox | undefined;
  /** Why it leaves. */
  #left: ReleaseTo | undefined;

  constructor(run: ClaimedRun, setting: WorkerSetting) {
    this.run = run;
    this.#setting = setting;
    this.#stop = AbortSignal.any([setting.lost, this.#broken.signal]);
    this.done = this.#work().catch((error: unknown) => this.#failed(error));
  }

  /** Lets go of the run between two iterations; `now` does not wait for the end of the one under way. */
  leave(now = false): void {
    this.#left ??= { state: 'queued' };
    this.#handle?.leave();
    // Before it has begun there is nothing to wait for but a clone.
    if (now || (this.#handle === undefined && !this.#isOver)) this.#hurry.abort();
    // Whoever waits for a remote is not waited for.
    if (now && this.#isPublishing) this.#letGo.abort();
    else if (now) void this.#handle?.send({ type: 'skip' }, 'the worker, which ends').catch(() => undefined);
  }

  /** Somebody has said something to the run, or wishes something of it. */
  async listen(): Promise<void> {
    if (this.#stop.aborted || this.#isOver) return;
    const wish = await this.#setting.records.wish();
    const handle = this.#handle;
    // It has not begun here, and a clone may take long: whoever takes it next, or nobody, does what is wished.
    if (handle === undefined && wish !== undefined) this.leave();
    if (handle === undefined) return;
    if (wish === 'cancel') await this.#cancel(handle);
    if (wish === 'pause') this.leave();
    await this.#inbox?.look();
  }

  /** Once: a wish stays in the row. */
  async #cancel(handle: RunHandle): Promise<void> {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    await handle.send({ type: 'stop', now: true }, 'pawl fleet cancel').catch(() => undefined);
  }

  async #work(): Promise<ReleaseTo | undefined> {
    const { records, lost, onWarning } = this.#setting;
    const { id } = this.run;
    const journal = await records.openJournal({
      giveUp: lost,
      onRetry: (error) => onWarning(`${id}: ${messageOf(error)}; it is tried again`),
    });
    journal.onBroken((error) => this.#broken.abort(error));
    try {
      return hasEnded(journal.state) ? endedAs(journal.state) : await this.#goOn(journal);
    } finally {
      await journal.close().catch((error: unknown) => this.#broken.abort(error));
    }
  }

  async #goOn(journal: FleetJournal): Promise<ReleaseTo | undefined> {
    const { records, home, environment } = this.#setting;
    if (this.run.wish === 'cancel') return cancelled(journal);
    // One that has begun is judged by its policy, and its record tells of it.
    const spent = journal.state.seq === 0 ? await batchStop(records.batchSpend, this.run.batch) : undefined;
    if (spent !== undefined)
      return { state: 'ended', outcome: { status: 'stopped', class: 'limit', reasons: [spent] } };
    const { id: runId, epoch, repository, base } = this.run;
    const signal = AbortSignal.any([this.#stop, this.#hurry.signal]);
    const pushed = await records.pushedWork();
    const place = { home, repository, base, pushed, runId, epoch, environment, signal };
    const clone = await openClone(place).catch((error: unknown) => endRecord(journal, error));
    let kept: string | undefined;
    let to: ReleaseTo | undefined;
    try {
      to = await this.#drive(journal, clone);
    } finally {
      // Of a run that is another's nothing is kept: it is done again.
      const holds = this.#keepsTree ? 'work' : this.#stop.aborted ? 'nothing' : 'unknown';
      const left = await leaveClone(clone, home, holds);
      if (left.error !== undefined) this.#setting.onWarning(`${runId}: ${left.error}`);
      kept = left.kept;
    }
    return to?.state === 'ended' && kept !== undefined ? { ...to, outcome: { ...to.outcome, kept } } : to;
  }

  async #drive(journal: FleetJournal, clone: RunClone): Promise<ReleaseTo | undefined> {
    const { records, environment, prove, onWarning } = this.#setting;
    const { id, epoch, repository, wasLeft } = this.run;
    const { path, branch } = clone;
    const worktree = { path, branch, repository: withoutCredentials(repository) };
    const submitted = specOf(this.run.spec, worktree, join(dirname(path), 'submitted'), environment);
    const shared = { spend: records.batchSpend, batch: this.run.batch, signal: this.#stop };
    const { spec, batch } = await withBatchBudget(submitted, shared);
    const publisher = this.#publisherOf(clone);
    const handle = createSpecRun(
      spec,
      {
        journal,
        environment,
        // For its agent, which reports and asks through `pawl mcp`.
        control: true,
        host: {
          batch,
          wasLeft,
          mostCrashes: MOST_CRASHES,
          commitTrailers: { 'Pawl-Epoch': String(epoch) },
          commitsSince: clone.start,
          leaving: this.#hurry.signal,
          publishWork: (ending) => this.#publish(publisher, ending),
        },
        onWarning: (message) => onWarning(`${id}: ${message}`),
      },
      id,
    );
    this.#inbox = new CommandInbox({ runId: id, records, handle, journal, onWarning });
    handle.subscribe((event) => this.#saw(event, journal));
    await prove();
    if (this.#left !== undefined) return this.#left;
    // Before it runs it would refuse what it is told.
    this.#handle = handle;
    const running = handle.run({ signal: this.#stop });
    void this.#leavesIfPaused(journal);
    const { state } = await running;
    this.#isOver = true;
    this.#handle = undefined;
    if (this.#stop.aborted) return undefined;
    await journal.synced();
    // Whoever tells of the end does so in the tree, which goes next.
    await handle.notified(this.#stop);
    return isOver(state) ? endedAs(state) : (this.#left ?? { state: 'queued' });
  }

  #saw(event: RunEvent, journal: FleetJournal): void {
    if (event.type === 'work-committed' && event.error !== undefined) this.#keepsTree = true;
    if (event.type === 'waiting-started') void this.#waits(event.until, journal);
    if (event.type === 'paused') void this.#leavesIfPaused(journal);
  }

  /** Nobody holds a place who only waits, unless somebody has said meanwhile that there is nothing to wait for. */
  async #waits(until: string | undefined, journal: FleetJournal): Promise<void> {
    if (until !== undefined && Date.parse(until) - this.#setting.now() < SHORT_WAIT_MS) return;
    await this.listen().catch(() => undefined);
    if (loopStateOf(journal.state) !== 'waiting') return;
    this.#left = { state: 'waiting', notBefore: until === undefined ? undefined : new Date(until) };
    this.#handle?.leave();
  }

  /** The same of one that is paused until somebody says more, by its own hook. */
  async #leavesIfPaused(journal: FleetJournal): Promise<void> {
    await this.listen().catch(() => undefined);
    if (loopStateOf(journal.state) !== 'paused') return;
    this.#left ??= { state: 'waiting' };
    this.#handle?.leave();
  }

  #publisherOf(clone: RunClone): WorkPublisher {
    const { environment, onWarning } = this.#setting;
    return new WorkPublisher({
      clone,
      environment,
      signal: AbortSignal.any([this.#stop, this.#letGo.signal]),
      onTrouble: (trouble, next) => {
        this.#setting.records.tell(trouble);
        if (trouble !== undefined) onWarning(`${this.run.id}: ${trouble}; ${next}`);
      },
    });
  }

  /** Resolves with why what was done is on no branch when the run is to go on without it, from the tip of its branch. */
  async #publish(publisher: WorkPublisher, ending: AbortSignal): Promise<{ readonly lost: string } | undefined> {
    if (this.#lost !== undefined) return this.#lost;
    this.#isPublishing = true;
    try {
      await publisher.publish(AbortSignal.any([ending, this.#hurry.signal]));
      return undefined;
    } catch (error) {
      // Of a run that is another's nothing is kept: it is done again.
      if (this.#stop.aborted) throw error;
      this.#keepsTree = true;
      const isRefused = error instanceof PushRefused && !error.isRewritten;
      const isLetGo = error instanceof PushFailed && this.#hurry.signal.aborted;
      const why = tooLate(error, isLetGo ? 'worker' : ending.reason);
      this.#setting.onWarning(`${this.run.id}: ${why}`);
      if (!isRefused && !isLetGo) throw new PawlError('InvalidState', why);
      this.leave();
      this.#lost = { lost: why };
      return this.#lost;
    } finally {
      this.#isPublishing = false;
    }
  }

  async #failed(error: unknown): Promise<ReleaseTo | undefined> {
    const { now, onWarning } = this.#setting;
    const message = messageOf(error);
    if (this.#stop.aborted) return undefined;
    if (this.#hurry.signal.aborted && error instanceof CloneFailed) return { state: 'queued' };
    onWarning(`${this.run.id}: ${message}`);
    if (error instanceof SupersededError || error instanceof ClaimLost) return undefined;
    // A database that went away says nothing about the run.
    if (mayPass(error)) return { state: 'queued' };
    const kind = error instanceof CloneFailed ? error.kind : undefined;
    if (kind === 'local' && !(await isHomeFit(this.#setting.home))) {
      // Nothing is wrong with the run: any other worker can take it at once.
      this.#setting.onUnfit();
      return { state: 'queued', trouble: message };
    }
    const isPassing = kind === 'unreachable' || kind === 'local' || kind === 'damaged';
    if (isPassing) return { state: 'waiting', notBefore: new Date(now() + RETRY_MS), trouble: message };
    return { state: 'ended', outcome: { status: 'error', error: message } };
  }
}

function isOver(state: RunState): boolean {
  return hasEnded(state) && !isStoppedBySystem(endOf(state), state.requests.stop);
}

function endedAs(state: RunState): ReleaseTo {
  return { state: 'ended', outcome: outcomeOf(state) };
}
