import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../model/errors.js';
import { isTerminal } from '../model/loop-state.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { isStoppedBySystem } from '../model/stopped-by-system.js';
import { createSpecRun } from '../run/loop-runner.js';
import type { RunHandle } from '../run/run-handle.js';
import { batchStop } from './batch-budget.js';
import { takeCommands } from './commands.js';
import type { Database } from './database.js';
import { mayPass } from './database-error.js';
import type { ClaimedRun, ReleaseTo, Wish } from './fleet-queue.js';
import { LeaseLost } from './lease.js';
import { openPostgresJournal, type PostgresJournal } from './postgres-journal.js';
import { outcomeOf } from './run-outcome.js';
import { SupersededError } from './superseded-error.js';
import { specOf } from './submitted-spec.js';
import { withoutCredentials } from './repository-name.js';
import { openWorkspace, type Workspace } from './workspace.js';
import { WorkspaceFailed } from './workspace-failed.js';
import { PushRefused, WorkPublisher } from './work-publisher.js';

export interface WorkerSetting {
  readonly database: Database;
  /** Holds the mirrors and the working trees. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The lease is lost: nothing of a run may go on. */
  readonly lost: AbortSignal;
  /** Resolves when the lease is held right now. */
  readonly prove: () => Promise<void>;
  readonly onWarning: (message: string) => void;
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
  /** The branch has gone on without us: the run begins again at its tip. */
  readonly #refused = new AbortController();
  readonly #stop: AbortSignal;
  /** Nobody waits any longer for a remote that cannot be reached. */
  readonly #givesUp = new AbortController();
  #isPublishing = false;
  /** What is in the tree is nowhere else. */
  #keepsTree = false;
  #handle: RunHandle | undefined;
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
    // Whoever waits for a remote is not waited for.
    if (now && this.#isPublishing) this.#refused.abort(new Error('the worker ends'));
    if (now) void this.#handle?.send({ type: 'skip' }, 'the worker, which ends').catch(() => undefined);
  }

