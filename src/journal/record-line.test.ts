import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEvents } from '../../test/property/arbitraries.js';
import { reduce } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import { INITIAL_STATE } from '../model/run-state.js';
import { decodeRecord, encodeRecord, sealLine, skimRecord, sumOfLine, unsealLine } from './record-scanner.js';

const stamp = { seq: 12, at: '2026-01-01T00:00:00.000Z', activeMs: 123 };

/** A sum with one character that is no digit, alone or with the digit before it one more or less to make up for it. */
function* spellings(sum: string): Generator<string> {
  const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
  for (let place = 1; place < sum.length; place += 1) {
    for (const carry of [-1, 0, 1]) {
      const before = (Number.parseInt(sum.charAt(place - 1), 16) + carry).toString(16);
      if (before.length !== 1) continue;
      for (const character of characters) {
        const other = sum.slice(0, place - 1) + before + character + sum.slice(place + 1);
        if (!/[0-9a-f]/.test(character)) yield other;
      }
    }
  }
}

describe('a record line', () => {
  it('has the format that is documented, so that jq and other programs can rely on it', () => {
    const { line } = encodeRecord({ type: 'paused', reason: 'ü' }, stamp);
    expect(line.toString()).toBe(
      '{"v":1,"seq":12,"at":"2026-01-01T00:00:00.000Z","activeMs":123,"type":"paused","reason":"ü","sum":"1266931d"}\n',
    );
    expect(sumOfLine(line.subarray(0, -1))).toBe('1266931d');
  });

  it.each(['\u2028 \u2029 \u0085', '\ud800 lone', '\n\r\0', '","sum":"00000000"}', '🦀'])(
    'is one line with %j',
    (text) => {
      const { line, recorded } = encodeRecord({ type: 'agent-said', text }, stamp);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(decodeRecord(Buffer.from(line.subarray(0, -1)))).toEqual(recorded);
      expect(recorded).toMatchObject({ text });
    },
  );

  it('does not accept a checksum in other letters', () => {
    const { line } = encodeRecord({ type: 'paused', reason: 'ü' }, stamp);
    const text = line.toString().trimEnd().replace('1266931d', '1266931D');
    expect(decodeRecord(Buffer.from(text))).toBe('its checksum does not match');
  });

  it('has one spelling of its checksum, and none that only counts up to the same', () => {
    for (let seq = 1; seq <= 20; seq += 1) {
      const line = encodeRecord({ type: 'tick' }, { ...stamp, seq }).line.subarray(0, -1);
      for (const at of spellings(sumOfLine(line))) {
        const other = Buffer.from(line);
        other.write(at, line.length - 10, 'latin1');
        expect(decodeRecord(other), at).toBe('its checksum does not match');
      }
    }
  });

  it('and the event that is told of it are without what must not be recorded', () => {
    const redact = (json: string) => json.replaceAll('hush', '[SECRET]');
    const { line, recorded } = encodeRecord({ type: 'agent-said', text: 'hush' }, stamp, redact);
    expect(recorded).toMatchObject({ text: '[SECRET]' });
    expect(decodeRecord(line.subarray(0, -1))).toEqual(recorded);
  });

  it.each([
    ['', 'it is not a whole record'],
    [',"sum":"00000000"}', 'it is not a whole record'],
    ['{"v":1}', 'it is not a whole record'],
    ['{"v":1,"sum":"ffffffff"}', 'its checksum does not match'],
    ['{"v":1,"sum":"        "}', 'its checksum does not match'],
  ])('is not taken from %j', (text, what) => {
    expect(unsealLine(Buffer.from(text))).toBe(what);
  });

  it('must have an envelope', () => {
    const { line } = encodeRecord({ type: 'tick' }, { ...stamp, at: 5 as unknown as string });
    expect(decodeRecord(line.subarray(0, -1))).toBe('it has no envelope');
  });
});

