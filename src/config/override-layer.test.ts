import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { type Flags, OVERRIDES } from './override-table.js';
import { loadConfig } from './load-config.js';

function load(flags: Flags, env: Record<string, string> = {}) {
  return loadConfig({ cwd: tmpdir(), env: { XDG_CONFIG_HOME: '/nonexistent', ...env }, flags });
}

function messageOf(flags: Flags, env: Record<string, string> = {}): string {
  try {
    load(flags, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'no error';
}

const NOT_A_COUNT = 'must be a whole number of at least 1, not';
const NOT_A_COUNT_OR_NONE = 'must be a whole number of at least 1, or 0 for none, not';

describe('flags', () => {
  it.each<[Flags, string]>([
    [{ 'max-iterations': '3x' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} "3x"`],
    [{ 'max-iterations': '1e3' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} "1e3"`],
    [{ 'max-iterations': '0x10' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} "0x10"`],
    [{ 'max-iterations': '' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} ""`],
    [{ 'max-iterations': '-1' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} "-1"`],
    [{ 'max-iterations': ' 3' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} " 3"`],
    [{ 'max-iterations': '٣' }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} "٣"`],
    [{ 'max-iterations': '9'.repeat(400) }, `--max-iterations: ${NOT_A_COUNT_OR_NONE} Infinity`],
    [{ 'max-iterations': true }, '--max-iterations: needs a value: N'],
    [{ 'max-iterations': ['1', '2'] }, '--max-iterations: is given more than once'],
    [{ 'max-tokens': '-0' }, `--max-tokens: ${NOT_A_COUNT_OR_NONE} "-0"`],
    [{ 'max-cost': '$5' }, '--max-cost: must be an amount of US dollars above 0, or 0 for none, not "$5"'],
    [
      { 'max-duration': '4' },
      '--max-duration: must be a duration with units, such as "90s", "4h" or "1h 30m", or 0 for none, not "4"',
    ],
    [{ redline: '101' }, '--redline: must be a percentage from 0 to 100, not 101'],
    [{ confirm: '0' }, `--confirm: ${NOT_A_COUNT} 0`],
    [{ session: 'new' }, '--session: must be continue or fresh, not "new"'],
    [{ agent: '' }, '--agent: must be a text that is not empty, not ""'],
    [{ check: ['lint'] }, '--check: must be NAME=COMMAND, not "lint"'],
    [
      { check: ['__proto__=x'] },
      '--check checks.__proto__: a name here is letters, digits, "_", "-" and ".", starting with a letter or digit',
    ],
    [{ until: ['max_cost:5'] }, '--until: unknown condition "max_cost:5"; did you mean "max_cost"?'],
    [{ until: [''] }, '--until: unknown condition ""'],
    [{ limit: ['max_cost: -1'] }, '--limit usd: must be an amount of US dollars above 0, not -1'],
    [{ limit: ['{'] }, '--limit: is not valid YAML: Flow map must end with a }'],
    [
      { limit: ['any: [{ retry_rate: 1 }]'] },
      '--limit conditions[0]: retry_rate counts the items of a pipeline; it does not apply to a loop',
    ],
    [
      { until: ['check_passes: lint'] },
      '--until name: no check is called "lint"; no checks are defined under `checks`',
    ],
    [{ 'max-itertions': '3' }, '--max-itertions: unknown flag; did you mean "max-iterations"?'],
    [{ prompt: 'a', 'prompt-path': 'b' }, '--prompt: prompt_path is also set; keep one of the two'],
  ])('%j is refused', (flags, message) => {
    expect(messageOf(flags)).toBe(message);
  });

  it('reads numbers whole', () => {
    expect(load({ 'max-iterations': '08' }).spec.policy.limits).toEqual([{ type: 'max_iterations', count: 8 }]);
    expect(load({ redline: '07.5' }).spec.contextRedlinePercent).toBe(7.5);
    expect(load({ delay: '0' }).spec.iterationDelayMs).toBe(0);
  });

  it('reads conditions in each way of writing', () => {
    const until = [
      'all_tests_pass',
      'file_created: DONE.md',
      '{"type":"output_pattern","pattern":"x: y"}',
      'all: [never, {for: {iterations: 2, condition: never}}]',
    ];
    expect(load({ until }).spec.policy.success).toEqual([
      { type: 'all_tests_pass' },
      { type: 'file_created', path: 'DONE.md' },
      { type: 'output_pattern', pattern: 'x: y' },
      { type: 'all', conditions: [{ type: 'never' }, { type: 'for', iterations: 2, condition: { type: 'never' } }] },
    ]);
  });

  it('a flag that is given as nothing changes nothing', () => {
    expect(load({ until: [], attended: undefined }).spec).toEqual(load({}).spec);
    expect(load({ attended: true }).spec.attendedMode).toBe(true);
    expect(load({ attended: false }, { PAWL_ATTENDED: '1' }).spec.attendedMode).toBe(false);
  });
});

describe('variables', () => {
  it('sets each of the table', () => {
    const values: Record<string, string> = {
      PAWL_PROMPT_PATH: '/p.md',
      PAWL_AGENT: 'codex',
      PAWL_MODEL: 'gpt',
      PAWL_PERMISSIONS: 'agent',
      PAWL_MAX_ITERATIONS: '1',
      PAWL_MAX_COST: '2',
      PAWL_MAX_DURATION: '3h',
      PAWL_MAX_TOKENS: '4',
      PAWL_TESTS: 'make test',
      PAWL_SESSION: 'fresh',
      PAWL_REDLINE: '5',
      PAWL_ITERATION_TIMEOUT: '6s',
      PAWL_IDLE_TIMEOUT: '7s',
      PAWL_ITERATION_DELAY: '8s',
      PAWL_MAX_WAIT: '9s',
      PAWL_ANSWER_WAIT: '10s',
      PAWL_ATTENDED: 'true',
    };
    expect(Object.keys(values).sort()).toEqual(OVERRIDES.flatMap(({ variable }) => variable ?? []).sort());
    expect(load({}, values).spec).toMatchObject({
      promptPath: '/p.md',
      agent: { name: 'codex', model: 'gpt', permissions: 'agent' },
      policy: {
        limits: [
          { type: 'max_iterations', count: 1 },
          { type: 'max_cost', usd: 2 },
          { type: 'max_duration', duration: '3h' },
          { type: 'max_tokens', count: 4 },
        ],
      },
      tests: { command: 'make test' },
      session: { mode: 'fresh' },
      contextRedlinePercent: 5,
      iterationTimeoutMs: 6000,
      idleTimeoutMs: 7000,
      iterationDelayMs: 8000,
      maxWaitMs: 9000,
      questions: { maxWaitMs: 10_000 },
      attendedMode: true,
    });
  });

  it('names the variable that is wrong', () => {
    expect(messageOf({}, { PAWL_ATTENDED: 'yes' })).toMatch(/^PAWL_ATTENDED: .*true or false.*"yes"$/);
    expect(messageOf({}, { PAWL_MAX_ITERATIONS: '3x' })).toBe(`PAWL_MAX_ITERATIONS: ${NOT_A_COUNT_OR_NONE} "3x"`);
  });
});
