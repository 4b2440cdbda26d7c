import { describe, expect, it } from 'vitest';
import { CONDITION_TYPES } from './condition-catalog.js';
import { ConfigError } from './errors.js';
import { parseCondition, readCondition } from './parse-condition.js';

const problems = (input: unknown, path = 'stop.limits[1]') =>
  readCondition(input, path).issues.map((issue) => `${issue.path}: ${issue.message}`);

describe('reading a condition', () => {
  it.each([
    ['all_tests_pass', { type: 'all_tests_pass' }],
    [{ all_tests_pass: null }, { type: 'all_tests_pass' }],
    [{ all_tests_pass: true }, { type: 'all_tests_pass' }],
    [{ all_tests_pass: { fewer_tests: 'allow' } }, { type: 'all_tests_pass', fewer_tests: 'allow' }],
    [{ max_iterations: 3 }, { type: 'max_iterations', count: 3 }],
    [
      { type: 'max_iterations', count: 3 },
      { type: 'max_iterations', count: 3 },
    ],
    [{ max_duration: '1h 30m' }, { type: 'max_duration', duration: '1h 30m' }],
    [{ deadline: '2026-01-31T06:00:00Z' }, { type: 'deadline', at: '2026-01-31T06:00:00Z' }],
    [{ deadline: '2026-01-31T06:00+02:00' }, { type: 'deadline', at: '2026-01-31T06:00+02:00' }],
    [{ max_cost: 0.5 }, { type: 'max_cost', usd: 0.5 }],
    [{ max_cost: { usd: 5, model: 'gpt-4o' } }, { type: 'max_cost', usd: 5, model: 'gpt-4o' }],
    [{ test_failure_streak: { count: 2, strict: true } }, { type: 'test_failure_streak', count: 2, strict: true }],
    [{ specific_tests_pass: 'one' }, { type: 'specific_tests_pass', tests: ['one'] }],
    [{ specific_tests_pass: ['one', 'two'] }, { type: 'specific_tests_pass', tests: ['one', 'two'] }],
    [{ protected_path_changed: 'test/**' }, { type: 'protected_path_changed', paths: ['test/**'] }],
    [{ file_contains: { path: 'a', content: 'b' } }, { type: 'file_contains', path: 'a', content: 'b' }],
    [{ output_pattern: 'DONE' }, { type: 'output_pattern', pattern: 'DONE' }],
    [{ on_error: null }, { type: 'on_error' }],
    [{ on_error: 'disk' }, { type: 'on_error', pattern: 'disk' }],
    [{ custom_script: 'a.sh' }, { type: 'custom_script', script: 'a.sh' }],
    [
      { custom_script: { script: 'a.sh', args: ['x', ''], timeout: '5s' } },
      { type: 'custom_script', script: 'a.sh', args: ['x', ''], timeout: '5s' },
    ],
    [{ diff_exceeds: { lines: 9 } }, { type: 'diff_exceeds', lines: 9 }],
    [{ context_above: 0 }, { type: 'context_above', percent: 0 }],
    [{ context_above: 100 }, { type: 'context_above', percent: 100 }],
    [{ retry_rate: 0 }, { type: 'retry_rate', max: 0 }],
    [{ reject_rate: { max: 1, min_items: 5 } }, { type: 'reject_rate', max: 1, min_items: 5 }],
    [{ not: 'all_tests_pass' }, { type: 'not', condition: { type: 'all_tests_pass' } }],
    [{ not: { max_iterations: 3 } }, { type: 'not', condition: { type: 'max_iterations', count: 3 } }],
    [{ not: { condition: 'never' } }, { type: 'not', condition: { type: 'never' } }],
    [
      { all: ['all_tests_pass', { any: [{ max_cost: 1 }] }] },
      {
        type: 'all',
        conditions: [{ type: 'all_tests_pass' }, { type: 'any', conditions: [{ type: 'max_cost', usd: 1 }] }],
      },
    ],
    [
      { for: { iterations: 2, condition: 'all_tests_pass' } },
      { type: 'for', iterations: 2, condition: { type: 'all_tests_pass' } },
    ],
    [
      { all_tests_pass: null, confirm: 3 },
      { type: 'all_tests_pass', confirm: 3 },
    ],
    [
      { all: ['all_tests_pass'], class: 'goal' },
      { type: 'all', conditions: [{ type: 'all_tests_pass' }], class: 'goal' },
    ],
    [
      { type: 'never', class: 'failure' },
      { type: 'never', class: 'failure' },
    ],
  ])('accepts %j', (input, condition) => {
    expect(parseCondition(input)).toEqual(condition);
  });

  it('gives back frozen data, to the innermost', () => {
    const condition = parseCondition({ all: [{ specific_tests_pass: ['one'] }] });
    expect(Object.isFrozen(condition)).toBe(true);
    expect(Object.isFrozen(condition.type === 'all' && condition.conditions[0])).toBe(true);
  });

  it('does not hold on to the object it was given', () => {
    const given = { type: 'max_iterations', count: 3 };
    const condition = parseCondition(given);
    given.count = Number.NaN;
    expect(condition).toEqual({ type: 'max_iterations', count: 3 });
  });

  it('knows every type of the catalog by its bare name', () => {
    for (const type of CONDITION_TYPES) expect(problems(type).join()).not.toContain('unknown condition');
  });
});

