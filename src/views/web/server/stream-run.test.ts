import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENDED, recordLine, type RunLeftBehind, leaveRun } from '../../../../test/support/run-left-behind.js';
import { EventStream } from './event-stream.js';
import type { IndexedRun } from './run-index.js';
import { RunViews } from './run-views.js';
import { streamRun } from './stream-run.js';

const WAIT = { timeout: 60_000, interval: 20 };
let folder: string;
let views: RunViews;
let server: Server | undefined;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-stream-')));
  views = new RunViews({ HOME: folder, XDG_STATE_HOME: folder });
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await views.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The run, for as long as it is where it was. */
async function findHere(run: IndexedRun): Promise<IndexedRun | undefined> {
  return existsSync(run.journalPath) ? run : undefined;
}

/** What a page hears that has the records up to `after`. */
async function listen({ runId, journalPath, folder: place }: RunLeftBehind, after: number, find = findHere) {
  const run: IndexedRun = { runId, workingDir: folder, folder: place, journalPath, isInProject: true };
  server = createServer((_, response) => {
    void streamRun({ run, views, stream: new EventStream(response), find: () => find(run), after });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  let text = '';
  let isEnded = false;
  get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }, (response) => {
    response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    response.on('end', () => (isEnded = true));
    response.on('error', () => undefined);
  }).on('error', () => undefined);
  return {
    ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    events: () => [...text.matchAll(/^event: (.+)$/gm)].map(([, name]) => name),
    text: () => text,
    isEnded: () => isEnded,
  };
}

const upTo = (from: number, last: number) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

it('gives what follows, each record once and in order, and who writes', async () => {
  const run = leaveRun(folder, { count: 4000, isEnded: false });
  const page = await listen(run, 100);
  await expect.poll(() => page.ids().length, WAIT).toBe(3900);
  appendFileSync(run.journalPath, recordLine(ENDED, 4001));
  await expect.poll(() => page.ids(), WAIT).toEqual(upTo(101, 4001));
  await expect.poll(() => page.text(), WAIT).toContain('data: {"isLive":false,"status":"stopped"}');
});

describe('the page has to start over', () => {
  it('when the record was cut', async () => {
    const run = leaveRun(folder, { count: 30 });
    const page = await listen(run, 31);
    await expect.poll(() => page.events(), WAIT).toContain('live');
    truncateSync(run.journalPath, 0);
    await expect.poll(() => page.events().at(-1), WAIT).toBe('start-over');
    await expect.poll(() => page.isEnded(), WAIT).toBe(true);
  });

  it('when another record has taken its place', async () => {
    const run = leaveRun(folder, { count: 30 });
    const other = leaveRun(folder, { count: 90 });
    const page = await listen(run, 31);
    await expect.poll(() => page.events(), WAIT).toContain('live');
    renameSync(other.journalPath, run.journalPath);
    await expect.poll(() => page.events().at(-1), WAIT).toBe('start-over');
  });

  it('when its folder was deleted and its second copy is left', async () => {
    const run = leaveRun(folder, { count: 30 });
    const page = await listen(run, 31, async (found) => found);
    await expect.poll(() => page.events(), WAIT).toContain('live');
    rmSync(run.folder, { recursive: true });
    await expect.poll(() => page.events().at(-1), WAIT).toBe('start-over');
  });

  it('when it has more than there is', async () => {
    const page = await listen(leaveRun(folder, { count: 30 }), 500);
    await expect.poll(() => page.events(), WAIT).toEqual(['start-over']);
  });
});

it('a run that was deleted is gone, which is said once and is the end', async () => {
  const run = leaveRun(folder, { count: 30 });
  const page = await listen(run, 31);
  await expect.poll(() => page.events(), WAIT).toContain('live');
  rmSync(run.folder, { recursive: true });
  await expect.poll(() => page.isEnded(), WAIT).toBe(true);
  expect(page.events()).toEqual(['live', 'gone']);
  expect(page.text()).toContain(`data: {"runId":"${run.runId}"}`);
});

it('who feeds a page that has gone before it was looked at ends', async () => {
  const { runId, journalPath, folder: place } = leaveRun(folder, { count: 3000 });
  const run: IndexedRun = { runId, workingDir: folder, folder: place, journalPath, isInProject: true };
  const opened = createServer();
  server = opened;
  const fed = new Promise<void>((resolve, reject) => {
    opened.on('request', (_, response) => {
      const stream = new EventStream(response);
      response.destroy();
      streamRun({ run, views, stream, find: async () => run, after: 0 }).then(resolve, reject);
    });
  });
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  get({ host: '127.0.0.1', port: (opened.address() as AddressInfo).port }).on('error', () => undefined);
  await expect(fed).resolves.toBeUndefined();
});

it('a writer that puts the same record back under its name is not noticed', async () => {
  const run = leaveRun(folder, { count: 30, isEnded: false });
  const page = await listen(run, 10);
  await expect.poll(() => page.ids().length, WAIT).toBe(20);
  copyFileSync(run.journalPath, join(folder, 'copy'));
  appendFileSync(join(folder, 'copy'), recordLine(ENDED, 31));
  renameSync(join(folder, 'copy'), run.journalPath);
  await expect.poll(() => page.ids(), WAIT).toEqual(upTo(11, 31));
  expect(page.events()).not.toContain('start-over');
});

it('behind damage nothing follows, and nothing breaks', async () => {
  const run = leaveRun(folder, { count: 30 });
  const lines = readFileSync(run.journalPath, 'utf8').split('\n');
  truncateSync(run.journalPath, 0);
  appendFileSync(run.journalPath, [...lines.slice(0, 20), 'garbage', ...lines.slice(21)].join('\n'));
  const page = await listen(run, 20);
  await expect.poll(() => page.events(), WAIT).toEqual(['live']);
  expect(page.isEnded()).toBe(false);
});
