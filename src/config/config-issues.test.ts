import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../model/errors.js';
import { loadConfig } from './load-config.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-issues-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function issuesOf(name: string, text: string): readonly string[] {
  writeFileSync(join(cwd, name), text);
  try {
    loadConfig({ cwd, configPath: name, env: { HOME: cwd, PATH: process.env['PATH'] } });
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(cwd, '<cwd>').split('\n');
    throw error;
  }
  return [];
}

describe('every issue says where, what is allowed and what was meant', () => {
  it.each<[string, string[]]>([
    ['[]', ['pawl.yaml:1:1: must be a mapping of keys to values, not an empty list']],
    ['just text', ['pawl.yaml:1:1: must be a mapping of keys to values, not "just text"']],
    ['agnet: x', ['pawl.yaml:1:1 agnet: unknown key; did you mean "agent"?']],
    [
      '__proto__: { attended_mode: true }',
      [expect.stringMatching(/^pawl\.yaml:1:1 __proto__: unknown key; known keys: working_dir, /)],
    ],
    ['constructor: 1', [expect.stringMatching(/^pawl\.yaml:1:1 constructor: unknown key/)]],
    ['session:\n  tiemout: 1h', ['pawl.yaml:2:3 session.tiemout: unknown key; did you mean "timeout"?']],
    ['session: continue', ['pawl.yaml:1:10 session: must be a mapping of keys to values, not "continue"']],
    [
      'session: { mode: contineu }',
      ['pawl.yaml:1:18 session.mode: must be continue or fresh, not "contineu"; did you mean "continue"?'],
    ],
    [
      'max_iterations: -1',
      ['pawl.yaml:1:17 max_iterations: must be a whole number of at least 1, or 0 for none, not -1'],
    ],
    [
      'max_iterations: 2.5',
      ['pawl.yaml:1:17 max_iterations: must be a whole number of at least 1, or 0 for none, not 2.5'],
    ],
    [
      'max_iterations: .nan',
      ['pawl.yaml:1:17 max_iterations: must be a whole number of at least 1, or 0 for none, not NaN'],
    ],
    [
      'max_iterations: 99999999999999999999',
      ['pawl.yaml:1:17 max_iterations: must be a whole number of at least 1, or 0 for none, not 100000000000000000000'],
    ],
    [
      'max_iterations:',
      ['pawl.yaml:1:16 max_iterations: must be a whole number of at least 1, or 0 for none, not nothing'],
    ],
    [
      'context_redline_percent: 101',
      ['pawl.yaml:1:26 context_redline_percent: must be a percentage from 0 to 100, not 101'],
    ],
    [
      'stop: { limits: [{ max_cost_of_batch: 3 }] }',
      [
        'pawl.yaml:1:18 stop.limits[0]: max_cost_of_batch is given to the runs of a batch: pawl submit --batch NAME --batch-cost USD',
      ],
    ],
    ['max_cost_per_day: -1', [`pawl.yaml:1:19 max_cost_per_day: must be an amount of US dollars above 0, not -1`]],
    ['max_cost_per_day: abc', [`pawl.yaml:1:19 max_cost_per_day: must be an amount of US dollars above 0, not "abc"`]],
    ['attended_mode: no', ['pawl.yaml:1:16 attended_mode: must be true or false, not "no"']],
    [
      'iteration_timeout: 0s',
      ['pawl.yaml:1:20 iteration_timeout: must be a duration with units, such as "90s", "4h" or "1h 30m", not "0s"'],
    ],
    [
      'iteration_timeout: 30',
      ['pawl.yaml:1:20 iteration_timeout: must be a duration with units, such as "90s", "4h" or "1h 30m", not 30'],
    ],
    [
      'iteration_delay: -5s',
      [
        'pawl.yaml:1:18 iteration_delay: must be 0 or a duration with units, such as "90s", "4h" or "1h 30m", not "-5s"',
      ],
    ],
    ['prompt: a\nprompt_path: b', ['pawl.yaml:1:9 prompt: prompt_path is also set; keep one of the two']],
    ['prompt_path: [a]', ['pawl.yaml:1:14 prompt_path: must be a path, not this list']],
    ['working_dir: nowhere', ['pawl.yaml:1:14 working_dir: "<cwd>/nowhere" is not a directory']],
    [
      'agent: { name: pi, model: "--auto" }',
      [
        'pawl.yaml:1:27 agent.model: must be a model name that does not begin with "-", which the agent would take for an option, not "--auto"',
      ],
    ],
    [
      'agent: { command: "a | b" }',
      [
        'pawl.yaml:1:19 agent.command: must be a program with its arguments, as a list or as one text without shell syntax, not "a | b"',
      ],
    ],
    ['agent: 5', ['pawl.yaml:1:8 agent: must be a text that is not empty, or a mapping, not 5']],
    [
      'tests: { command: x, report: ../junit.xml }',
      [
        'pawl.yaml:1:30 tests.report: must be a path or glob inside the working directory, relative to it, not "../junit.xml"',
      ],
    ],
    ['tests: { timeout: 1m }', ['pawl.yaml:1:8 tests: needs command']],
    [
      'checks: { "a b": x }',
      [
        'pawl.yaml:1:11 checks["a b"]: a name here is letters, digits, "_", "-" and ".", starting with a letter or digit',
      ],
    ],
    [
      'hooks: { on_stop: { command: x, on_failure: stop } }',
      ['pawl.yaml:1:45 hooks.on_stop.on_failure: must be warn, not "stop"'],
    ],
    [
      'hooks: { on_pause: { command: x, on_failure: stop }, on_stop: { command: x, on_failure: block } }',
      [
        'pawl.yaml:1:46 hooks.on_pause.on_failure: must be warn, block or pause, not "stop"',
        'pawl.yaml:1:89 hooks.on_stop.on_failure: must be warn, not "block"',
      ],
    ],
    [
      'prices: { m: { input: -1, output: .inf } }',
      [
        'pawl.yaml:1:23 prices.m.input: must be US dollars per million tokens, 0 or more, not -1',
        'pawl.yaml:1:35 prices.m.output: must be US dollars per million tokens, 0 or more, not Infinity',
      ],
    ],
    ['prices: { m: { input: 1 } }', ['pawl.yaml:1:14 prices.m: needs output']],
    ['env: { TOKEN: 123456789 }', ['pawl.yaml:1:15 env.TOKEN: must be a text; put quotes around a number']],
    [
      'env: { __proto__: x }',
      ['pawl.yaml:1:8 env.__proto__: a name here is letters, digits and "_", not starting with a digit'],
    ],
    [
      'notify: { webhook: "ftp://user:secret@x" }',
      ['pawl.yaml:1:20 notify.webhook: must be an address that begins with http:// or https://'],
    ],
    [
      'session: { timeout: 1h, session_timeout: 2h }',
      ['pawl.yaml:1:42 session.session_timeout: session.timeout is also set; keep one of the two'],
    ],
    [
      'agent: codex\nsession: { claude_command: claude }',
      [
        'pawl.yaml:2:28 session.claude_command: this sets the command of the agent claude, but `agent` names another one; keep one of the two',
      ],
    ],
    ['"a\\e[31mb": 1', [expect.stringMatching(/^pawl\.yaml:1:1 \["a\\\\u001b\[31mb"\]: unknown key/)]],
  ])('%j', (text, issues) => {
    expect(issuesOf('pawl.yaml', text)).toEqual(issues);
  });
});