describe('refusing a condition', () => {
  const whole = 'must be a whole number of at least 1';
  it.each([
    [{ max_iterations: -1 }, `stop.limits[1].count: ${whole}, not -1`],
    [{ max_iterations: 0 }, `stop.limits[1].count: ${whole}, not 0`],
    [{ max_iterations: 2.5 }, `stop.limits[1].count: ${whole}, not 2.5`],
    [{ max_iterations: Number.NaN }, `stop.limits[1].count: ${whole}, not NaN`],
    [{ max_iterations: Number.POSITIVE_INFINITY }, `stop.limits[1].count: ${whole}, not Infinity`],
    [{ max_iterations: 2 ** 60 }, `stop.limits[1].count: ${whole}, not 1152921504606847000`],
    [{ max_iterations: '3x' }, `stop.limits[1].count: ${whole}, not "3x"`],
    [{ max_iterations: [] }, `stop.limits[1].count: ${whole}, not an empty list`],
    [{ max_iterations: [3] }, `stop.limits[1].count: ${whole}, not this list`],
    [{ type: 'max_iterations', count: {} }, `stop.limits[1].count: ${whole}, not a mapping`],
    [{ max_iterations: null }, 'stop.limits[1].count: max_iterations needs count: a whole number of at least 1'],
    [{ max_cost: 0 }, 'stop.limits[1].usd: must be an amount of US dollars above 0, not 0'],
    [{ max_cost: '5' }, 'stop.limits[1].usd: must be an amount of US dollars above 0, not "5"'],
    [{ max_cost: { usd: 1, model: '' } }, 'stop.limits[1].model: must be a text that is not empty, not ""'],
    [
      { max_duration: 90 },
      'stop.limits[1].duration: must be a duration with units, such as "90s", "4h" or "1h 30m", not 90',
    ],
    [
      { max_duration: '0s' },
      'stop.limits[1].duration: must be a duration with units, such as "90s", "4h" or "1h 30m", not "0s"',
    ],
    [
      { deadline: '2026-01-31' },
      'stop.limits[1].at: must be an ISO 8601 time with its zone, such as "2026-01-31T06:00:00Z", not "2026-01-31"',
    ],
    [
      { deadline: '2026-13-31T06:00:00Z' },
      'stop.limits[1].at: must be an ISO 8601 time with its zone, such as "2026-01-31T06:00:00Z", not "2026-13-31T06:00:00Z"',
    ],
    [
      { deadline: 'x2026-01-31T06:00:00Z' },
      'stop.limits[1].at: must be an ISO 8601 time with its zone, such as "2026-01-31T06:00:00Z", not "x2026-01-31T06:00:00Z"',
    ],
    [{ context_above: 101 }, 'stop.limits[1].percent: must be a percentage from 0 to 100, not 101'],
    [{ context_above: -1 }, 'stop.limits[1].percent: must be a percentage from 0 to 100, not -1'],
    [{ retry_rate: 1.1 }, 'stop.limits[1].max: must be a number from 0 to 1, not 1.1'],
    [{ reject_rate: -0.1 }, 'stop.limits[1].max: must be a number from 0 to 1, not -0.1'],
    [{ specific_tests_pass: [] }, 'stop.limits[1].tests: must be a list of at least one text, not an empty list'],
    [{ specific_tests_pass: ['a', ''] }, 'stop.limits[1].tests[1]: must be a text that is not empty, not ""'],
    [{ specific_tests_pass: ['a', 1] }, 'stop.limits[1].tests[1]: must be a text that is not empty, not 1'],
    [{ custom_script: { script: 'a', args: 'b' } }, 'stop.limits[1].args: must be a list of texts, not "b"'],
    [{ file_created: 'a\0b' }, 'stop.limits[1].path: must not contain a NUL'],
    [{ file_created: '' }, 'stop.limits[1].path: must be a path, not ""'],
    [{ test_failure_streak: { count: 1, strict: 'yes' } }, 'stop.limits[1].strict: must be true or false, not "yes"'],
    [{ all_tests_pass: { fewer_tests: true } }, 'stop.limits[1].fewer_tests: must be "allow", not true'],
    [{ all: [] }, 'stop.limits[1].conditions: must be a list of at least one condition, not an empty list'],
    [
      { any: 'all_tests_pass' },
      'stop.limits[1].conditions: must be a list of at least one condition, not "all_tests_pass"',
    ],
    [
      { all: [{ max_cost: 1 }, { max_cost: -1 }] },
      'stop.limits[1].conditions[1].usd: must be an amount of US dollars above 0, not -1',
    ],
    [{ not: { max_cost: -1 } }, 'stop.limits[1].condition.usd: must be an amount of US dollars above 0, not -1'],
    [{ diff_exceeds: {} }, 'stop.limits[1]: diff_exceeds needs files, lines or both'],
    [{ max_iteration: 3 }, 'stop.limits[1]: unknown condition "max_iteration"; did you mean "max_iterations"?'],
    ['quux_frobnicate_zap', 'stop.limits[1]: unknown condition "quux_frobnicate_zap"'],
    [{ type: 'constructor' }, 'stop.limits[1]: unknown condition "constructor"'],
    [{ type: 3 }, 'stop.limits[1]: the type of a condition is a name, not a number'],
    [{}, 'stop.limits[1]: a condition has one name, found none'],
    [{ max_cost: 1, max_iterations: 2 }, 'stop.limits[1]: a condition has one name, found max_cost, max_iterations'],
    [null, 'stop.limits[1]: a condition is a name or a mapping, not nothing'],
    [7, 'stop.limits[1]: a condition is a name or a mapping, not a number'],
    [[], 'stop.limits[1]: a condition is a name or a mapping, not a list'],
    [
      { max_iterations: { coutn: 3 } },
      'stop.limits[1].coutn: max_iterations has no field "coutn"; did you mean "count"? (it takes count)',
    ],
    [{ never: 3 }, 'stop.limits[1].value: never has no field "value" (it takes nothing)'],
    [{ never: null, class: 'veto' }, 'stop.limits[1].class: must be "goal" or "failure", not "veto"'],
    [
      { all: [{ never: null, confirm: 2 }] },
      'stop.limits[1].conditions[0].confirm: confirm belongs to the outermost condition',
    ],
    [
      { not: { never: null, class: 'goal' } },
      'stop.limits[1].condition.class: class belongs to the outermost condition',
    ],
    [{ never: null, confirm: 0 }, `stop.limits[1].confirm: ${whole}, not 0`],
  ])('%j: %s', (input, message) => {
    expect(problems(input)[0]).toBe(message);
  });

  it('names the place of a regular expression that cannot run in linear time', () => {
    const [first] = problems({ output_pattern: { pattern: '(?<=a)b', is_regex: true } });
    expect(first).toMatch(/^stop\.limits\[1\]\.pattern: .*linear time/);
    expect(problems({ output_pattern: { pattern: '(', is_regex: true } })).toHaveLength(1);
    expect(problems({ output_pattern: { pattern: '(' } })).toHaveLength(0);
  });

  it('names every issue at once', () => {
    expect(problems({ all: [{ max_cost: -1 }, 'nope', { max_iterations: 0 }] })).toHaveLength(3);
  });

  it('throws a ConfigError with the issues', () => {
    expect(() => parseCondition({ max_cost: -1 }, 'x')).toThrow(ConfigError);
    expect(() => parseCondition({ max_cost: -1 }, 'x')).toThrow('x.usd: must be');
  });

  it('is not driven out of its stack or memory by nesting and numbers', () => {
    let deep: unknown = 'never';
    for (let depth = 0; depth < 100_000; depth++) deep = { type: 'not', condition: deep };
    expect(problems(deep)).toEqual([expect.stringContaining('nested more than 32 deep')]);
    const wide = { all: Array.from({ length: 200_000 }, () => 'never') };
    expect(problems(wide)).toEqual([expect.stringContaining('more than 1000 conditions')]);
    const fits = { all: Array.from({ length: 999 }, () => 'never') };
    expect(problems(fits)).toEqual([]);
    expect(problems({ max_iterations: 'x'.repeat(1e6) })[0]?.length).toBeLessThan(200);
    expect(problems('x'.repeat(1e6))[0]?.length).toBeLessThan(200);
  });

  it('takes 32 levels and no more', () => {
    const nested = (levels: number): unknown =>
      levels === 1 ? 'never' : { type: 'not', condition: nested(levels - 1) };
    expect(problems(nested(32))).toEqual([]);
    expect(problems(nested(33))).toHaveLength(1);
  });

  it('is not fooled by prototype keys', () => {
    expect(problems(JSON.parse('{"__proto__": {"type": "never"}}'))).toEqual([
      'stop.limits[1]: unknown condition "__proto__"',
    ]);
    expect(problems(JSON.parse('{"type":"max_iterations","__proto__":{"count":3}}'))[0]).toContain('has no field');
  });
});
