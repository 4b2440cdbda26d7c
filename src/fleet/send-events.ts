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

/** What a worker must show to record anything of a run: that nobody has claimed it since. */
export interface ClaimOfRun {
  readonly runId: string;
  readonly epoch: number;
  /** Random, of this one claim: after a fail-over that loses the claim, the database gives the same epoch to another. */
  readonly claim: string;
}

/**
 * One statement, so that all of it is done or nothing. The row of the run is changed first, and only under the epoch and the
 * token of the last claim and directly after its last line: a claim, which changes that row, comes before it or after it. A
 * line whose predecessor is missing is refused, because a fail-over can lose commits and a record with a gap cannot be read.
 */
const SEND = `
with mine as (
  update pawl.runs set last_seq = $4, iteration = $5, spent_usd = $6, spend_unknown = $9, unknown_iterations = $10,
    dearest_usd = $11
  where id = $1 and epoch = $2 and claim = $3::uuid and last_seq = $12 - 1
  returning 1
), written as (
  insert into pawl.events (run, seq, epoch, line)
  select $1, sent.seq, $2, sent.line from unnest($7::int[], $8::text[]) as sent (seq, line)
  where exists (select 1 from mine)
  returning 1
)
select count(*)::int as written from written`;

/**
 * Records the lines of the worker with this claim. Lines may be sent twice, when an answer was lost, and late: those that are
 * recorded already, equal and of this claim, stay as they are. Throws SupersededError when the worker may not record.
 */
export async function sendEvents(
  query: Query,
  claim: ClaimOfRun,
  lines: readonly EventLine[],
  figures: RunFigures,
): Promise<void> {
  if (lines.length === 0 || (await isWritten(query, claim, lines, figures))) return;
  await sendEvents(query, claim, await notRecorded(query, claim, lines), figures);
}

async function isWritten(
  query: Query,
  { runId, epoch, claim }: ClaimOfRun,
  lines: readonly EventLine[],
  { iteration, spentUsd, spendUnknown, unknownIterations, dearestUsd }: RunFigures,
): Promise<boolean> {
  const seqs = lines.map(({ seq }) => seq);
  const texts = lines.map(({ line }) => line);
  const told = [spendUnknown, unknownIterations, dearestUsd];
  const given = [runId, epoch, claim, seqs.at(-1), iteration, spentUsd, seqs, texts, ...told, seqs[0]];
  try {
    const [done] = await query<{ written: number }>(SEND, given);
    return done?.written === lines.length;
  } catch (error) {
    if (!isTaken(error)) throw error;
    throw new SupersededError(runId, epoch, 'another line is recorded under the same number');
  }
}

/** Postgres names the unique index whose key is there already. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** Why the database refused them, unless this worker has recorded them itself and did not hear of it: then what is left. */
async function notRecorded(
  query: Query,
  { runId, epoch, claim }: ClaimOfRun,
  lines: readonly EventLine[],
): Promise<readonly EventLine[]> {
  const [row] = await query<{ isMine: boolean | null; lastSeq: number }>(
    'select epoch = $2 and claim = $3::uuid as "isMine", last_seq as "lastSeq" from pawl.runs where id = $1',
    [runId, epoch, claim],
  );
  if (row?.isMine !== true) throw new SupersededError(runId, epoch);
  const { lastSeq } = row;
  const [first] = lines;
  if (first !== undefined && lastSeq < first.seq - 1) {
    throw new SupersededError(runId, epoch, `the database has lost events after number ${lastSeq}`);
  }
  const sent = lines.filter(({ seq }) => seq <= lastSeq);
  const found = await query<EventLine>(
    'select seq, line from pawl.events where run = $1 and epoch = $2 and seq = any($3::int[])',
    [runId, epoch, sent.map(({ seq }) => seq)],
  );
  const lineOf = new Map(found.map(({ seq, line }) => [seq, line]));
  if (sent.every(({ seq, line }) => lineOf.get(seq) === line)) return lines.slice(sent.length);
  throw new SupersededError(runId, epoch, 'another line is recorded under the same number');
}
