import { loopStateOf } from '../model/phase.js';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { JournalDamaged } from '../model/errors.js';
import { reduceAll } from '../model/reduce.js';
import type { NewEvent } from '../model/run-event.js';
import { encodeRecord, sealLine } from './record-scanner.js';
import type { Upgrades } from './upgrade.js';
import { verifyJournal } from './verify-journal.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-verify-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = '2026-01-01T00:00:00.000Z';
const record = (seq: number, event: NewEvent = { type: 'paused' }) => encodeRecord(event, { seq, at, activeMs: seq });
const WHOLE = [record(1), record(2, { type: 'resumed' }), record(3)];
const bytes = Buffer.concat(WHOLE.map(({ line }) => line));

it('a whole journal is counted and folded', async () => {
  writeFileSync(path, bytes);
  const state = reduceAll(WHOLE.map(({ recorded }) => recorded));
  expect(await verifyJournal(path)).toStrictEqual({ events: 3, state });
});

it('what follows the last whole record is told, and stays', async () => {
  const torn = Buffer.concat([bytes, Buffer.from('{"v":1,')]);
  writeFileSync(path, torn);
  expect(await verifyJournal(path)).toMatchObject({
    events: 3,
    torn: { line: 4, offset: bytes.length, bytes: 7, incomplete: true },
  });
  expect(readFileSync(path)).toEqual(torn);
});

it('a damaged middle names the file and the line', async () => {
  const damaged = Buffer.from(bytes);
  damaged[10] = 0x20;
  writeFileSync(path, damaged);
  await expect(verifyJournal(path)).rejects.toThrow(JournalDamaged);
  await expect(verifyJournal(path)).rejects.toThrow(`${path}:1: `);
});

it('records of an older version are brought up to date first', async () => {
  const upgrades: Upgrades = { halted: { 0: (old) => ({ ...old, type: 'paused' }) } };
  writeFileSync(path, sealLine(JSON.stringify({ v: 0, seq: 1, at, activeMs: 1, type: 'halted' })));
  expect(loopStateOf((await verifyJournal(path, { upgrades })).state)).toBe('paused');
});
