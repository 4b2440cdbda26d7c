import { getEventListeners } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchCount } from '../../test/support/open-files.js';
import { type ChangeWatch, createChangeWatch } from './tail-journal.js';

/** So that nobody wakes by asking again. */
const NEVER_MS = 1_000_000;

let folder: string;
let path: string;
let controller: AbortController;
let changes: ChangeWatch;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-watch-'));
  path = join(folder, 'file');
  writeFileSync(path, '');
  controller = new AbortController();
  changes = createChangeWatch(path, NEVER_MS, controller.signal);
});
afterEach(() => {
  changes.close();
  controller.abort();
  rmSync(folder, { recursive: true });
});

/** Waits on until the file holds it: the system may report one write twice. */
async function wokenUntil(content: string): Promise<void> {
  do await changes.next();
  while (readFileSync(path, 'utf8') !== content);
}

async function wokenBy(piece: string, content: string): Promise<void> {
  const woken = wokenUntil(content);
  appendFileSync(path, piece);
  await woken;
}

/** What the system had to report until now was reported. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

describe('who waits for a change', () => {
  it('is woken by each, and by one that came while nobody waited', async () => {
    const first = wokenUntil('a');
    appendFileSync(path, 'a');
    await first;
    const second = wokenUntil('ab');
    appendFileSync(path, 'b');
    await second;
    appendFileSync(path, 'c');
    await nextTurn();
    await changes.next();
  });

  it('is woken by a change of the file that took the place of the first', async () => {
    const replaced = wokenUntil('new');
    writeFileSync(`${path}.new`, 'new');
    renameSync(`${path}.new`, path);
    await replaced;
    const next = wokenUntil('newer');
    // What the system had to say of the first file was heard.
    await turns();
    appendFileSync(path, 'er');
    await next;
  });

  it('is not woken by nothing', async () => {
    let woken = 0;
    const next = changes.next().then(() => (woken += 1));
    await turns();
    expect(woken).toBe(0);
    appendFileSync(path, 'a');
    await next;
  });

  it('is not woken again and again by one change', async () => {
    await wokenBy('a', 'a');
    const ways: string[] = [];
    for (let time = 0; time < 5; time += 1) {
      ways.push(await Promise.race([changes.next().then(() => 'woken'), turns().then(() => 'calm')]));
    }
    expect(ways.at(-1)).toBe('calm');
  });

  it('wakes after a while where there is nothing to watch', async () => {
    const missing = createChangeWatch(join(folder, 'missing'), 5);
    await missing.next();
    await missing.next();
    missing.close();
  });

  it('is woken when it is told to end, and never waits after that', async () => {
    const waiting = changes.next();
    controller.abort();
    await waiting;
    await changes.next();
  });

  it('does not keep a process from its end', () => {
    const watchers = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    const before = watchers();
    void changes.next();
    expect(watchers()).toBe(before);
  });

  it.runIf(process.platform === 'linux')('leaves no watch behind, of which a user may have only so many', async () => {
    await turns();
    const before = watchCount();
    await wokenBy('a', 'a');
    await wokenBy('b', 'ab');
    expect(watchCount()).toBe(before + 1);
    changes.close();
    await turns();
    expect(watchCount()).toBe(before);
  });

  it('leaves nothing behind that listens', () => {
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    changes.close();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