describe('conditions', () => {
  it.each<[string, string[]]>([
    [
      'success: all_tests_pass',
      ['pawl.yaml:2:12 stop.success: must be a list of conditions ([] for none), not "all_tests_pass"'],
    ],
    [
      'limits: [{ max_cots: 3 }]',
      ['pawl.yaml:2:12 stop.limits[0]: unknown condition "max_cots"; did you mean "max_cost"?'],
    ],
    [
      'limits: [never, { max_tokens: 0 }]',
      ['pawl.yaml:2:33 stop.limits[1].count: must be a whole number of at least 1, not 0'],
    ],
    [
      'limits: [{ type: max_cost, usd: 0 }]',
      ['pawl.yaml:2:35 stop.limits[0].usd: must be an amount of US dollars above 0, not 0'],
    ],
    [
      'limits: [{ max_cost: { usd: 1, modle: x } }]',
      [
        'pawl.yaml:2:34 stop.limits[0].modle: max_cost has no field "modle"; did you mean "model"? (it takes usd, model)',
      ],
    ],
    [
      'success: [{ all: [all_tests_pass, { not: { for: { iterations: 0, condition: never } } }] }]',
      [
        'pawl.yaml:2:65 stop.success[0].conditions[1].condition.iterations: must be a whole number of at least 1, not 0',
      ],
    ],
    [
      'success: [{ all: [] }]',
      ['pawl.yaml:2:20 stop.success[0].conditions: must be a list of at least one condition, not an empty list'],
    ],
    [
      'failure: [{ any: [{ retry_rate: 0.5 }] }]',
      [
        'pawl.yaml:2:21 stop.failure[0].conditions[0]: retry_rate counts the items of a pipeline; it does not apply to a loop',
      ],
    ],
    [
      'conditions: [{ type: function, name: f }]',
      ['pawl.yaml:2:16 stop.conditions[0]: a function can only be defined in code; use custom_script here'],
    ],
    [
      'success: [{ check_passes: lnit }]',
      ['pawl.yaml:2:29 stop.success[0].name: no check is called "lnit"; did you mean "lint"?'],
    ],
    [
      'success: [{ all: [{ check_passes: e2e }] }]',
      ['pawl.yaml:2:37 stop.success[0].conditions[0].name: no check is called "e2e"; the checks are lint'],
    ],
    [
      'success: [{ custom_script: ./none.sh }]',
      ['pawl.yaml:2:30 stop.success[0].script: there is no script "./none.sh" in "<cwd>"'],
    ],
    [
      'custom_scripts: [./none.sh]',
      ['pawl.yaml:2:20 stop.custom_scripts[0].script: there is no script "./none.sh" in "<cwd>"'],
    ],
    [
      'custom_scripts: [no-such-program-at-all]',
      [
        'pawl.yaml:2:20 stop.custom_scripts[0].script: there is no script "no-such-program-at-all" on the PATH or in "<cwd>"',
      ],
    ],
    ['custom_scripts: ["true"]', []],
    [
      'success: [{ output_pattern: "(", is_regex: true }]',
      ['pawl.yaml:2:13 stop.success[0]: a condition has one name, found output_pattern, is_regex'],
    ],
    [
      'success: [{ type: output_pattern, pattern: "(?=x)", is_regex: true }]',
      [
        expect.stringMatching(
          /^pawl\.yaml:2:46 stop\.success\[0\]\.pattern: is not a regular expression that runs in linear time/,
        ),
      ],
    ],
    [
      'limits: [{ max_cost: 1, class: goal }]',
      [
        'pawl.yaml:2:34 stop.limits[0].class: class counts only under stop.conditions; everything in this list is a limit',
      ],
    ],
    [
      'max_test_failure_streak: 4\n  failure: [{ test_failure_streak: 2 }]',
      ['pawl.yaml:2:28 stop.max_test_failure_streak: stop.failure also has test_failure_streak; keep one of the two'],
    ],
    [
      'limits: [{ max_iterations: 3 }]\nmax_iterations: 4',
      ['pawl.yaml:3:17 max_iterations: max_iterations is written as 4 and as 3; keep one of the two'],
    ],
    [
      'limits: [{ max_iterations: 3 }, { max_iterations: 0 }]',
      ['pawl.yaml:2:11 stop.limits: max_iterations is written as 0 and as 3; keep one of the two'],
    ],
    [
      'custom_scripts: []\nstop_conditions: { custom_scripts: [] }',
      ['pawl.yaml:3:36 stop_conditions.custom_scripts: stop.custom_scripts is also set; keep one of the two'],
    ],
    [
      `limits: [${'{ not: '.repeat(35)}never${' }'.repeat(35)}]`,
      [expect.stringMatching(/conditions are nested more than 32 deep$/)],
    ],
  ])('%j', (text, issues) => {
    expect(issuesOf('pawl.yaml', `stop:\n  ${text}\n${text.includes('check') ? 'checks: { lint: x }' : ''}`)).toEqual(
      issues,
    );
  });
});

