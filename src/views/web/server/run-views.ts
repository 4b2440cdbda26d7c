import { statusNow } from '../../../model/outcome.js';
import { findHolders } from '../../../journal/find-holders.js';
import type { Environment } from '../../../journal/run-places.js';
import type { RunState } from '../../../model/run-state.js';
import { NOTHING_RECORDED } from '../../../app/read-record.js';
import type { Liveness, ViewedRun } from '../wire/api.js';
import { type ShownFleet, wasWord } from './fleet-rows.js';
import { FoldedRun } from './folded-run.js';
import { policyText } from './policy-text.js';
import type { IndexedRun } from './run-index.js';
import { homeShort } from './run-row.js';

const MOST_KEPT = 16;
const KEPT_MS = 60_000;

interface Kept {
  readonly folded: FoldedRun;
  lastMs: number;
  /** How many look at it now. */
  readers: number;
}

/** The runs that someone looks at, folded; forgotten a minute after the last look. */
export class RunViews {
  readonly #environment: Environment;
  readonly #fleet: ShownFleet | undefined;
  readonly #kept = new Map<string, Kept>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(environment: Environment, fleet?: ShownFleet) {
    this.#environment = environment;
    this.#fleet = fleet;
    this.#sweeper = setInterval(() => this.#forget(), KEPT_MS / 4).unref();
  }

  /** Gives the fold to who uses it, and keeps it meanwhile. */
  async use<T>({ journalPath }: IndexedRun, look: (folded: FoldedRun) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(journalPath) ?? { folded: new FoldedRun(journalPath), lastMs: 0, readers: 0 };
    // The last one used stands last.
    this.#kept.delete(journalPath);
    this.#kept.set(journalPath, kept);
    kept.readers += 1;
    this.#forget();
    try {
      return await look(kept.folded);
    } finally {
      kept.readers -= 1;
      kept.lastMs = performance.now();
    }
  }

  viewed(run: IndexedRun): Promise<ViewedRun> {
    return this.use(run, async (folded) => {
      await folded.catchUp();
      const isLive = this.isLive(run);
      const { view } = folded;
      const isEmpty = view.state.seq === 0 && !isLive;
      const broken = (await folded.problem(isLive)) ?? (isEmpty ? NOTHING_RECORDED : undefined);
      const problem = broken ?? (isLive ? this.#awayFrom(run) : undefined);
      return {
        runId: run.runId,
        ...this.#stands(run, view.state),
        view,
        project: homeShort(run.workingDir, this.#environment),
        workingDir: run.workingDir,
        folder: run.folder,
        ...(problem === undefined ? {} : { problem }),
        policyText: policyText(view.state.policy),
      };
    });
  }

  async liveness(run: IndexedRun, folded: FoldedRun): Promise<Liveness> {
    await folded.catchUp();
    return this.#stands(run, folded.view.state);
  }

  /** No one knows what continues behind a copy that is not current. */
  #stands(run: IndexedRun, state: RunState): Liveness {
    const isLive = this.isLive(run);
    const status = statusNow(state, isLive);
    return isLive && this.#awayFrom(run) !== undefined
      ? { isLive: false, status: wasWord(status) }
      : { isLive, status };
  }

  #awayFrom({ workingDir }: IndexedRun): string | undefined {
    return workingDir === this.#fleet?.folder ? this.#fleet.glance().problem : undefined;
  }

  /** Whether someone writes it; no one does where its folder is gone. */
  isLive({ runId, workingDir }: IndexedRun): boolean {
    try {
      return findHolders(workingDir, this.#environment).some((holder) => holder.runId === runId);
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(all.map(({ folded }) => folded.close()));
  }

  #forget(): void {
    const now = performance.now();
    for (const [path, { folded, lastMs, readers }] of this.#kept) {
      if (readers > 0 || (this.#kept.size <= MOST_KEPT && now - lastMs < KEPT_MS)) continue;
      this.#kept.delete(path);
      void folded.close().catch(() => undefined);
    }
  }
}
