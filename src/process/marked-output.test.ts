import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkedOutput } from './marked-output.js';

const MARK = Buffer.from('\x1eab12');

function through(chunks: readonly Buffer[]) {
  const passed: Buffer[] = [];
  const marks: string[] = [];
  const output = new MarkedOutput(
    MARK,
    (chunk) => passed.push(Buffer.from(chunk)),
    (text) => marks.push(text),
  );
  for (const chunk of chunks) output.write(chunk);
  const before = Buffer.concat(passed).toString('latin1');
  output.end();
  return { before, after: Buffer.concat(passed).toString('latin1'), marks };
}

describe('output up to a mark', () => {
  it('is passed on whole, however it is cut, and nothing after the mark is', () => {
    const piece = fc.constantFrom('a', '\x1e', '\x1ea', '\x1eab1', '\n', 'ab12', '\x1e\x1e', 'x y');
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(4)), fc.nat(255), (pieces, cuts, code) => {
        const text = pieces.join('');
        fc.pre(!text.includes('\x1eab12'));
        const bytes = Buffer.from(`${text}\x1eab12 ${code}\nlate`, 'latin1');
        const chunks: Buffer[] = [];
        let from = 0;
        for (const size of cuts) {
          chunks.push(bytes.subarray(from, from + size));
          from = Math.min(bytes.length, from + size);
        }
        chunks.push(bytes.subarray(from));
        expect(through(chunks)).toEqual({ before: text, after: text, marks: [String(code)] });
      }),
    );
  });

  it('is held back only as far as it may be the mark', () => {
    expect(through([Buffer.from('{"usage":1}\n')]).before).toBe('{"usage":1}\n');
    expect(through([Buffer.from('a\x1eax')]).before).toBe('a\x1eax');
    expect(through([Buffer.from('a\x1eab')])).toEqual({ before: 'a', after: 'a\x1eab', marks: [] });
  });
});
