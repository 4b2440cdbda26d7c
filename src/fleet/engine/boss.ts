/**
 * The jobs of the fleet, kept by pg-boss in a schema of its own: who may work on a run, and since when nothing was heard of
 * him. It is the only file that reads a table of pg-boss by itself, and there only `name`, `state`, `group_id` and `singleton_key`.
 */
import type { PgBoss } from 'pg-boss';
import { ConfigError, messageOf } from '../../model/errors.js';
import type { Database, Query } from '../database.js';

const SCHEMA = 'pawl_jobs';
const RUNS = 'runs';
/** Those that were taken over a thousand times. */
const DEAD = 'runs-dead';
/** A job for each time at which something is to be submitted again. */
const SUBMISSIONS = 'submissions';
export const USUAL_HEARTBEAT_SECONDS = 30;
export const SHORTEST_HEARTBEAT_SECONDS = 10;
const LONGEST_HOLD_SECONDS = 86_400;
const MOST_TAKEOVERS = 1000;
const YEAR_SECONDS = 31_536_000;
const WEEK_SECONDS = 604_800;
/** In the time after which a worker is found dead. */
const LOOKS = 6;
const OLDEST_NODE = [22, 12] as const;

/** One claim of a job: pg-boss counts them, and takes nothing from an earlier one. Never only the id, which has no count. */
export interface ClaimedJob {
  readonly id: string;
  readonly retryCount: number;
}

export interface TakenJob extends ClaimedJob {
  readonly run: string;
  readonly heartbeatMs: number;
  /** From the claim on; after that it is given to another, whatever is heard of it. */
  readonly longestHoldMs: number;
}

/** When the job of a run can be taken, by whom, and before which others. */
export interface JobPlace {
  readonly run: string;
  /** What it counts against, and what its worker needs; see `blockedGroups`. */
  readonly group: string;
  readonly startAfter?: Date | undefined;
  readonly priority: number;
}

export interface JobsOptions {
  /** A worker looks for jobs of which nothing is heard, and for what is due by a schedule. */
  readonly isWorker?: boolean | undefined;
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** Throws ConfigError when this Node is too old for pg-boss. */
export function checkNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  const way = 'install a newer Node for the machines of the fleet; all other commands run on this one';
  throw refused(`a fleet needs Node ${OLDEST_NODE.join('.')} or newer, and this is Node ${version}: ${way}`);
}

