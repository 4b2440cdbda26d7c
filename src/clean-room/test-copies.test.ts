import { describe, expect, it } from 'vitest';
import { withOtherValues } from './other-values.js';
import { copyOfTest } from './test-copies.js';

describe('another expected value', () => {
  it.each([
    ['same(sum(1, 2), 3);', 'same(sum(1, 2), 0);', 'same(sum(1, 2), 6);'],
    ['assert.strictEqual(sum(1, 2), 3, "sum");', 'assert.strictEqual(sum(1, 2), 0, "sum");', undefined],
    ['expect(sum(1, 2)).toBeCloseTo(3, digits)', 'expect(sum(1, 2)).toBeCloseTo(0, digits)', undefined],
    ['await expect(load(1)).resolves.toBe("a")', 'await expect(load(1)).resolves.toBe("")', undefined],
    ["equal(greet('Bo'), 'Hi Bo')", "equal(greet('Bo'), '')", "equal(greet('Bo'), 'Hi Bo absent')"],
    ['near(t, Sum(1, 2), 0.5)', 'near(t, Sum(1, 2), 7.5)', 'near(t, Sum(1, 2), 14.5)'],
    ['same(got, 1)', 'same(got, 8)', 'same(got, 15)'],
    ['expectSum(sum(1, [2, 3]), 6)', 'expectSum(sum(1, [2, 3]), 0)', 'expectSum(sum(1, [2, 3]), 12)'],
  ])('%s', (statement, first, second) => {
    expect(withOtherValues(statement, 'script', 0)).toBe(first);
    if (second !== undefined) expect(withOtherValues(statement, 'script', 1)).toBe(second);
  });

  it.each([
    ['assert add(1, 2) == 3', 'assert add(1, 2) == 0'],
    ['assert 3 == add(1, 2), "sum"', 'assert 0 == add(1, 2), "sum"'],
    ['assert add(1, 2) == pytest.approx(3, abs=LIMIT)', 'assert add(1, 2) == pytest.approx(0, abs=LIMIT)'],
    ['assert close(add(1, 2), 3)', 'assert close(add(1, 2), 0)'],
    ['self.assertEqual(add(1, 2), 3)', 'self.assertEqual(add(1, 2), 0)'],
  ])('of Python: %s', (statement, other) => {
    expect(withOtherValues(`    ${statement}\n`, 'python', 0)).toBe(`    ${other}\n`);
  });

  it.each([
    'notEqual(sum(1, 2), 4)',
    'expectAtLeast(sum(1, 2), 1)',
    'check(isSum(1, 2), "one and two")',
    'assert.ok(sum(1, 2), "a sum")',
    'seed(numbers(1), 3)',
    'expect(sum(1, 2)).not.toBe(4)',
    'expect(total).toBeGreaterThan(3)',
    'waitFor(() => same(sum(1, 2), 3))',
    'request(open(1), 3)',
    'const total = same(sum(1, 2), 3)',
  ])('is not looked for in %s', (statement) => {
    expect(withOtherValues(statement, 'script', 0)).toBeUndefined();
  });

  it.each(['assert add(1, 2) != 4', 'assert add(1, 2) == 3 or late', 'assert [1] == [ANY]', 'assert ANY == 3'])(
    'is not looked for in %s of Python',
    (statement) => {
      expect(withOtherValues(`${statement}\n`, 'python', 0)).toBeUndefined();
    },
  );
});

describe('a copy of a test with other values', () => {
  const inText = (path: string, text: string, name: string) => {
    const copy = copyOfTest(path, text, name, 'other');
    return copy && text.slice(0, copy.at) + copy.text + text.slice(copy.at);
  };

  it('follows the test, with what the test can use there', () => {
    const text =
      "describe('sum', () => {\n  const { sum } = load();\n  it('adds', () => same(sum(1, 2), 3), 100);\n});\n";
    expect(inText('a.test.js', text, 'adds')).toBe(
      `describe('sum', () => {
  const { sum } = load();
  it('adds', () => same(sum(1, 2), 3), 100);
it("adds other", async () => { await (async () => (same(sum(1, 2), 0)))(); await (async () => (same(sum(1, 2), 6)))(); }, 100);;
});
`,
    );
  });

  it('is a method next to a method', () => {
    const text =
      'class Adds(Base):\n    def test_ones(self):\n        self.assertSum(add(1, 2), 3)\n\n    def test_tens(self):\n        pass\n';
    expect(inText('test_a.py', text, 'test_ones')).toBe(
      `class Adds(Base):
    def test_ones(self):
        self.assertSum(add(1, 2), 3)

    def test_ones_other(self):
        self.assertSum(add(1, 2), 0)
        self.assertSum(add(1, 2), 6)

    def test_tens(self):
        pass
`,
    );
  });

  it('is a function of its own in Go and Rust', () => {
    const go = 'func TestAdds(t *testing.T) { same(t, Sum(1, 2), 3) }\n';
    expect(inText('a_test.go', go, 'TestAdds')).toContain(
      'func TestAdds_other(t *testing.T) {\n\tfunc() { same(t, Sum(1, 2), 0) \n\t}()\n',
    );
    const rust = '#[test]\nfn adds() {\n    let a: &\'static str = "}";\n    assert_eq!(sum(1, a), 3);\n}\n';
    expect(inText('a.rs', rust, 'adds')).toContain('fn adds_other() {\n    {\n    let a');
    expect(inText('a.rs', rust, 'adds')).toContain('assert_eq!(sum(1, a), 6);');
  });

  it.each([
    ['may end early', 'a.test.js', "it('adds', () => { if (late) return; same(sum(1, 2), 3); });\n"],
    ['ends by a call', 'a.test.js', "it('adds', (done) => { same(sum(1, 2), 3); done(); });\n"],
    ['compares nothing', 'a.test.js', "it('adds', () => { sum(1, 2); });\n"],
    ['is no statement', 'a.test.js', "run(it('adds', () => same(sum(1, 2), 3)));\n"],
    ['has parameters', 'test_a.py', '@pytest.mark.parametrize("a", [1])\ndef adds(a):\n    assert add(a, 2) == 3\n'],
    ['should panic', 'a.rs', '#[test]\n#[should_panic]\nfn adds() { same(sum(1, 2), 3); }\n'],
    ['never ends', 'a.test.js', "it('adds', () => { same(sum(1, 2), 3);\n"],
  ])('is not made of a test that %s', (_, path, text) => {
    expect(inText(path, text, 'adds')).toBeUndefined();
  });
});