  /** Somebody has said something to the run, or wishes something of it. */
  async listen(): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined || this.#stop.aborted) return;
    const { database, onWarning } = this.#setting;
    const { id, epoch } = this.run;
    const [row] = await database.query<{ wish: Wish | null }>('select wish from pawl.runs where id = $1', [id]);
    if (row?.wish === 'cancel') await this.#cancel(handle);
    if (row?.wish === 'pause') this.leave();
    for (const { command, by } of await takeCommands(database, id, epoch)) {
      // oxlint-disable-next-line no-await-in-loop -- in the order in which they were given
      await handle.send(command, by).catch((error: unknown) => onWarning(`${id}: ${messageOf(error)}`));
    }
  }

  /** Once: a wish stays in the row. */
  async #cancel(handle: RunHandle): Promise<void> {
    if (this.#givesUp.signal.aborted) return;
    this.#givesUp.abort(new Error('the run is cancelled before its work could be pushed'));
    await handle.send({ type: 'stop', now: true }, 'pawl fleet cancel').catch(() => undefined);
  }

  async #work(): Promise<ReleaseTo | undefined> {
    const { database, lost, onWarning } = this.#setting;
    const { id, epoch } = this.run;
    const journal = await openPostgresJournal(database, {
      runId: id,
      epoch,
      giveUp: AbortSignal.any([lost, this.#refused.signal]),
      onRetry: (error) => onWarning(`${id}: ${messageOf(error)}; it is tried again`),
    });
    journal.onBroken((error) => this.#broken.abort(error));
    try {
      return hasEnded(journal.state) ? endedAs(journal.state) : await this.#goOn(journal);
    } finally {
      await journal.close().catch((error: unknown) => this.#broken.abort(error));
    }
  }

  async #goOn(journal: PostgresJournal): Promise<ReleaseTo | undefined> {
    if (this.run.wish === 'cancel') return cancelled(journal);
    const spent = await batchStop(this.#setting.database, this.run.batch);
    if (spent !== undefined)
      return { state: 'ended', outcome: { status: 'stopped', class: 'limit', reasons: [spent] } };
    const { home, environment } = this.#setting;
    const { id: runId, epoch, repository, base } = this.run;
    const workspace = await openWorkspace({ home, repository, base, runId, epoch, environment, signal: this.#stop });
    try {
      return await this.#drive(journal, workspace);
    } finally {
      const { error } = this.#keepsTree ? await keepTree(workspace, home) : await workspace.remove();
      if (error !== undefined) this.#setting.onWarning(`${runId}: ${error}`);
    }
  }

  async #drive(journal: PostgresJournal, workspace: Workspace): Promise<ReleaseTo | undefined> {
    const { environment, prove, onWarning } = this.#setting;
    const { id, epoch, repository, wasLeft } = this.run;
    const { path, branch } = workspace;
    const worktree = { path, branch, repository: withoutCredentials(repository) };
    const spec = specOf(this.run.spec, worktree, join(dirname(path), 'submitted'));
    const givesUp = this.#givesUp.signal;
    const publisher = new WorkPublisher({ workspace, environment, signal: this.#stop, givesUp, onWarning });
    const handle = createSpecRun(
      spec,
      {
        journal,
        environment,
        wasLeft,
        mostCrashes: MOST_CRASHES,
        commitTrailers: { 'Pawl-Epoch': String(epoch) },
        publishWork: () => this.#publish(publisher),
        onWarning: (message) => onWarning(`${id}: ${message}`),
      },
      id,
    );
    this.#handle = handle;
    handle.subscribe((event) => this.#saw(event, journal));
    await prove();
    if (this.#left !== undefined) return this.#left;
    const running = handle.run({ signal: this.#stop });
    void this.listen().catch(() => undefined);
    const { state } = await running;
    this.#handle = undefined;
    if (this.#stop.aborted) return this.#cutOff();
    await journal.synced();
    return isTerminal(state.status) ? endedAs(state) : (this.#left ?? { state: 'queued' });
  }

  #saw(event: RunEvent, journal: PostgresJournal): void {
    if (event.type === 'work-committed' && event.error !== undefined) this.#keepsTree = true;
    if (event.type === 'waiting-started') void this.#waits(event.until, journal);
    if (event.type === 'usage-reported' || event.type === 'iteration-ended') void this.#lookAtBatch(journal);
  }

  /** Nobody holds a place who only waits, unless somebody has said meanwhile that there is nothing to wait for. */
  async #waits(until: string | undefined, journal: PostgresJournal): Promise<void> {
    if (until !== undefined && Date.parse(until) - Date.now() < SHORT_WAIT_MS) return;
    await this.listen().catch(() => undefined);
    if (journal.state.status !== 'waiting') return;
    this.#left = { state: 'waiting', notBefore: until === undefined ? undefined : new Date(until) };
    this.#handle?.leave();
  }

  /** What the others spend counts, too: it is looked at as soon as this run's own spend is on record. */
  async #lookAtBatch(journal: PostgresJournal): Promise<void> {
    if (this.run.batch === undefined) return;
    try {
      await journal.synced();
      const spent = await batchStop(this.#setting.database, this.run.batch);
      if (spent !== undefined) await this.#handle?.send({ type: 'stop', now: true }, spent);
    } catch {
      // A run that cannot look is about to lose its lease, or has ended.
    }
  }

  async #publish(publisher: WorkPublisher): Promise<void> {
    this.#isPublishing = true;
    try {
      await publisher.publish();
    } catch (error) {
      this.#setting.onWarning(`${this.run.id}: ${messageOf(error)}`);
      if (error instanceof PushRefused && !error.isRewritten) this.#refused.abort(error);
      throw this.#givesUp.signal.aborted ? this.#givesUp.signal.reason : error;
    } finally {
      this.#isPublishing = false;
    }
  }

  /** Where a run goes of which nothing more is recorded here. */
  #cutOff(): ReleaseTo | undefined {
    return this.#refused.signal.aborted && !this.#setting.lost.aborted ? { state: 'queued' } : undefined;
  }

  #failed(error: unknown): ReleaseTo | undefined {
    const { onWarning } = this.#setting;
    const message = messageOf(error);
    if (this.#stop.aborted) return this.#cutOff();
    onWarning(`${this.run.id}: ${message}`);
    if (error instanceof SupersededError || error instanceof LeaseLost) return undefined;
    // A database that went away says nothing about the run.
    if (mayPass(error)) return { state: 'queued' };
    const isPassing = error instanceof WorkspaceFailed && ['unreachable', 'local', 'damaged'].includes(error.kind);
    if (isPassing) return { state: 'waiting', notBefore: new Date(Date.now() + RETRY_MS) };
    return { state: 'ended', outcome: { status: 'error', error: message } };
  }
}

/** Out of the way of those who clear up. */
async function keepTree({ path }: Workspace, home: string): Promise<{ readonly error: string }> {
  const kept = join(home, 'kept', basename(dirname(path)));
  try {
    await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
    await rename(dirname(path), kept);
    return { error: `what could not be committed is kept in ${kept}` };
  } catch (error) {
    return { error: `what could not be committed is left in ${path}: ${messageOf(error)}` };
  }
}

function hasEnded(state: RunState): boolean {
  return isTerminal(state.status) && !isStoppedBySystem(state);
}

function endedAs(state: RunState): ReleaseTo {
  return { state: 'ended', outcome: outcomeOf(state) };
}

async function cancelled(journal: PostgresJournal): Promise<ReleaseTo> {
  if (journal.state.seq === 0) return { state: 'ended', outcome: { status: 'stopped', class: 'operator' } };
  journal.append({ type: 'command-received', command: { type: 'stop', now: true }, by: 'pawl fleet cancel' }, 0);
  journal.append({ type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] }, journal.state.activeMs);
  await journal.synced();
  return endedAs(journal.state);
}