/** Makes or upgrades the tables of pg-boss, and sets how long nothing may be heard of a worker. */
export async function prepareJobs(database: Database, heartbeatSeconds?: number): Promise<void> {
  const boss = await newBoss(database, { migrate: true, createSchema: !(await hasSchema(database)) }, () => undefined);
  await boss.start();
  try {
    const known = await boss.getQueue(RUNS);
    const settings = {
      heartbeatSeconds: heartbeatSeconds ?? known?.heartbeatSeconds ?? USUAL_HEARTBEAT_SECONDS,
      expireInSeconds: LONGEST_HOLD_SECONDS,
      retryLimit: MOST_TAKEOVERS,
      retryDelay: 0,
      retentionSeconds: YEAR_SECONDS,
      deleteAfterSeconds: WEEK_SECONDS,
    };
    await boss.createQueue(DEAD);
    await boss.createQueue(SUBMISSIONS, { retryLimit: 3, deleteAfterSeconds: WEEK_SECONDS });
    if (known === null) await boss.createQueue(RUNS, { ...settings, policy: 'exclusive', deadLetter: DEAD });
    else await boss.updateQueue(RUNS, settings);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** Throws ConfigError when the tables of pg-boss are missing, too old or too new for the pg-boss that is installed here. */
export async function openJobs(
  database: Database,
  { isWorker = false, onProblem = () => undefined }: JobsOptions = {},
): Promise<Jobs> {
  const boss = await startBoss(database, { migrate: false }, onProblem);
  if (!isWorker) return new Jobs(boss);
  // How often it has to look follows from a setting that only one who is connected can read.
  const { heartbeatSeconds = USUAL_HEARTBEAT_SECONDS } = (await boss.getQueue(RUNS)) ?? {};
  await boss.stop({ graceful: false });
  const seconds = Math.max(1, Math.floor((heartbeatSeconds ?? USUAL_HEARTBEAT_SECONDS) / LOOKS));
  const watching = { superviseIntervalSeconds: seconds, monitorIntervalSeconds: seconds };
  return new Jobs(
    await startBoss(database, { migrate: false, supervise: true, schedule: true, ...watching }, onProblem),
  );
}

async function startBoss(
  database: Database,
  settings: Settings,
  onProblem: (message: string) => void,
): Promise<PgBoss> {
  const boss = await newBoss(database, settings, onProblem);
  try {
    await boss.start();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    if (!/^pg-boss (?:is not installed|database requires migrations)/.test(messageOf(error))) throw error;
    const way = 'pawl fleet init, on a machine with the newest pg-boss of the fleet; upgrade pg-boss where it is older';
    throw refused(`the jobs of the fleet do not fit the pg-boss that is installed here (${messageOf(error)}): ${way}`);
  }
}

export class Jobs {
  readonly #boss: PgBoss;

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  /** Of runs that have no job yet; the others keep theirs. */
  async add(query: Query, places: readonly JobPlace[]): Promise<void> {
    const jobs = places.map(({ run, ...place }) => ({ data: { run }, singletonKey: run, ...settingsOf(place) }));
    if (jobs.length > 0) await this.#boss.insert(RUNS, jobs, { db: through(query) });
  }

  /** The first that is due and in none of these groups. */
  async take(query: Query, ignoreGroups: readonly string[]): Promise<TakenJob | undefined> {
    const groups = { batchSize: 1, ignoreGroups: [...ignoreGroups], db: through(query) };
    const [job] = await this.#boss.fetch<{ run: string }>(RUNS, { ...groups, includeMetadata: true });
    if (job === undefined) return undefined;
    const { id, retryCount, data, heartbeatSeconds, expireInSeconds } = job;
    const heartbeatMs = 1000 * (heartbeatSeconds ?? USUAL_HEARTBEAT_SECONDS);
    return { id, retryCount, run: data.run, heartbeatMs, longestHoldMs: 1000 * expireInSeconds };
  }

  /** Says that the worker lives. Returns the ids of those jobs that are still its own. */
  async touch(query: Query, jobs: readonly ClaimedJob[]): Promise<ReadonlySet<string>> {
    if (jobs.length === 0) return new Set();
    const told: { settled?: readonly string[] } = await this.#boss.touch(RUNS, attempts(jobs), { db: through(query) });
    return new Set(told.settled);
  }

  /** The run needs nobody any more. */
  async finish(query: Query, job: ClaimedJob): Promise<void> {
    await this.#boss.complete(RUNS, attempts([job]), null, { db: through(query) });
  }

  /** Somebody else is to take the run, or the same one later. */
  async handBack(query: Query, job: ClaimedJob, place: JobPlace): Promise<void> {
    await this.finish(query, job);
    await this.add(query, [place]);
    await this.move(query, place);
  }

  /** Changes when and by whom the job of a run is taken that nobody has. */
  async move(query: Query, { run, ...place }: JobPlace): Promise<void> {
    const { startAfter = 0, ...rest } = settingsOf(place);
    await this.#boss.update(RUNS, undefined, { singletonKey: run, startAfter, ...rest, db: through(query) });
  }

  /** The groups that a worker with these labels may not take from now. Whoever asks holds the lock of the queue. */
  async blockedGroups(query: Query, labels: readonly string[]): Promise<readonly string[]> {
    return (await query<{ group_id: string }>(BLOCKED, [labels])).map(({ group_id: group }) => group);
  }

  /** Runs that have not ended and that nobody would ever take. */
  async runsWithoutJob(query: Query): Promise<readonly string[]> {
    return idsOf(
      await query<{ id: string }>(
        `select id from pawl.runs where state <> 'ended' and ${HAS_NONE} ('created', 'retry', 'active'))`,
      ),
    );
  }

  /** Runs that are said to be worked on, and are not: their worker was found dead. */
  async runsWithoutWorker(query: Query): Promise<readonly string[]> {
    return idsOf(
      await query<{ id: string }>(`select id from pawl.runs where state = 'running' and ${HAS_NONE} ('active'))`),
    );
  }

  /** From now on, at the times of a cron expression; one that was missed is made up for once. Throws when it is none. */
  async schedule(name: string, cron: string, timeZone: string): Promise<void> {
    await this.#boss.schedule(SUBMISSIONS, cron, { name }, { tz: timeZone, key: name, missed: 'once' });
  }

  async unschedule(name: string): Promise<void> {
    await this.#boss.unschedule(SUBMISSIONS, name);
  }

  /** The name of a submission whose time has come. The job ends with the transaction. */
  async dueSubmission(query: Query): Promise<string | undefined> {
    const [job] = await this.#boss.fetch<{ name: string }>(SUBMISSIONS, { db: through(query) });
    if (job === undefined) return undefined;
    await this.#boss.complete(SUBMISSIONS, job.id, null, { db: through(query) });
    return job.data.name;
  }

  /** Looks for jobs of which nothing is heard, as a worker does all the time. */
  async supervise(): Promise<void> {
    await this.#boss.supervise(RUNS);
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }
}

/**
 * A group is the repository, the key group and the labels of a run. Places that are taken are counted by the jobs at work, not
 * by the runs: one whose worker died would stand in the way of its own takeover.
 */
const BLOCKED = `
with groups as materialized (
  select group_id, group_id::jsonb as parts, count(*) filter (where state = 'active') as active,
    count(*) filter (where state <> 'active') as waiting
  from ${SCHEMA}.job
  where name = '${RUNS}' and group_id is not null and state in ('created', 'retry', 'active')
  group by group_id
), counted as materialized (
  select group_id, active, waiting, kind, key from groups, lateral (
    select 'repository' as kind, parts ->> 0 as key
    union all select 'key_group', parts ->> 1
    union all select 'label', jsonb_array_elements_text(coalesce(parts -> 2, '[]'))) wanted
  where key is not null
), load as materialized (
  select kind, key, sum(active) as runs from counted group by kind, key
), allowed as materialized (
  select kind, case kind when 'repository' then pawl.repository_key(key) else key end as key, min(most) as most
  from pawl.limits group by 1, 2
)
select distinct counted.group_id from counted
  left join allowed own on own.kind = counted.kind and own.key = counted.key
  left join allowed common on common.kind = counted.kind and common.key = '*'
  join load on load.kind = counted.kind and load.key = counted.key
where waiting > 0 and (load.runs >= coalesce(own.most, common.most)
  or (counted.kind = 'label' and not counted.key = any($1::text[])))`;

const HAS_NONE = `not exists (select 1 from ${SCHEMA}.job where name = '${RUNS}' and singleton_key = runs.id and state in`;

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

interface Settings {
  readonly migrate: boolean;
  readonly createSchema?: boolean;
  readonly supervise?: boolean;
  readonly schedule?: boolean;
  readonly superviseIntervalSeconds?: number;
  readonly monitorIntervalSeconds?: number;
}

async function newBoss(database: Database, settings: Settings, onProblem: (message: string) => void): Promise<PgBoss> {
  checkNode();
  const { PgBoss: Boss } = await loadPgBoss();
  const boss = new Boss({
    schema: SCHEMA,
    db: through(database.query),
    supervise: false,
    schedule: false,
    ...settings,
  });
  // Without a listener the process would end.
  boss.on('error', (error) => onProblem(messageOf(error)));
  return boss;
}

async function loadPgBoss(): Promise<{ readonly PgBoss: typeof PgBoss }> {
  try {
    return await import('pg-boss');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const way = 'npm install pg-boss@12 where pawl is installed; npm install -g pg-boss@12 when that is globally';
    throw refused(isMissing ? `the fleet needs the package pg-boss: ${way}` : `pg-boss: ${messageOf(error)}`);
  }
}

/** To make a schema takes a right of its own, which the user needs only once. */
async function hasSchema({ query }: Database): Promise<boolean> {
  return (await query('select 1 from pg_namespace where nspname = $1', [SCHEMA])).length > 0;
}

/** In our pool or our transaction: with our TLS and times, and errors in our words. */
function through(query: Query) {
  return {
    executeSql: async (text: string, values?: unknown[]) => ({ rows: [...((await query(text, values)) ?? [])] }),
  };
}

function attempts(jobs: readonly ClaimedJob[]) {
  return jobs.map(({ id, retryCount }) => ({ id, retryCount }));
}

function settingsOf({ group, startAfter, priority }: Omit<JobPlace, 'run'>) {
  return { group: { id: group }, priority, ...(startAfter === undefined ? {} : { startAfter }) };
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
