import { JournalDamaged } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { RecordScanner } from '../journal/record-scanner.js';
import type { Query } from './database.js';
import type { EventLine } from './send-events.js';

const PAGE_LINES = 500;

/** The recorded events of a run in order, from one number to another, checked as those of a file are. */
export async function* readEvents(
  query: Query,
  runId: string,
  { fromSeq = 1, untilSeq = 2 ** 31 - 1 }: { readonly fromSeq?: number | undefined; readonly untilSeq?: number } = {},
): AsyncGenerator<RunEvent, void, void> {
  const path = `pawl.events of ${runId}`;
  const scanner = new RecordScanner({ path, seq: Math.max(fromSeq, 1) - 1 });
  for (;;) {
    const lines = await query<EventLine>(
      `select seq, line from pawl.events where run = $1 and seq > $2 and seq <= $3 order by seq limit ${PAGE_LINES}`,
      [runId, scanner.seq, untilSeq],
    );
    for (const { line } of lines) yield* scanner.feed(Buffer.from(`${line}\n`));
    const torn = scanner.end();
    if (torn !== undefined) throw new JournalDamaged(path, torn.line, torn.what);
    if (lines.length < PAGE_LINES) return;
  }
}
