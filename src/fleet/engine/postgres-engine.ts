import { commandsRecorded, toldRuns, waitingCommands, wishOf } from '../commands.js';
import { batchSpend } from '../batch-budget.js';
import type { Fleet } from '../open-fleet.js';
import { openPostgresJournal } from '../postgres-journal.js';
import { findPushedWork } from '../pushed-work.js';
import { RunTrouble } from '../run-trouble.js';
import { claimRun, releaseRun } from './claim.js';
import type { ClaimedRun, EngineWorker, FleetEngine, RunRecords } from './engine.js';
import { submitDue } from '../schedules.js';
import { reconcile } from './reconcile.js';

/** A fleet whose runs and records are in Postgres. Whoever made the connection closes it. */
export class PostgresEngine implements FleetEngine {
  readonly #fleet: Fleet;
  #worker: EngineWorker | undefined;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async open(worker: EngineWorker): Promise<void> {
    this.#worker = worker;
    await this.#seen();
  }

  async claim(): Promise<ClaimedRun | undefined> {
    return this.#worker === undefined ? undefined : claimRun(this.#fleet, this.#worker);
  }

  async touch(runs: readonly ClaimedRun[], withinMs: number): Promise<ReadonlySet<string>> {
    const { query } = this.#fleet;
    const inTime: typeof query = (text, values) => query(text, values, withinMs);
    const ours = await this.#fleet.jobs.touch(
      inTime,
      runs.map(({ job }) => job),
    );
    await this.#seen(withinMs);
    return new Set(runs.flatMap(({ id, job }) => (ours.has(job.id) ? [id] : [])));
  }

  /** For whoever looks at the fleet: nothing is decided by it. */
  async #seen(withinMs?: number): Promise<void> {
    if (this.#worker === undefined) return;
    const { id, host, pid, slots, labels } = this.#worker;
    await this.#fleet.query(
      `insert into pawl.workers (id, host, pid, slots, labels) values ($1, $2, $3, $4, $5)
       on conflict (id) do update set seen_at = now()`,
      [id, host, pid, slots, labels],
      withinMs,
    );
  }

  told(runs: readonly ClaimedRun[]): Promise<readonly string[]> {
    return toldRuns(
      this.#fleet,
      runs.map(({ id }) => id),
    );
  }

  release(run: ClaimedRun, to: Parameters<FleetEngine['release']>[1]): Promise<boolean> {
    return releaseRun(this.#fleet, run, to);
  }

  recordsOf(run: ClaimedRun): RunRecords {
    const { id, epoch, claim, batch } = run;
    const database = this.#fleet;
    const trouble = new RunTrouble(database, run);
    return {
      openJournal: (options) => openPostgresJournal(database, { runId: id, epoch, claim, ...options }),
      pushedWork: () => findPushedWork(database.query, id),
      wish: () => wishOf(database, id),
      commands: () => waitingCommands(database, id, epoch),
      commandsRecorded: (ids) => commandsRecorded(database, ids),
      batchSpend: async (others) =>
        batch === undefined ? undefined : batchSpend(database, batch, others ? id : undefined),
      tell: (message) => trouble.tell(message),
    };
  }

  async tend(): Promise<readonly string[]> {
    return [...(await reconcile(this.#fleet)), ...(await submitDue(this.#fleet))];
  }

  async close(): Promise<void> {
    await this.#fleet.query('delete from pawl.workers where id = $1', [this.#worker?.id]).catch(() => undefined);
  }
}
