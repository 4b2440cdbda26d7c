import { describe, expect, it } from 'vitest';
import { isTestIn, withEarlierTests } from './source-tests.js';

const rust = (code: string, tests: string, name = 'tests') =>
  `${code}\n\n#[cfg(test)]\nmod ${name} {\n    use super::*;\n${tests}\n}\n`;
const SUM = 'pub fn sum(a: i32, b: i32) -> i32 { a - b }';
const ONES = '    #[test] fn adds() { assert_eq!(sum(1, 2), 3); }';
const WEAK = '    #[test] fn adds() { assert_eq!(sum(1, 2), -1); }';

describe('code with the tests that it contained at the start', () => {
  it('of Rust: the code is that of now', () => {
    const now = rust(`${SUM}\n// new\n`, WEAK);
    expect(withEarlierTests('src/lib.rs', rust(SUM, ONES), now)).toBe(rust(`${SUM}\n// new\n`, ONES));
    expect(withEarlierTests('src/lib.rs', rust(SUM, ONES), rust(`${SUM}// new`, ONES))).toBeUndefined();
  });

  it('of Rust: tests that are gone are there again', () => {
    expect(withEarlierTests('src/lib.rs', rust(SUM, ONES), SUM)).toContain(ONES);
  });

  it('of Rust: tests of a function that has another name now stay as they are', () => {
    const original = rust(`fn plus() {}\n${SUM}`, '    #[test] fn adds() { plus(); }');
    const now = rust(`fn add_to() {}\n${SUM}`, '    #[test] fn adds() { add_to(); }');
    expect(withEarlierTests('src/lib.rs', original, now)).toBeUndefined();
  });

  it('of Rust: a file of tests is whole', () => {
    expect(withEarlierTests('src/sum/tests.rs', ONES, WEAK)).toBe(ONES);
    expect(withEarlierTests('src/contests.rs', ONES, WEAK)).toBeUndefined();
  });

  it('of vitest', () => {
    const source = (value: string) => `export const sum = 1;\nif (import.meta.vitest) {\n  expect(sum).${value};\n}\n`;
    const now = source('toBeDefined()').replace('= 1', '= 2');
    expect(withEarlierTests('src/sum.js', source('toBe(3)'), now)).toBe(source('toBe(3)').replace('= 1', '= 2'));
  });

  it('of a docstring with examples, and other docstrings stay', () => {
    const source = (example: string, words: string) =>
      `def add(a, b):\n    """The sum.\n\n    >>> add(1, 2)\n    ${example}\n    """\n    return a - b\n\n\ndef sub(a, b):\n    """${words}"""\n`;
    expect(withEarlierTests('src/calc.py', source('3', 'old'), source('-1', 'new'))).toBe(source('3', 'new'));
  });
});

it.each([
  ['tests::adds_ones', 'src/lib.rs', 'fn adds_ones() {', true],
  ['src/sum.js > sum > adds twos', 'src/sum.js', "it('adds twos'", true],
  ['src/calc.py::calc.add', 'src/calc.py', '', true],
  ['calc.add', 'src/other.py', 'add', false],
  ['tests::adds_tens', 'src/lib.rs', 'fn adds_ones() {', false],
])('a test named %s in %s', (name, path, text, expected) => {
  expect(isTestIn(name, path, text)).toBe(expected);
});
