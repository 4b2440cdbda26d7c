import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../test/support/full-form.js';
import { parseSource } from './parse-yaml.js';
import { plainValue } from './config-file.js';

function problemOf(text: string): string | undefined {
  const parsed = parseSource(text, 'x.json');
  return 'problems' in parsed
    ? parsed.problems.map(({ offset, message }) => `${offset} ${message}`).join('; ')
    : undefined;
}

describe('JSON with places', () => {
  const refused: [string, string][] = [
    ['{"a":1,}', '7 is not valid JSON: unexpected "}"'],
    ['{a:1}', '1 is not valid JSON: unexpected "a"'],
    ["{'a':1}", '1 is not valid JSON: unexpected "\'"'],
    ['{"a" 1}', '5 is not valid JSON: unexpected "1"'],
    ['{"a":1 "b":2}', '7 is not valid JSON: unexpected "\\""'],
    ['[1,]', '3 is not valid JSON: unexpected "]"'],
    ['[1', '2 is not valid JSON: it ends too early'],
    ['"abc', '4 is not valid JSON: it ends too early'],
    ['"\\x"', '2 is not valid JSON: unexpected "x"'],
    ['{} {}', '3 is not valid JSON: unexpected "{"'],
    ['{"a":08}', '6 is not valid JSON: unexpected "8"'],
    ['{"a":NaN}', '5 is not valid JSON: unexpected "N"'],
    ['// x\n{}', '0 is not valid JSON: unexpected "/"'],
    ['{"a":1,"a":2}', '7 the key "a" is written twice'],
    ['['.repeat(200_000) + ']'.repeat(200_000), '80 is nested more than 80 deep'],
    [`[${'1,'.repeat(30_000)}1]`, '39999 contains more than 20000 values'],
  ];
  it.each(refused.map(([text, problem]) => [text.slice(0, 40), text, problem] as const))(
    '%j is refused at its place',
    (_start, text, problem) => {
      expect(problemOf(text)).toBe(problem);
    },
  );

  it('reads what JSON.parse reads, and nothing else', () => {
    const texts = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc.string(),
      fc
        .array(
          fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', '0', '.5', 'e3', 'null', 'true', ' ', '\n'),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseSource(text, 'x.json');
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          // An empty file is an empty config.
          if (text.trim() === '') return;
          expect('problems' in parsed).toBe(true);
          return;
        }
        if ('problems' in parsed) expect(parsed.problems[0]?.message).toMatch(/written twice/);
        else expect(parsed.root === undefined ? undefined : plainValue(parsed.root)).toEqual(expected);
      }),
      { numRuns: tries(700) },
    );
  });

  it('keeps __proto__ an ordinary key', () => {
    const parsed = parseSource('{"__proto__":{"polluted":true}}', 'x.json');
    const value = 'root' in parsed && parsed.root !== undefined ? plainValue(parsed.root) : undefined;
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
