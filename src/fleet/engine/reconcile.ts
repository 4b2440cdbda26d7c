import type { Fleet } from '../open-fleet.js';
import { lockQueue, placesOf } from './job-places.js';

/** One worker at a time is enough; the number is any that nobody else uses. */
const RECONCILING_LOCK = '7165889241510002';
/** A worker says every ten seconds that it lives. */
const GONE_SECONDS = 60;

/**
 * Puts right what has come apart: a run without a job gets one again, because somebody has deleted or cancelled it or it has
 * waited for a year; a run whose worker was found dead is queued. Returns what there is to say.
 */
export async function reconcile(fleet: Pick<Fleet, 'transaction' | 'jobs'>): Promise<readonly string[]> {
  return fleet.transaction(async (query) => {
    const [lock] = await query<{ isMine: boolean }>(
      `select pg_try_advisory_xact_lock(${RECONCILING_LOCK}) as "isMine"`,
    );
    if (lock?.isMine !== true) return [];
    await lockQueue(query);
    await query('delete from pawl.workers where seen_at < now() - make_interval(secs => $1)', [GONE_SECONDS]);
    const left = await fleet.jobs.runsWithoutWorker(query);
    await query(`update pawl.runs set state = 'queued', worker = null, trouble = null where id = any($1::text[])`, [
      left,
    ]);
    const lost = await fleet.jobs.runsWithoutJob(query);
    await fleet.jobs.add(query, await placesOf(query, lost));
    return lost.map((id) => `${id} had no job any more: it is queued again`);
  });
}
