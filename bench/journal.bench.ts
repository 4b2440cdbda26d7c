import { closeSync, createReadStream, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createFileJournal, openFileJournal } from '../src/journal/open-file-journal.js';
import { encodeRecord } from '../src/journal/record-scanner.js';
import { verifyJournal } from '../src/journal/verify-journal.js';
import type { NewEvent } from '../src/model/run-event.js';
import { begin, end, started, tests, trees, used } from '../test/support/record.js';
import { median, milliseconds, report, times } from './measure.js';

const wanted = process.argv.indexOf('--events');
const EVENTS = wanted > 0 ? Number(process.argv[wanted + 1]) : 1_000_000;
const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };

/** What a long night looks like: twenty live events per iteration. */
function* night(count: number): Generator<NewEvent> {
  yield started();
  for (let made = 1, iteration = 1; made < count; iteration++) {
    const live = Array.from(
      { length: 18 },
      (_, index): NewEvent =>
        index % 3 === 0
          ? used({ inputTokens: 9000, outputTokens: 300, costUsd: 0.03 }, { id: `r${index}` })
          : { type: 'agent-said', text: `Now I look at module ${index} of the parser and its tests, then I go on.` },
    );
    const observation = { ...trees(`t${iteration}`, `t${iteration + 1}`), tests: tests(40, iteration % 5) };
    for (const event of [begin(iteration), ...live, end(iteration, { observation })]) {
      if (made >= count) return;
      made += 1;
      yield event;
    }
  }
}

async function writeNight(): Promise<{ path: string; runId: string; writing: number }> {
  const journal = createFileJournal({ workingDir: folder, environment });
  const { path, runId } = journal;
  let activeMs = 0;
  const writing = await milliseconds(async () => {
    for (const event of night(20_000)) journal.append(event, (activeMs += 50));
    await journal.close();
  });
  const file = openSync(path, 'a');
  let seq = 20_000;
  let lines: Buffer[] = [];
  const at = new Date().toISOString();
  for (const event of night(EVENTS - 20_000)) {
    if (event.type === 'run-started') continue;
    seq += 1;
    lines.push(encodeRecord(event, { seq, at, activeMs: (activeMs += 50) }).line);
    if (lines.length === 1000) {
      writeSync(file, Buffer.concat(lines));
      lines = [];
    }
  }
  writeSync(file, Buffer.concat(lines));
  closeSync(file);
  return { path, runId, writing };
}

async function parseOnly(path: string): Promise<number> {
  let seen = 0;
  for await (const line of createInterface({ input: createReadStream(path, { highWaterMark: 1 << 20 }) })) {
    seen += (JSON.parse(line) as { seq: number }).seq > 0 ? 1 : 0;
  }
  return seen;
}

/** The same number of synced and unsynced writes, with nothing around them. */
function bareWrites(): void {
  const file = openSync(join(folder, 'bare'), 'a');
  const line = Buffer.from(`${'x'.repeat(220)}\n`);
  for (const event of night(20_000)) {
    writeSync(file, line);
    if (event.type === 'iteration-started' || event.type === 'iteration-ended') fdatasyncSync(file);
  }
  closeSync(file);
}

try {
  const { path, runId, writing } = await writeNight();
  const floor = await milliseconds(bareWrites);

  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const verifying: number[] = [];
  const parsing: number[] = [];
  for (let round = 0; round < 3; round++) {
    verifying.push(
      await milliseconds(async () => {
        const { events } = await verifyJournal(path);
        if (events < EVENTS * 0.9) throw new Error(`only ${events} events`);
      }),
    );
    const during = peak;
    parsing.push(await milliseconds(() => parseOnly(path)));
    peak = during;
  }
  clearInterval(watch);

  // The first opening folds everything and leaves a snapshot; from then on the tail is enough.
  await openFileJournal({ workingDir: folder, environment, runId }).close();
  const opening: number[] = [];
  for (let round = 0; round < 9; round++) {
    const start = process.hrtime.bigint();
    const journal = openFileJournal({ workingDir: folder, environment, runId });
    opening.push(Number(process.hrtime.bigint() - start) / 1e6);
    await journal.close();
  }

  const ratio = median(verifying) / median(parsing);
  report(`The journal, ${EVENTS.toLocaleString('en-US')} events`, [
    { what: 'verify against JSON.parse per line', figure: times(ratio), bound: '<= 2 x', holds: ratio <= 2 },
    { what: 'verify', figure: `${(median(verifying) / 1000).toFixed(1)} s` },
    {
      what: 'memory while verifying',
      figure: `${Math.round(peak / 2 ** 20)} MB`,
      bound: `< 300 MB (idle ${Math.round(idle / 2 ** 20)})`,
      holds: peak < 300 * 2 ** 20,
    },
    {
      what: 'reopen for writing, snapshot and tail',
      figure: `${median(opening).toFixed(1)} ms`,
      bound: '<= 60 ms',
      holds: median(opening) <= 60,
    },
    {
      what: '20,000 appends against bare writes and syncs',
      figure: times(writing / floor),
      bound: '<= 3 x',
      holds: writing / floor <= 3,
    },
    { what: 'appends, one in ten synced', figure: `${Math.round(20_000_000 / writing)} /s` },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
