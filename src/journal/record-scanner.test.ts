import { describe, expect, it } from 'vitest';
import { JournalDamaged } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { encodeRecord, MAX_LINE_BYTES, sealLine, RecordScanner } from './record-scanner.js';
import type { Upgrades } from './upgrade.js';

const at = '2026-01-01T00:00:00.000Z';

function line(seq: number, text = `text ${seq}`): Buffer {
  return encodeRecord({ type: 'agent-said', text }, { seq, at, activeMs: seq }).line;
}

function scan(bytes: Uint8Array, chunkBytes: number, upgrades?: Upgrades) {
  const scanner = new RecordScanner({ path: 'j', ...(upgrades === undefined ? {} : { upgrades }) });
  const events: RunEvent[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    events.push(...scanner.feed(Buffer.from(bytes.subarray(start, start + chunkBytes))));
  }
  return { events, torn: scanner.end(), offset: scanner.offset };
}

describe('the record scanner', () => {
  it.each([1, 2, 7, 64, 100_000])('reads the same records in chunks of %i bytes', (chunkBytes) => {
    const bytes = Buffer.concat([line(1), line(2, 'ü'.repeat(300)), line(3)]);
    const { events, torn, offset } = scan(bytes, chunkBytes);
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3]);
    expect(events[1]).toMatchObject({ text: 'ü'.repeat(300) });
    expect(torn).toBeUndefined();
    expect(offset).toBe(bytes.length);
  });

  it('finds a record behind a lost line end', () => {
    const bytes = Buffer.concat([line(1), line(2), line(3)]);
    bytes[line(1).length + line(2).length - 1] = 0x20;
    expect(() => scan(bytes, 50)).toThrow(JournalDamaged);
    expect(() => scan(bytes, 50)).toThrow('j:2: ');
  });

  it('does not hold a line without end in memory', () => {
    const scanner = new RecordScanner({ path: 'j' });
    scanner.feed(line(1));
    const before = process.memoryUsage().arrayBuffers;
    const noise = Buffer.alloc(1024 * 1024, 'x');
    for (let count = 0; count < 200; count += 1) scanner.feed(noise);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * MAX_LINE_BYTES);
    scanner.feed(Buffer.from('\n'));
    expect(scanner.end()).toMatchObject({ line: 2, bytes: 200 * 1024 * 1024 + 1, incomplete: false });
    expect(() => scanner.feed(line(2))).toThrow(/j:2: it is longer than/);
  });

  it.each([
    [MAX_LINE_BYTES, [1, 2]],
    [MAX_LINE_BYTES + 1, [1]],
  ])(
    'reads a record up to the longest there may be, also when only its end is in the next chunk: %i',
    (bytes, seqs) => {
      const long = line(2, 'x'.repeat(bytes + 1 - line(2, '').length));
      const scanner = new RecordScanner({ path: 'j' });
      const parts = [line(1), long.subarray(0, -1), long.subarray(-1)];
      expect(parts.flatMap((part) => scanner.feed(part)).map(({ seq }) => seq)).toEqual(seqs);
    },
  );

  it('is not held up by a line that is full of beginnings of records', () => {
    const beginnings = Buffer.from(`${'{"v":1,"seq":'.repeat(200_000)}\n`);
    expect(scan(Buffer.concat([line(1), beginnings]), 1_000_000).torn).toMatchObject({ line: 2, lostRecords: 0 });
  });

  it('takes a last record in which a byte has changed for torn', () => {
    const changed = line(2);
    changed[20] = 0x20;
    expect(scan(Buffer.concat([line(1), changed]), 1000).torn).toEqual({
      line: 2,
      offset: line(1).length,
      bytes: changed.length,
      what: 'its checksum does not match',
      incomplete: false,
      lostRecords: 0,
    });
  });

  it('reads no record a second time when the end stands there twice', () => {
    const { events, torn } = scan(Buffer.concat([line(1), line(2), line(1), line(2)]), 1000);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(torn).toMatchObject({ line: 3, what: expect.stringMatching(/record 1 appears twice/), lostRecords: 0 });
  });

  it('does not take a whole record of a newer Pawl for damage, even at the end', () => {
    const unknownType = sealLine(JSON.stringify({ v: 1, seq: 2, at, activeMs: 1, type: 'agent-dreamt' }));
    const newerShape = sealLine(JSON.stringify({ v: 2, seq: 2, at, activeMs: 1, type: 'tick' }));
    for (const newer of [unknownType, newerShape]) {
      expect(() => scan(Buffer.concat([line(1), newer]), 1000)).toThrow(
        /^j:2: a record of type (agent-dreamt, version 1|tick, version 2), .*written by a newer version of Pawl/,
      );
    }
  });

  it('brings records of older versions up to date, step by step', () => {
    const old = sealLine(JSON.stringify({ v: -1, seq: 1, at, activeMs: 1, type: 'said', words: 'hello' }));
    const upgrades: Upgrades = {
      said: { [-1]: ({ words, ...rest }) => ({ ...rest, type: 'agent-said', say: words }) },
      'agent-said': { 0: ({ say, ...rest }) => ({ ...rest, text: say }) },
    };
    expect(scan(old, 1000, upgrades).events).toEqual([
      { v: 1, seq: 1, at, activeMs: 1, type: 'agent-said', text: 'hello' },
    ]);
    expect(() => scan(old, 1000)).toThrow(JournalDamaged);
  });
});

describe('a hole with records behind it', () => {
  const line = (seq: number, type: 'tick' | 'paused') =>
    encodeRecord({ type }, { seq, at: '2026-01-01T00:00:00.000Z', activeMs: seq }).line;
  const hole = Buffer.alloc(40);
  const end = (parts: readonly Buffer[], isUnsynced: boolean) => {
    const scanner = new RecordScanner({ path: 'j', isUnsynced });
    scanner.feed(Buffer.concat(parts));
    return { seq: scanner.seq, torn: scanner.end() };
  };

  it('is damage wherever everything was synced', () => {
    expect(() => end([line(1, 'paused'), hole, line(3, 'tick')], false)).toThrow('j:2');
    expect(() => end([line(1, 'paused'), line(3, 'tick')], false)).toThrow('j:2: record 2 is missing before 3');
  });

  it('is what a loss of power leaves of live records: the tail is torn, and says what is lost', () => {
    const { seq, torn } = end([line(1, 'paused'), hole, line(3, 'tick'), line(4, 'tick')], true);
    expect(seq).toBe(1);
    expect(torn).toMatchObject({ line: 2, incomplete: false, lostRecords: 2 });
    expect(end([line(1, 'paused'), line(3, 'tick'), line(4, 'tick')], true).torn).toMatchObject({
      line: 2,
      lostRecords: 2,
    });
  });

  it('is damage all the same when a boundary follows whose sync was done, as what comes after it shows', () => {
    expect(() => end([line(1, 'paused'), hole, line(3, 'paused'), line(4, 'tick')], true)).toThrow('j:2');
    expect(() => end([line(1, 'paused'), line(3, 'paused'), line(4, 'paused')], true)).toThrow('j:2');
    expect(end([line(1, 'paused'), hole, line(3, 'tick'), line(4, 'paused')], true).torn?.lostRecords).toBe(2);
  });
});
