import { describe, expect, it } from 'vitest';
import { askedBy, judgingLines } from './judging-code.js';

const added = (path: string, ...lines: number[]) => lines.map((line) => ({ path, line }));

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
  const text = 'export const other = 1;\nexport function isTotal() {\n  return true;\n}\nexport const last = 2;\n';

  it('is flagged at the line that changed', () => {
    expect(judgingLines(added('src/check.js', 3, 5), [{ path: 'src/check.js', text }], tests)).toEqual([
      { path: 'src/check.js', line: 3, what: 'decides whether a test passes' },
    ]);
  });

  it('is not flagged when only code around it changed', () => {
    expect(judgingLines(added('src/check.js', 1, 5), [{ path: 'src/check.js', text }], tests)).toEqual([]);
  });

  it('is not flagged when no test asks it', () => {
    const equal = [{ path: 'test/a.test.js', text: 'assert.equal(isTotal(1, 2, sum(1, 2)), true);' }];
    expect(judgingLines(added('src/check.js', 3), [{ path: 'src/check.js', text }], equal)).toEqual([]);
  });

  it('may be a script', () => {
    const run = [{ path: 'tests/run.sh', text: 'if ./tools/same.sh "$(./sum)" 3; then' }];
    expect(judgingLines(added('tools/same.sh', 2), [{ path: 'tools/same.sh', text: '\ntrue\n' }], run)).toEqual([
      { path: 'tools/same.sh', line: 2, what: 'decides whether a test passes' },
    ]);
  });
});
