import { newRunId } from '../journal/run-places.js';
import { ConfigError, messageOf } from '../model/errors.js';
import type { Fleet } from './open-fleet.js';
import { addRuns, type SubmittedRun } from './submit-runs.js';

/** Runs that are submitted again and again. */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly runs: number;
}

export interface ScheduleRequest extends Omit<Schedule, 'runs'> {
  readonly batch?: string | undefined;
  readonly runs: readonly SubmittedRun[];
}

/** In place of one with the same name. Throws ConfigError when the expression or the time zone is none. */
export async function setSchedule(fleet: Fleet, { name, cron, timeZone, batch, runs }: ScheduleRequest): Promise<void> {
  const templates = JSON.stringify(runs.map(({ id: _id, ...run }) => run));
  await fleet.query(
    `insert into pawl.schedules (name, cron, time_zone, batch, runs) values ($1, $2, $3, $4, $5::jsonb)
     on conflict (name) do update set cron = $2, time_zone = $3, batch = $4, runs = $5::jsonb`,
    [name, cron, timeZone, batch ?? null, templates],
  );
  try {
    await fleet.jobs.schedule(name, cron, timeZone);
  } catch (error) {
    await removeSchedule(fleet, name);
    throw new ConfigError([{ path: '', place: '--every', message: messageOf(error) }]);
  }
}

export async function readSchedules({ query }: Pick<Fleet, 'query'>): Promise<readonly Schedule[]> {
  return query<Schedule>(
    'select name, cron, time_zone as "timeZone", jsonb_array_length(runs) as runs from pawl.schedules order by name',
  );
}

/** False when there was none. */
export async function removeSchedule(fleet: Pick<Fleet, 'query' | 'jobs'>, name: string): Promise<boolean> {
  const removed = await fleet.query('delete from pawl.schedules where name = $1 returning name', [name]);
  await fleet.jobs.unschedule(name);
  return removed.length > 0;
}

/** Submits what is due, each time once: the runs are there when its job has ended. Returns what there is to say. */
export async function submitDue(fleet: Pick<Fleet, 'transaction' | 'jobs'>): Promise<readonly string[]> {
  for (const lines: string[] = []; ; ) {
    const name = await fleet.transaction(async (query) => {
      const due = await fleet.jobs.dueSubmission(query);
      if (due === undefined) return undefined;
      const [row] = await query<{ batch: string | null; runs: Omit<SubmittedRun, 'id'>[] }>(
        'select batch, runs from pawl.schedules where name = $1',
        [due],
      );
      const runs = (row?.runs ?? []).map((run) => ({ ...run, id: newRunId() }));
      await addRuns(fleet, query, runs, row?.batch ?? undefined);
      return due;
    });
    if (name === undefined) return lines;
    lines.push(`${name} is submitted again`);
  }
}
