import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  COPY_MARK_NAME,
  copiesPlace,
  type CopyMark,
  holdersElsewhere,
  holdsCopies,
  readCopyMark,
} from './copied-record.js';
import { makeFolder, NODE_DISK } from './disk.js';
import { findHolders } from './find-holders.js';
import { newRunId } from './run-places.js';

let home: string;
const environment = () => ({ XDG_STATE_HOME: join(home, 'state') });
const MARK: CopyMark = {
  state: 'running',
  epoch: 11,
  wish: 'pause',
  database: 'postgres://fleet/pawl',
  since: '2026-01-01T00:00:00.000Z',
  fetchedAt: '2026-01-01T00:05:00.000Z',
  status: 'crashed',
  error: 'Schlüssel fehlt',
  kept: 'worker-1:/srv/tree',
  events: 7,
  worker: 'worker-1',
  host: 'worker-1.example',
  pid: 4711,
};

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-copies-')));
});
afterEach(() => rmSync(home, { recursive: true }));

/** The folder of the records of one database. */
function copies(): string {
  return makeFolder(NODE_DISK, copiesPlace('fleet-1', environment()), 'refuse');
}

/** A record in a folder, with what its mark says. */
function copied(folder: string, mark: unknown, runId = newRunId()): { runFolder: string; runId: string } {
  const runFolder = join(folder, '.ralph', 'runs', runId);
  mkdirSync(runFolder, { recursive: true });
  writeFileSync(join(runFolder, COPY_MARK_NAME), typeof mark === 'string' ? mark : JSON.stringify(mark));
  return { runFolder, runId };
}

describe('a folder of copied records', () => {
  it('is made in the state folder of the user, where there was none, and is known as one', () => {
    const folder = copies();
    expect(folder).toBe(join(home, 'state', 'pawl', 'fleet-records', 'fleet-1'));
    expect(holdsCopies(folder, environment())).toBe(true);
  });

  it('is known where the state folder is reached through a link', () => {
    mkdirSync(join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), join(home, 'state'));
    expect(holdsCopies(realpathSync(copies()), environment())).toBe(true);
  });

  it('comes with no repository, whatever that calls its folders', () => {
    const planted = join(home, 'repo', 'pawl', 'fleet-records', 'fleet-1');
    mkdirSync(planted, { recursive: true });
    expect(holdsCopies(planted, environment())).toBe(false);
    const folder = copies();
    expect(holdsCopies(planted, environment())).toBe(false);
    mkdirSync(join(folder, 'below'));
    expect(holdsCopies(join(folder, 'below'), environment())).toBe(false);
  });
});

describe('who writes a run', () => {
  it('is who wrote it on the other machine when its record was copied, until it has ended', () => {
    const folder = copies();
    const { runId } = copied(folder, MARK);
    copied(folder, { ...MARK, state: 'ended' });
    const holder = { runId, host: 'worker-1.example', pid: 4711, since: MARK.since, nonce: 'b' };
    expect(findHolders(folder, environment())).toEqual([holder]);
  });

  it.each(['queued', 'running', 'waiting'] as const)('is the fleet while it is %s and no worker has it', (state) => {
    const folder = copies();
    const { runId } = copied(folder, { state, epoch: 1, database: '', since: MARK.since });
    expect(holdersElsewhere(folder)).toMatchObject([{ runId, host: 'the fleet', pid: 0 }]);
  });

  it('is nobody by a mark that a repository has brought: the run can be resumed', () => {
    const repository = join(home, 'repo');
    copied(repository, MARK);
    copies();
    expect(findHolders(repository, environment())).toEqual([]);
  });

  it('is not looked for in what is no run, nor where nothing was copied yet', () => {
    const folder = copies();
    expect(holdersElsewhere(folder)).toEqual([]);
    copied(folder, MARK, 'notes');
    expect(holdersElsewhere(folder)).toEqual([]);
  });
});

describe('the mark of a copy', () => {
  it('says what was known of the run', () => {
    expect(readCopyMark(copied(home, MARK).runFolder)).toEqual(MARK);
  });

  it('is missing where it was never written', () => {
    expect(readCopyMark(home)).toBeUndefined();
  });

  const without = (name: keyof CopyMark) => ({ ...MARK, [name]: undefined });
  it.each<readonly [string, unknown]>([
    ['is empty', ''],
    ['was cut in its middle', JSON.stringify(MARK).slice(0, -9)],
    ['is nothing', null],
    ['is a number', 7],
    ['is a text', '"running"'],
    ['is a list', [MARK]],
    ['is larger than any mark', { ...MARK, error: 'x'.repeat(16 * 1024) }],
    ['has a state that nobody knows', { ...MARK, state: 'lost' }],
    ['has no state', without('state')],
    ['has no epoch', without('epoch')],
    ['has half an epoch', { ...MARK, epoch: 1.5 }],
    ['names no database', without('database')],
    ['has no time', without('since')],
    ...(['wish', 'fetchedAt', 'status', 'error', 'kept', 'worker', 'host'] as const).map(
      (name) => [`has a number as its ${name}`, { ...MARK, [name]: 7 }] as const,
    ),
    ...(['epoch', 'events', 'pid'] as const).map(
      (name) => [`has a text as its ${name}`, { ...MARK, [name]: '7' }] as const,
    ),
  ])('that %s is not believed: nobody is said to write the run', (_, damaged) => {
    const folder = copies();
    expect(readCopyMark(copied(folder, damaged).runFolder)).toBeUndefined();
    expect(holdersElsewhere(folder)).toEqual([]);
  });

  it('is not read through a link', () => {
    const { runFolder } = copied(home, MARK);
    const other = join(home, 'other');
    mkdirSync(other);
    symlinkSync(join(runFolder, COPY_MARK_NAME), join(other, COPY_MARK_NAME));
    expect(readCopyMark(other)).toBeUndefined();
  });
});
