import type { Query } from './database.js';
import { SupersededError } from './superseded-error.js';

/** A record as it stands in the table: without its newline. */
export interface EventLine {
  readonly seq: number;
  readonly line: string;
}

/** What the row of the run says about it, as of the last of the lines. */
export interface RunFigures {
  readonly iteration: number;
  /** As far as it is known. */
  readonly spentUsd: number;
  /** It has spent more, and nobody can tell how much. */
  readonly spendUnknown: boolean;
  /** In so many iterations, of which the cost of others is an estimate; 0 when it cannot be estimated. */
  readonly unknownIterations: number;
  /** The most that one iteration has cost. */
  readonly dearestUsd: number | undefined;
}

/**
 * One statement, so that it is done or not done. The row of the run is changed first, under the epoch: a claim, which
 * raises the epoch in that row, comes before it or after it, and a line that comes after it is refused. The same lines
 * may arrive twice, and late: the row never goes back. A line whose predecessor is missing is refused: a fail-over may lose
 * commits, and a record with a gap cannot be read.
 */
const SEND = `
with mine as (
  update pawl.runs set
    last_seq = greatest(last_seq, $3),
    iteration = case when last_seq <= $3 then $4 else iteration end,
    spent_usd = case when last_seq <= $3 then $5 else spent_usd end,
    spend_unknown = case when last_seq <= $3 then $8 else spend_unknown end,
    unknown_iterations = case when last_seq <= $3 then $9 else unknown_iterations end,
    dearest_usd = case when last_seq <= $3 then $10 else dearest_usd end
  where id = $1 and epoch = $2 and last_seq >= $11 - 1
  returning 1
), written as (
  insert into pawl.events (run, seq, epoch, line)
  select $1, sent.seq, $2, sent.line from unnest($6::int[], $7::text[]) as sent (seq, line)
  where exists (select 1 from mine)
  on conflict (run, seq) do nothing
  returning 1
)
select (select count(*)::int from mine) as mine, (select count(*)::int from written) as written`;

/** Records the lines of the worker that claimed the run as this epoch. Throws SupersededError when it may not. */
export async function sendEvents(
  query: Query,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  lines: readonly EventLine[],
  figures: RunFigures,
): Promise<void> {
  const seqs = lines.map(({ seq }) => seq);
  const [done] = await query<{ mine: number; written: number }>(SEND, [
    runId,
    epoch,
    seqs.at(-1),
    figures.iteration,
    figures.spentUsd,
    seqs,
    lines.map(({ line }) => line),
    figures.spendUnknown,
    figures.unknownIterations,
    figures.dearestUsd,
    seqs[0],
  ]);
  if (done?.mine !== 1) throw await whyRefused(query, runId, epoch);
  if (done.written === lines.length) return;
  const found = await query<EventLine>('select seq, line from pawl.events where run = $1 and seq = any($2::int[])', [
    runId,
    seqs,
  ]);
  const lineOf = new Map(found.map(({ seq, line }) => [seq, line]));
  if (lines.some(({ seq, line }) => lineOf.get(seq) !== line)) throw new SupersededError(runId, epoch);
}

async function whyRefused(query: Query, runId: string, epoch: number): Promise<SupersededError> {
  const [row] = await query<{ epoch: number; lastSeq: number }>(
    'select epoch, last_seq as "lastSeq" from pawl.runs where id = $1',
    [runId],
  );
  if (row?.epoch !== epoch) return new SupersededError(runId, epoch);
  return new SupersededError(runId, epoch, `the database has lost events after number ${row.lastSeq}`);
}
