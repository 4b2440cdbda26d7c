import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { conditionKey } from '../model/condition-key.js';
import { EMPTY_POLICY, type Policy } from '../model/policy.js';
import type { EventBodies } from '../model/run-event.js';
import { shorten, Speech } from './speech.js';

const DONE = { type: 'output_pattern', pattern: 'ALL DONE' } as const;
const FAILED = { type: 'output_pattern', pattern: '^FAILED: \\w+$', is_regex: true } as const;
const KEY = conditionKey(DONE);
const POLICY: Policy = {
  ...EMPTY_POLICY,
  success: [{ type: 'all', conditions: [DONE, { type: 'all_tests_pass' }] }],
  failure: [FAILED],
};

let said: EventBodies['agent-said'][];
let speech: Speech;
beforeEach(() => {
  said = [];
  speech = new Speech(POLICY, (one) => said.push(one));
});

const found = () => said.flatMap(({ matches }) => Object.entries(matches ?? {}));

/** Says so much that no more is recorded, and tells how many characters were not. */
function fillTheRecord(): number {
  for (let at = 0; at < 300; at++) speech.message('x'.repeat(60_000));
  const omitted = 60_000 * (300 - said.length);
  said = [];
  return omitted;
}

describe('the end of what an agent says', () => {
  it('is one message where it prints slowly, so that no part of it stands alone', () => {
    for (const line of ['Two tests are not fixed.', 'That is,', 'all done.']) {
      speech.line(line);
      speech.pause();
    }
    expect(speech.last).toBe('all done.');
    expect(speech.closing).toBe('Two tests are not fixed.\nThat is,\nall done.');
    speech.message('A whole message.');
    speech.line('After it.');
    speech.end();
    expect(speech.closing).toBe('After it.');
  });
});

describe('a completion marker', () => {
  it('is found in a message, wherever it stands in the policy, and told once', () => {
    speech.message('I am ALL DONE now');
    speech.message('ALL DONE, as I said');
    speech.message('FAILED: lint');
    expect(found()).toEqual([
      [KEY, 'ALL DONE'],
      [conditionKey(FAILED), 'FAILED: lint'],
    ]);
    expect(said.map(({ text }) => text)).toEqual(['I am ALL DONE now', 'ALL DONE, as I said', 'FAILED: lint']);
  });

  it('is not one in other letters, nor one whose halves are in two messages', () => {
    speech.message('all done');
    speech.message('ALL ');
    speech.message('DONE');
    speech.end();
    expect(found()).toEqual([]);
  });

  it('across two pieces of plain output is found, and one across a message between them is not', () => {
    const across = { type: 'output_pattern', pattern: 'first\nsecond' } as const;
    const say = (between: () => void) => {
      said = [];
      speech = new Speech({ ...EMPTY_POLICY, success: [across] }, (one) => said.push(one));
      speech.line('first');
      speech.pause();
      between();
      speech.line('second');
      speech.end();
      return found().length;
    };
    expect(say(() => undefined)).toBe(1);
    expect(say(() => speech.message('a message'))).toBe(0);
  });

  it('at the very beginning is found there, also of plain output after a message', () => {
    const atStart = { type: 'output_pattern', pattern: '\\Afirst', is_regex: true } as const;
    for (const before of [() => undefined, () => speech.message('a message')]) {
      said = [];
      speech = new Speech({ ...EMPTY_POLICY, success: [atStart] }, (one) => said.push(one));
      before();
      speech.line('first');
      speech.end();
      expect(found()).toHaveLength(1);
    }
  });

  it('is none of a condition that looks for no text', () => {
    speech.message('undefined');
    expect(said).toStrictEqual([{ text: 'undefined' }]);
  });

  it('after so much that the rest is not recorded is found all the same, with its surroundings', () => {
    fillTheRecord();
    speech.message(`${'y'.repeat(100_000)} ALL DONE ${'z'.repeat(100_000)}`);
    expect(found()).toEqual([[KEY, 'ALL DONE']]);
    expect(said[0]?.text.length).toBeLessThan(2200);
    expect(said[0]?.omitted).toBe(200_010 - 2048);
  });
});

describe('what an agent says', () => {
  it('and is too much to be recorded is counted, and its end is recorded', () => {
    const before = fillTheRecord();
    speech.message('q'.repeat(1000));
    speech.message('the last words');
    expect(said).toEqual([]);
    speech.end();
    expect(said).toStrictEqual([{ text: 'the last words', omitted: before + 1000 }]);
    expect(speech.last).toBe('the last words');
  });

  it('and is nothing leaves no record', () => {
    speech.pause();
    speech.end();
    expect(said).toEqual([]);
    expect(speech.last).toBeUndefined();
  });

  it('in one message beyond all measure is recorded by its ends, and remembered by its end', () => {
    speech.message(`begin${'x'.repeat(200_000)}end`);
    expect(said[0]?.text).toMatch(/^beginx.*\n\[… \d+ characters …\]\n.*xend$/s);
    expect(said[0]?.omitted).toBe(200_008 - 64 * 1024);
    expect(speech.last).toHaveLength(64 * 1024);
    speech.end();
    expect(said).toHaveLength(1);
  });

  it('in control characters takes the room that it has in the record', () => {
    for (let at = 0; at < 60; at++) speech.message('\u0001'.repeat(64 * 1024));
    expect(said.length).toBeLessThan(60);
  });
});

describe('plain output', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is one message until nothing has come for a while', () => {
    speech.line('one');
    vi.advanceTimersByTime(200);
    speech.line('two');
    expect(said).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(said).toEqual([{ text: 'one\ntwo' }]);
    speech.line('three');
    vi.advanceTimersByTime(250);
    expect(said).toEqual([{ text: 'one\ntwo' }, { text: 'three' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('without a pause is cut before it fills the memory', () => {
    for (let at = 0; at < 16; at++) speech.line('x'.repeat(1023));
    expect(said).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
    speech.line('y');
    speech.message('m');
    expect(said.map(({ text }) => text).slice(1)).toEqual(['y', 'm']);
  });
});

it.each([
  [10, 'x y z x y ', undefined],
  [9, `x y \n[… 2 characters …]\nx y `, 2],
])('ten characters are shortened to %d by their middle', (most, text, omitted) => {
  expect(shorten('x y z x y ', most)).toEqual(omitted === undefined ? { text } : { text, omitted });
});