describe('a line that is skimmed', () => {
  const encoded = ({ seq, at, activeMs, ...event }: RunEvent) => encodeRecord(event, { seq, at, activeMs });
  const skimmed = (event: RunEvent) => skimRecord(encoded(event).line.subarray(0, -1));

  it('leads to the same state as the whole record', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let state = INITIAL_STATE;
        for (const event of events) {
          const { recorded } = encoded(event);
          const next = reduce(state, recorded);
          expect(reduce(state, skimmed(event) ?? recorded)).toEqual(next);
          state = next;
        }
      }),
    );
  });

  const envelope = { v: 1, ...stamp };

  it.each<[RunEvent, object]>([
    [{ ...envelope, type: 'agent-said', text: 'long, "matches":{} and "denied":true' }, { text: '' }],
    [{ ...envelope, type: 'tool-answered', output: 'x', failed: true }, { failed: true }],
    [{ ...envelope, type: 'tool-answered', output: ',"denied":true,"failed":true' }, {}],
    [{ ...envelope, type: 'tool-answered', output: 'x', denied: true }, { denied: true }],
  ])('is not parsed when only its words are left out: %j', (event, kept) => {
    const { v, type, seq, at, activeMs } = event;
    expect(skimmed(event)).toEqual({ v, type, seq, at, activeMs, ...kept });
  });

  it('is left to who knows what another version means by it', () => {
    const lineOf = (v: number) =>
      sealLine(JSON.stringify({ v, seq: 1, at: 'now', activeMs: 1, type: 'agent-said', text: 'a' })).subarray(0, -1);
    expect(skimRecord(lineOf(1))).toBeDefined();
    expect(skimRecord(lineOf(2))).toBeUndefined();
  });

  it.each<RunEvent>([
    { ...envelope, type: 'agent-said', text: 'a', matches: { '/a/': 'a' } },
    { ...envelope, type: 'paused', reason: 'a' },
    { ...envelope, type: 'agent-finished' },
  ])('is left to who reads it as a whole when its words matter: %j', (event) => {
    expect(skimmed(event)).toBeUndefined();
  });

  it('is left to who says what is wrong with it', () => {
    const { line } = encodeRecord({ type: 'agent-said', text: 'a' }, stamp);
    const text = line.toString().trimEnd();
    expect(skimRecord(Buffer.from(text))).toBeDefined();
    for (const other of [text.replace('"a"', '"b"'), text.slice(0, -1), text.replace('"v":1', '"v":2'), '', '{']) {
      expect(skimRecord(Buffer.from(other)), other).toBeUndefined();
    }
  });
});

describe('a line that is not ours', () => {
  const whole = () => encodeRecord({ type: 'paused' }, stamp).line.subarray(0, -1);
  const resealed = (change: object) =>
    sealLine(JSON.stringify({ v: 1, ...stamp, type: 'paused', ...change })).subarray(0, -1);

  it.each(Array.from({ length: 18 }, (_, index) => index + 1))('is known by byte %i from its end', (fromEnd) => {
    const line = Buffer.from(whole());
    line[line.length - fromEnd] = 0x7e;
    expect(decodeRecord(line)).toBe(
      fromEnd <= 2 || fromEnd > 10 ? 'it is not a whole record' : 'its checksum does not match',
    );
  });

  it.each(['A', 'F', 'g', '/', ':', '`', '@', ' '])('has a checksum with %j in it', (character) => {
    const line = Buffer.from(whole());
    line.write(character, line.length - 3);
    expect(decodeRecord(line)).toBe('its checksum does not match');
  });

  it('is sealed and no JSON', () => {
    expect(decodeRecord(sealLine('{"v":1,,}').subarray(0, -1))).toBe('it is not JSON');
  });

  it.each([{ v: '1' }, { v: 1.5 }, { seq: '1' }, { seq: null }, { at: 5 }, { activeMs: '1' }, { type: 7 }])(
    'is sealed and has no envelope: %j',
    (change) => {
      expect(decodeRecord(resealed({}))).toMatchObject({ type: 'paused' });
      expect(decodeRecord(resealed(change))).toBe('it has no envelope');
    },
  );

  it('is not written: a time that is none names itself', () => {
    expect(() => encodeRecord({ type: 'tick' }, { ...stamp, activeMs: Number.NaN })).toThrow(
      'activeMs is not a number: NaN',
    );
  });
});
