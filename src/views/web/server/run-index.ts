import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FleetGlance } from '../../../fleet/follow-fleet.js';
import type { FleetRun } from '../../../fleet/fleet-status.js';
import { notedProjects, SNAPSHOT_NAME } from '../../../journal/run-places.js';
import { idleStamp, type ListedRun, listRunsBy, recordsIn } from '../../../journal/list-runs.js';
import { recordingOf } from '../../../import/import-recordings.js';
import { type History, historyOf } from '../../../model/history.js';
import { messageOf } from '../../../model/errors.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import type { Surroundings } from '../../../app/surroundings.js';
import { readLatest } from '../../../app/read-record.js';
import type { MetricsRow } from '../metrics/metrics-row.js';
import type { RunList, RunRow } from '../wire/api.js';
import { Breather } from './breather.js';
import { type ShownFleet, withFleetRows } from './fleet-rows.js';
import { Projects } from './look-at-projects.js';
import { homeShort, type ShownRun, shownRun } from './run-row.js';
import { fileStamp, readSmallSnapshot, type RememberedSnapshot, SnapshotSummaries } from './snapshot-summaries.js';

const FRESH_MS = 900;
/** Looking takes at most this part of the time, and what is shown is not older than that. */
const SHARE = 10;
const OLDEST_MS = 6000;
/** How long the runs are not read again while no folder shows a change. */
const IDLE_MS = 30_000;

export type IndexedRun = ListedRun<RememberedSnapshot>;

interface Indexed {
  readonly run: IndexedRun;
  readonly shown: ShownRun;
  readonly stamp: string;
  /** A record that takes long to read is not read again all the time. */
  readonly goodUntilMs: number;
}

/** The runs of all projects. Nothing is inspected unless someone asks, and nothing is read that has not changed. */
export class RunIndex {
  readonly #context: Surroundings;
  readonly #folders: readonly string[];
  readonly #nowMs: () => number;
  readonly #fleet: ShownFleet | undefined;
  readonly #glances: SnapshotSummaries;
  readonly #projects = new Projects();
  #known = new Map<string, Indexed>();
  #list: RunList = { runs: [], problems: [] };
  #looking: Promise<void> | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  /** Of the projects when all runs were read last; undefined while someone writes. */
  #idleStamp: string | undefined;
  #idleUntilMs = Number.NEGATIVE_INFINITY;

  /** `folders`: where the dashboard was started, and others that no one has noted. */
  constructor(
    folders: string | readonly string[],
    context: Surroundings,
    nowMs: () => number = () => performance.now(),
    fleet?: ShownFleet,
  ) {
    this.#folders = [...[folders].flat(), ...(fleet === undefined ? [] : [fleet.folder])];
    this.#fleet = fleet;
    this.#context = context;
    this.#glances = new SnapshotSummaries(context);
    this.#nowMs = nowMs;
  }

