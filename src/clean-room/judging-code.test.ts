import { describe, expect, it } from 'vitest';
import { askedBy, judgingLines } from './judging-code.js';

describe('what a test asks whether a result is right', () => {
  it.each([
    ['a.test.js', 'assert.ok(isTotal(1, 2, sum(1, 2)));', 'isTotal'],
    ['a.test.js', "test('adds', () => assert(isTotal(1, 2, sum(1, 2))));", 'isTotal'],
    ['a.test.ts', 'expect(rules.isTotal(1, 2, sum(1, 2))).toBe(true);', 'isTotal'],
    ['test_a.py', 'def test_a():\n    assert is_total(1, 2, add(1, 2))\n', 'is_total'],
    ['test_a.py', '        self.assertTrue(calc.is_total(1, 2, add(1, 2)))', 'is_total'],
    ['a_test.go', 'if !IsTotal(1, 2, Sum(1, 2)) {', 'IsTotal'],
    ['tests/a.rs', 'assert!(is_total(1, 2, sum(1, 2)));', 'is_total'],
    ['tests/run.sh', '  if sh tools/same.sh $(sh sum.sh 1 2) "$want"; then', 'tools/same.sh'],
  ])('%s: %s', (path, text, name) => {
    expect([...askedBy({ path, text })]).toEqual([name]);
  });

  it.each([
    ['a.test.js', 'assert.ok(isPrime(7));'],
    ['a.test.js', 'assert.equal(format(parse(text)), text);'],
    ['a.test.js', 'expect(format(parse(text))).toBe(text);'],
    ['a.test.js', 'expect(isTotal(1, 2, sum(1, 2))).toBe(false);'],
    ['test_a.py', 'assert total(add(1, 2)) == 3'],
    ['tests/a.rs', 'assert_eq!(total(sum(1, 2)), 3);'],
    ['tests/run.sh', 'sh build.sh\n'],
  ])('%s asks nothing with: %s', (path, text) => {
    expect([...askedBy({ path, text })]).toEqual([]);
  });
});

describe('changed code that decides whether a test passes', () => {
  const tests = [{ path: 'test/a.test.js', text: 'assert.ok(isTotal(1, 2, sum(1, 2)));' }];
  const original = `export const other = 1;
export function isTotal(a, b, total) {
  const rest = total - a;
  if (rest !== b) return false;
  return true;
}
export const last = 2;
`;
  const flagged = (now: string, asked = tests) =>
    judgingLines([{ path: 'src/check.js', text: now, original }], asked).map(({ line }) => line);

  it.each([
    ['where a line is another one', original.replace('rest !== b', '!Number.isFinite(rest)'), [4]],
    ['behind a variable of its own', original.replace('return true', 'return total === total'), [5]],
    ['where a line is gone', original.replace('  if (rest !== b) return false;\n', ''), [4]],
    ['where its last lines are gone', original.replace('  return true;\n}\nexport const last = 2;\n', ''), [4]],
  ])('is flagged %s', (_, now, lines) => {
    expect(flagged(now)).toEqual(lines);
  });

  it('is not flagged when only code around it changed', () => {
    expect(flagged(original.replace('other = 1', 'other = 3\n\n').replace('last = 2', 'last = 4'))).toEqual([]);
  });

  it('is not flagged when no test asks it', () => {
    const equal = [{ path: 'test/a.test.js', text: 'assert.equal(isTotal(1, 2, sum(1, 2)), true);' }];
    expect(flagged(original.replace('rest !== b', 'false'), equal)).toEqual([]);
  });

  it('may be a method', () => {
    const method = (body: string) => `export class Rules {\n  isTotal(a, b, total) {\n    ${body}\n  }\n}\n`;
    const source = { path: 'src/a.js', text: method('return true;'), original: method('return total === a + b;') };
    expect(judgingLines([source], tests)).toEqual([
      { path: 'src/a.js', line: 3, what: 'decides whether a test passes' },
    ]);
  });

  it('may be a script', () => {
    const run = [{ path: 'tests/run.sh', text: 'if ./tools/same.sh "$(./sum)" 3; then' }];
    const script = { path: 'tools/same.sh', text: '# same\ntrue\n', original: '# same\n[ "$1" = "$2" ]\n' };
    expect(judgingLines([script], run)).toEqual([
      { path: 'tools/same.sh', line: 2, what: 'decides whether a test passes' },
    ]);
  });
});
