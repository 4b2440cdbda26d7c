import { createChangeWatch } from '../../../journal/tail-journal.js';
import { TailedFile } from '../../../journal/tailed-file.js';
import { JournalDamaged } from '../../../model/errors.js';
import type { RunEvent } from '../../../model/run-event.js';
import type { Liveness } from '../wire/api.js';
import { type EventStream, message } from './event-stream.js';
import type { FoldedRun } from './folded-run.js';
import { betweenLooks, type IndexedRun } from './run-index.js';
import type { RunViews } from './run-views.js';
import { fileStamp } from './snapshot-summaries.js';

/** Between two looks when the system reports no change. */
const POLL_MS = 1000;

interface Streaming {
  readonly run: IndexedRun;
  readonly views: RunViews;
  readonly stream: EventStream;
  /** Where the run is now; undefined when it was deleted. */
  readonly find: (runId: string) => Promise<IndexedRun | undefined>;
  /** The last record that the page has. */
  readonly after: number;
}

/** How following a record ends: the page is gone, what it has is not the record any more, or there is none. */
type Outcome = 'over' | 'replaced' | 'gone';

/** What follows a record, and who writes it, until the page is gone or what it has is not the record any more. */
export async function streamRun(streaming: Streaming): Promise<void> {
  const { run, views, stream, after } = streaming;
  await views.use(run, async (folded) => {
    await folded.catchUp();
    const isKnown = after <= folded.view.state.seq;
    const outcome = isKnown ? await follow(streaming, folded) : 'replaced';
    if (outcome === 'gone') await stream.send(message('gone', { runId: run.runId }));
    if (outcome === 'replaced') await stream.send(message('start-over', {}));
    stream.close();
  });
}

async function follow(streaming: Streaming, folded: FoldedRun): Promise<Outcome> {
  const ends = new AbortController();
  const end = () => ends.abort();
  // Also of a page that has gone before it came to this.
  const signal = AbortSignal.any([streaming.stream.signal, ends.signal]);
  const outcomes = await Promise.all([
    sendRecords(streaming, folded, signal).finally(end),
    sendLiveness(streaming, folded, signal).finally(end),
  ]);
  return outcomes.find((outcome) => outcome !== 'over') ?? 'over';
}

async function sendRecords(
  { run, stream, after }: Streaming,
  folded: FoldedRun,
  signal: AbortSignal,
): Promise<Outcome> {
  const file = new TailedFile(run.journalPath, folded.placeBefore(after));
  const watch = createChangeWatch(run.journalPath, POLL_MS, signal);
  try {
    while (!signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- what is there, and then what follows
      await file.look();
      if (file.isSuperseded) return 'replaced';
      for await (const events of file.read()) {
        if (signal.aborted) return 'over';
        await stream.send(recordsAfter(after, events));
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await watch.next();
    }
  } catch (error) {
    // Nothing can follow what is damaged; the page has been told what is wrong.
    if (!(error instanceof JournalDamaged)) throw error;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    watch.close();
    await file.close();
  }
  return 'over';
}

/** All of them in one piece. */
function recordsAfter(after: number, events: readonly RunEvent[]): string {
  return events.map((event) => (event.seq > after ? message('record', event, event.seq) : '')).join('');
}

async function sendLiveness(streaming: Streaming, folded: FoldedRun, signal: AbortSignal): Promise<Outcome> {
  const { run, views, stream, find } = streaming;
  let before: Liveness | undefined;
  let missed = 0;
  while (!signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- inspected again after a while
    const now = await views.liveness(run, folded);
    if ((now.isLive !== before?.isLive || now.status !== before.status) && !stream.isBehind) {
      before = now;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await stream.send(message('live', now));
    }
    // A writer puts back what was removed.
    missed = fileStamp(run.journalPath) === undefined ? missed + 1 : 0;
    // oxlint-disable-next-line no-await-in-loop -- it is the last thing to do
    if (missed > 1) return (await find(run.runId)) === undefined ? 'gone' : 'replaced';
    // oxlint-disable-next-line no-await-in-loop -- as above
    await betweenLooks(signal);
  }
  return 'over';
}
