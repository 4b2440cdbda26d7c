/** Patterns come from configs and planted records, texts from agents: no pair of them may hold up a run. */
import { expect, it } from 'vitest';
import { compilePattern, regexProblem } from '../../src/model/pattern.js';

/** Each takes a backtracking engine longer than the universe has been there, on a text of some kilobytes. */
const EXPLOSIVE = [
  '(a+)+$',
  '(a*)*$',
  '(a|a)*$',
  '(a|aa)+$',
  '(.*a){12}$',
  '([a-zA-Z]+)*$',
  '(a?){30}a{30}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '(.*)*=.*',
  '^(a+)+b',
  '(\\w+\\s?)*!',
  '(\\d+)*x',
  '(a+){10}b',
  '((a+)|(a+))+b',
  '(a+b?)+c',
  '(?:a{1,30}){1,30}b',
  '^(\\w+)([-.]\\w+)*@',
  '(0|1|01|10)*2',
  '(.+)+\\n\\n',
];
const KILOBYTES = process.env['PAWL_TEST_ALL'] === '1' ? 1024 : 256;
const TEXT = 'a'.repeat(KILOBYTES * 1024);

it.each(EXPLOSIVE)(
  '%s over a long text is searched or refused, and never hangs',
  (pattern) => {
    if (regexProblem(pattern) !== undefined) return;
    const find = compilePattern({ pattern, is_regex: true });
    for (const text of [TEXT, '01'.repeat(TEXT.length / 8), 'a-'.repeat(TEXT.length / 8)]) {
      const found = find(text);
      expect(found === undefined || found.length <= 201).toBe(true);
    }
  },
  120_000,
);

it.each(['(?=a)', '(?<!a)b', '(a)\\1', '(', '[z-a]', '\\p{Nope}', 'a{1001}'])('%s is refused with words', (pattern) => {
  expect(regexProblem(pattern)).toMatch(/linear time/);
});