  /** The list as it was a second ago at most. Rows that have not changed are the same objects. */
  async list(): Promise<RunList> {
    if (this.#nowMs() >= this.#freshUntilMs) await this.#lookOnce();
    return this.#list;
  }

  /** The figures of all runs, as fresh as the list. */
  async metrics(): Promise<readonly MetricsRow[]> {
    await this.list();
    const isAway = this.#fleet?.glance().problem !== undefined;
    // No one knows the figures of a run behind a copy that is not current.
    const isCurrent = ({ run, shown }: Indexed) => !(isAway && shown.row.isLive && this.#isOfFleet(run));
    return [...this.#known.values()].filter(isCurrent).map(({ shown }) => shown.metrics);
  }

  /** What all runs have used, as fresh as the list. Another tool ran what was imported, in a folder of its own. */
  async history(): Promise<History> {
    await this.list();
    const runs = [...this.#known.values()].map(({ run, shown: { history, row } }) => {
      const recorded = row.kind === 'imported' ? recordingOf(run.folder) : undefined;
      return recorded === undefined ? history : { ...history, project: recorded.folder ?? 'unknown' };
    });
    return historyOf(runs);
  }

  /** Where a run is; undefined when there is none of that id. */
  async find(runId: string): Promise<IndexedRun | undefined> {
    const known = this.#known.get(runId);
    const isThere = known !== undefined && fileStamp(known.run.journalPath) !== undefined;
    if (isThere) return known.run;
    await this.#looking;
    if ((this.unrecorded(runId)?.lastSeq ?? 0) > 0) await this.#fleet?.copy(runId);
    await this.#lookOnce();
    return this.#known.get(runId)?.run;
  }

  /** What the fleet says of a run whose record is not here. */
  unrecorded(runId: string): FleetRun | undefined {
    return this.#known.has(runId) ? undefined : this.#fleet?.glance().rows.find(({ id }) => id === runId);
  }

  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    const startedMs = this.#nowMs();
    const folders = new Set([...this.#folders, ...notedProjects(this.#context.environment)]);
    const { there, problems } = await this.#projects.look([...folders], this.#context.environment);
    const stamp = this.#stampOf(there, problems);
    if (stamp !== undefined && stamp === this.#idleStamp && startedMs < this.#idleUntilMs) {
      this.#freshUntilMs = startedMs + FRESH_MS;
      return;
    }
    const found = new Map<string, Indexed>();
    const failed: string[] = [];
    const breather = new Breather();
    for (const folder of there) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one project after the other, others have their turn
        for (const run of await this.#runsOf(folder, breather)) {
          // A worktree is a project of its own, and part of its repository.
          // oxlint-disable-next-line no-await-in-loop -- as above
          if (!found.has(run.runId)) found.set(run.runId, await this.#indexed(run));
        }
      } catch (error) {
        failed.push(`${homeShort(folder, this.#context.environment)}: ${systemErrorWords(messageOf(error))}`);
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await breather.breathe();
    }
    this.#glances.forgetUnseen();
    this.#known = found;
    const glance = this.#fleet?.glance();
    const away =
      glance?.problem === undefined ? [] : [`${glance.problem}; the runs of the fleet are shown as they were`];
    this.#list = {
      runs: sorted(this.#rowsOf([...found.values()], glance)),
      problems: [...problems, ...failed, ...away],
    };
    const now = this.#nowMs();
    this.#idleStamp = stamp;
    this.#idleUntilMs = now + IDLE_MS;
    this.#freshUntilMs = now + Math.min(OLDEST_MS, Math.max(FRESH_MS, SHARE * (now - startedMs)));
  }

  /** The copies of a fleet's records change without a trace in their folder. */
  #stampOf(folders: readonly string[], problems: readonly string[]): string | undefined {
    if (this.#fleet !== undefined) return undefined;
    try {
      const stamps = folders.map((folder) => idleStamp(folder, this.#context.environment));
      return stamps.includes(undefined) ? undefined : [...problems, ...stamps].join('\n');
    } catch {
      return undefined;
    }
  }

  #rowsOf(found: readonly Indexed[], glance: FleetGlance | undefined): readonly RunRow[] {
    if (glance === undefined) return found.map(({ shown }) => shown.row);
    const own = found.filter(({ run }) => !this.#isOfFleet(run)).map(({ shown }) => shown.row);
    const recorded = found.filter(({ run }) => this.#isOfFleet(run)).map(({ shown }) => shown.row);
    return [...own, ...withFleetRows(recorded, glance, this.#context.now())];
  }

  #isOfFleet({ workingDir }: IndexedRun): boolean {
    return workingDir === this.#fleet?.folder;
  }

  /** What is new is read here already, so that the list itself only has to look. */
  async #runsOf(folder: string, breather: Breather): Promise<readonly IndexedRun[]> {
    for (const [, record] of recordsIn(folder, this.#context.environment)) {
      this.#glances.read(join(record, SNAPSHOT_NAME));
      const rest = breather.breathe();
      // oxlint-disable-next-line no-await-in-loop -- others have their turn
      if (rest !== undefined) await rest;
    }
    return listRunsBy(this.#glances.read, folder, this.#context.environment);
  }

  async #indexed(run: IndexedRun): Promise<Indexed> {
    const { runId, workingDir, snapshot, holder, journalPath } = run;
    const ready = holder === undefined ? snapshot?.ended : snapshot?.live;
    const known = this.#known.get(runId);
    const stamp = [workingDir, holder?.nonce, snapshot?.stamp, ready ? '' : fileStamp(journalPath)].join('|');
    if (known?.stamp === stamp) return { ...known, run };
    if (ready !== undefined) return { run, shown: ready, stamp, goodUntilMs: 0 };
    if (known !== undefined && this.#nowMs() < known.goodUntilMs) return { ...known, run };
    const startedMs = this.#nowMs();
    const shown = await this.#read(run);
    const now = this.#nowMs();
    return { run, shown, stamp, goodUntilMs: now + SHARE * (now - startedMs) };
  }

  /** From the journal: it has not ended and no process writes it, or there is no `state.json` that can be used. */
  async #read(run: IndexedRun): Promise<ShownRun> {
    const breather = new Breather();
    const { runId, workingDir, folder, holder } = run;
    const source = { runId, workingDir, isLive: holder !== undefined };
    const snapshot = readSmallSnapshot(join(folder, SNAPSHOT_NAME));
    const { state, problem, isDamaged } = await readLatest({ ...run, snapshot }, () => breather.breathe());
    return shownRun({ ...source, state, problem, isDamaged }, this.#context);
  }
}

/** Live ones first, then the newest; an id begins with its time. */
function sorted(rows: readonly RunRow[]): readonly RunRow[] {
  const timeOf = ({ runId }: RunRow) => runId.slice(runId.indexOf('_') + 1);
  return rows.toSorted((a, b) => Number(b.isLive) - Number(a.isLive) || (timeOf(a) < timeOf(b) ? 1 : -1));
}

/** Until the next look, or until no one wants it. */
export async function betweenLooks(signal: AbortSignal): Promise<void> {
  await pause(1000, undefined, { signal, ref: false }).catch(() => undefined);
}