describe('a config with mistakes of both kinds', () => {
  it('names what does not fit together beside what is misspelled', () => {
    const text = [
      'iteration_delay: soon',
      'checks: { lint: npm run lint }',
      'stop: { success: [{ check_passes: lnt }, { custom_script: gone.sh }] }',
    ].join('\n');
    expect(issuesOf('pawl.yaml', text)).toEqual([
      expect.stringMatching(/^pawl\.yaml:1:18 iteration_delay: .*duration/),
      expect.stringMatching(/^pawl\.yaml:3:\d+ stop\.success\[0\]\S*: .*"lnt".*"lint"/),
      expect.stringContaining('there is no script "gone.sh"'),
    ]);
  });

  it.each([
    [
      'a check that is written wrong is still a check',
      'checks: { lint: 5 }\nstop: { success: [{ check_passes: lint }] }',
    ],
    ['a misspelled key may hold it', 'cheks: { lint: x }\nstop: { success: [{ check_passes: lint }] }'],
    ['a folder that is not known is not searched', 'working_dir: 5\nstop: { success: [{ custom_script: gone.sh }] }'],
    ['an agent may be the one that is written wrong', 'agents: { mine: 5 }\nagent: mine'],
  ])('blames nothing for what is wrong elsewhere: %s', (_, text) => {
    expect(issuesOf('pawl.yaml', text)).toHaveLength(1);
  });
});

describe('pawl.json', () => {
  it.each<[string, string[]]>([
    ['{"agnet":\n 1}', ['pawl.json:1:2 agnet: unknown key; did you mean "agent"?']],
    [
      '{"stop": {"limits": [\n  {"max_cost": -1}]}}',
      ['pawl.json:2:16 stop.limits[0].usd: must be an amount of US dollars above 0, not -1'],
    ],
    ['{\n  agent: "x"}', ['pawl.json:2:3: is not valid JSON: unexpected "a"']],
    ['{"agent": "x", "agent": "y"}', ['pawl.json:1:16: the key "agent" is written twice']],
  ])('%j', (text, issues) => {
    expect(issuesOf('pawl.json', text)).toEqual(issues);
  });
});

it.each([
  ['stop: { success_conditions: [all_tests_pass] }', 'stop.success_conditions: unknown key; it is called stop.success'],
  ['stop_conditions: { failure_conditions: [never] }', 'failure_conditions: unknown key; it is called stop.failure'],
])('the names that spec 104 has for the lists are refused with the name here: %s', (text, message) => {
  expect(issuesOf('pawl.yaml', text)).toEqual([expect.stringContaining(message)]);
});
