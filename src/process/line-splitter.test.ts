import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.js';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, type Line } from './line-splitter.js';

function split(chunks: readonly (string | Uint8Array)[], limitBytes = 1000): Line[] {
  const lines: Line[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), limitBytes);
  for (const chunk of chunks) splitter.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  splitter.end();
  return lines;
}
const texts = (chunks: readonly (string | Uint8Array)[], limitBytes?: number) =>
  split(chunks, limitBytes).map((line) => line.text);

describe('lines of a stream', () => {
  it.each([
    [['a\nb\n'], ['a', 'b']],
    [['a\nb'], ['a', 'b']],
    [
      ['a', 'b', '\n', 'c'],
      ['ab', 'c'],
    ],
    [['\n\n'], ['', '']],
    [['a\r\nb\r\n'], ['a', 'b']],
    [
      ['a\r', '\nb'],
      ['a', 'b'],
    ],
    [[''], []],
    [['\u2028a\n'], ['\u2028a']],
  ])('%j are %j', (chunks, lines) => expect(texts(chunks)).toEqual(lines));

  it('keeps characters whole that two chunks share', () => {
    const fox = Buffer.from('🦊\n');
    expect(texts([fox.subarray(0, 2), fox.subarray(2)])).toEqual(['🦊']);
  });

  it('survives bytes that are no text', () => {
    expect(texts([Uint8Array.of(0xff, 0x00, 0xc3, 0x0a, 0x41)])).toEqual(['\ufffd\u0000\ufffd', 'A']);
  });

  it('keeps the beginning of a line that is too long, counts the rest, and goes on with the next', () => {
    expect(split(['12345', '67890', 'ab\nnext\n'], 8)).toEqual([
      { text: '12345678', bytes: 12, omittedBytes: 4, tail: '90ab' },
      { text: 'next', bytes: 4, omittedBytes: 0 },
    ]);
    expect(split(['1234567890\nok'], 8)).toEqual([
      { text: '12345678', bytes: 10, omittedBytes: 2, tail: '90' },
      { text: 'ok', bytes: 2, omittedBytes: 0 },
    ]);
    expect(split(['12345678\n'], 8)).toEqual([{ text: '12345678', bytes: 8, omittedBytes: 0 }]);
  });

  it('does not hold on to the memory of the stream', () => {
    const chunk = Buffer.from('abc');
    const lines: Line[] = [];
    const splitter = createLineSplitter((line) => lines.push(line), 100);
    splitter.write(chunk);
    chunk.fill('x');
    splitter.write(Buffer.from('\n'));
    expect(lines[0]?.text).toBe('abc');
  });

  it('gives the same lines however the stream is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter })), fc.array(fc.nat(20)), (lines, cuts) => {
        const whole = lines.map((line) => line.replace(/[\n\r]/g, ' '));
        const bytes = Buffer.from(whole.map((line) => `${line}\n`).join(''));
        const chunks: Uint8Array[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        chunks.push(bytes.subarray(from));
        expect(texts(chunks, 1e6)).toEqual(whole.map((line) => Buffer.from(line).toString()));
      }),
    );
  });
});
