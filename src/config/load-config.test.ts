import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cpuTimeMs } from '../../test/support/cpu-time.js';
import { ConfigError } from '../model/errors.js';
import { userFilePath } from './config-file.js';
import { loadConfig, type LoadOptions } from './load-config.js';
import { reviewPolicy } from './review-policy.js';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-load-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), text);
}

const load = (options: Partial<LoadOptions> = {}) =>
  loadConfig({ cwd, ...options, env: { XDG_CONFIG_HOME: join(cwd, 'xdg'), ...options.env } });

function messageOf(options: Partial<LoadOptions> = {}): string {
  try {
    load(options);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('loadConfig', () => {
  it('has every default of the specification [c58]', () => {
    const { spec, origins, warnings } = load();
    expect(spec).toEqual({
      workingDir: cwd,
      promptPath: join(cwd, 'prompt.md'),
      agent: { name: 'claude', args: [], env: {}, permissions: 'edit', allow: [] },
      policy: {
        success: [],
        failure: [
          { type: 'no_progress', iterations: 5 },
          { type: 'test_failure_streak', count: 5 },
          { type: 'consecutive_failures', count: 3 },
          { type: 'permission_denied', count: 6 },
          { type: 'oscillation', count: 3 },
          { type: 'same_tool_failure', count: 5 },
          { type: 'false_done', count: 3 },
          { type: 'needs_person', requests: 2 },
        ],
        limits: [{ type: 'max_iterations', count: 25 }],
      },
      checks: {},
      iterationDelayMs: 5000,
      iterationTimeoutMs: 30 * 60_000,
      idleTimeoutMs: 10 * 60_000,
      maxWaitMs: 6 * 3_600_000,
      questions: { callWaitMs: 50_000, maxWaitMs: 12 * 3_600_000 },
      contextRedlinePercent: 85,
      attendedMode: false,
      session: { mode: 'continue', timeoutMs: 3_600_000, persist: true, stateDir: join(cwd, '.ralph/sessions') },
      hooks: {},
      commit: 'never',
      trackFileChanges: true,
      parseTests: true,
      statusLine: true,
      notify: {},
      prices: {},
    });
    expect(Object.values(origins).every(({ source }) => source === 'default')).toBe(true);
    expect(warnings).toEqual([]);
    expect(Object.isFrozen(spec.policy.limits)).toBe(true);
  });

  it('reads every key', () => {
    write('sub/here', '');
    write(
      'pawl.yaml',
      `
working_dir: sub
prompt: Do it
agent: { name: codex, command: npx codex, args: [--x], model: gpt, env: { A: "1" }, permissions: bypass, allow: [ls] }
env: { A: "0", B: "2" }
tests: { command: make test, timeout: 2m, report: 'out/**/*.xml' }
checks: { lint: make lint, types: { command: tsc, timeout: 1m } }
max_iterations: 7
iteration_delay: 0
iteration_timeout: 1h
idle_timeout: 2h
max_wait: 1d
context_redline_percent: 60
attended_mode: true
session: { mode: fresh, timeout: 2h, persist: false, state_dir: state }
stop: { stop_on_first: true, confirm: 2, at_least: 3, conditions: [user_signal] }
hooks: { before_iteration: echo hi, on_pause: { command: bye, timeout: 5s, on_failure: pause } }
track_file_changes: false
parse_tests: false
status_line: false
notify: { command: say, webhook: "https://example.com/x" }
prices: { gpt: { input: 1, output: 2.5, cache_read: 0, cache_write: 3, cache_write_hour: 4 } }
`,
    );
    const { spec } = load();
    expect(spec).toMatchObject({
      workingDir: join(cwd, 'sub'),
      promptPath: join(cwd, 'sub/prompt.md'),
      prompt: 'Do it',
      agent: {
        name: 'codex',
        command: ['npx', 'codex'],
        args: ['--x'],
        model: 'gpt',
        env: { A: '1', B: '2' },
        permissions: 'bypass',
        allow: ['ls'],
      },
      policy: { stopOnFirst: true, confirm: 2, atLeast: 3, conditions: [{ type: 'user_signal' }] },
      tests: { command: 'make test', timeoutMs: 120_000, report: 'out/**/*.xml' },
      checks: {
        lint: { command: 'make lint', timeoutMs: 600_000 },
        types: { command: 'tsc', timeoutMs: 60_000 },
      },
      iterationDelayMs: 0,
      iterationTimeoutMs: 3_600_000,
      idleTimeoutMs: 7_200_000,
      maxWaitMs: 86_400_000,
      contextRedlinePercent: 60,
      attendedMode: true,
      session: { mode: 'fresh', timeoutMs: 7_200_000, persist: false, stateDir: join(cwd, 'sub/state') },
      hooks: {
        before_iteration: { command: 'echo hi', timeoutMs: 60_000, onFailure: 'warn' },
        on_pause: { command: 'bye', timeoutMs: 5000, onFailure: 'pause' },
      },
      trackFileChanges: false,
      parseTests: false,
      statusLine: false,
      notify: { command: 'say', webhook: 'https://example.com/x' },
      prices: { gpt: { input: 1, output: 2.5, cacheRead: 0, cacheWrite: 3, cacheWriteHour: 4 } },
    });
    expect(spec.policy.limits).toEqual([{ type: 'max_iterations', count: 7 }]);
  });

  it('default < user file < project file < environment < flag, each with its place', () => {
    write('xdg/pawl/config.yaml', 'max_wait: 1h\nidle_timeout: 1h\niteration_timeout: 1h\niteration_delay: 1h\n');
    write('pawl.yaml', 'idle_timeout: 2h\niteration_timeout: 2h\niteration_delay: 2h\n');
    const env = { PAWL_ITERATION_TIMEOUT: '3h', PAWL_ITERATION_DELAY: '3h' };
    const { spec, origins } = load({ env, flags: { delay: '4h' } });
    const hours = [spec.maxWaitMs, spec.idleTimeoutMs, spec.iterationTimeoutMs, spec.iterationDelayMs];
    expect(hours.map((ms) => ms / 3_600_000)).toEqual([1, 2, 3, 4]);
    expect(origins['attended_mode']).toEqual({ source: 'default' });
    expect(origins['max_wait']).toEqual({ source: 'user-file', place: 'xdg/pawl/config.yaml:1:11' });
    expect(origins['idle_timeout']).toEqual({ source: 'project-file', place: 'pawl.yaml:1:15' });
    expect(origins['iteration_timeout']).toEqual({ source: 'environment', place: 'PAWL_ITERATION_TIMEOUT' });
    expect(origins['iteration_delay']).toEqual({ source: 'flag', place: '--delay' });
  });

  it('takes a limit over all runs of a day from the user alone, and keeps it beside what a project says', () => {
    mkdirSync(join(cwd, 'xdg', 'pawl'), { recursive: true });
    writeFileSync(join(cwd, 'xdg', 'pawl', 'config.yaml'), 'max_cost_per_day: 20\n');
    writeFileSync(join(cwd, 'pawl.yaml'), 'stop: { limits: [{ max_iterations: 3 }] }\n');
    expect(load().spec.policy.limits).toEqual([
      { type: 'max_iterations', count: 3 },
      { type: 'max_cost_per_day', usd: 20 },
    ]);
    writeFileSync(join(cwd, 'pawl.yaml'), 'max_cost_per_day: 1000\n');
    expect(messageOf()).toMatch(/max_cost_per_day.*your own config/);
  });

  it.each(['limits', 'failure', 'success', 'conditions'])(
    'takes no limit of a day from stop.%s of a project',
    (list) => {
      write('pawl.yaml', `stop: { ${list}: [{ max_cost: 1 }, { any: [{ max_cost: 3 }, { max_cost_per_day: 9 }] }] }`);
      expect(messageOf()).toMatch(
        new RegExp(`^pawl.yaml:1:\\d+ stop.${list}\\[1\\]\\S*: max_cost_per_day .*your own config`),
      );
    },
  );

  it('takes no limit of a day from a list of the user that the list of a project would replace', () => {
    write('xdg/pawl/config.yaml', 'stop: { limits: [{ max_cost_per_day: 9 }] }');
    expect(messageOf()).toMatch(/config\.yaml:1:18 stop\.limits\[0\]: max_cost_per_day .*top of this file/);
  });

  it('lets a flag lower the limit of a day, and not raise it', () => {
    write('xdg/pawl/config.yaml', 'max_cost_per_day: 20');
    const lowered = load({ flags: { limit: ['max_cost_per_day: 5'] } });
    expect(lowered.spec.policy.limits.flatMap((one) => (one.type === 'max_cost_per_day' ? one.usd : []))).toEqual([
      5, 20,
    ]);
    const warnings = reviewPolicy(lowered.spec, { now: 0, origins: lowered.origins });
    expect(warnings.map(({ message }) => message).join()).not.toContain('max_cost_per_day');
    expect(() => load({ flags: { limit: ['max_cost_per_day: 21'] } })).toThrow(
      /^--limit: max_cost_per_day: 21 .* 20 .*\(xdg\/pawl\/config\.yaml:1:19\)/,
    );
  });

  it('another agent does not inherit the model and the rights of the one before', () => {
    write('xdg/pawl/config.yaml', 'agent: { name: claude, model: opus, permissions: bypass }');
    write('pawl.yaml', 'agent: codex');
    expect(load().spec.agent).toMatchObject({ name: 'codex', permissions: 'edit' });
    expect(load().spec.agent.model).toBeUndefined();
    expect(load().origins['agent.model']).toBeUndefined();
    expect(load({ env: { PAWL_MODEL: 'gpt' } }).spec.agent.model).toBe('gpt');
    write('pawl.yaml', 'agent: claude');
    expect(load().spec.agent).toMatchObject({ model: 'opus', permissions: 'bypass' });
  });

  it('a command alone is an agent of its own', () => {
    write('pawl.yaml', 'agent: { name: claude, model: opus }');
    const { spec } = load({ flags: { command: ['./my agent', '--x'] } });
    expect(spec.agent).toMatchObject({ name: 'command', command: ['./my agent', '--x'] });
    expect(spec.agent.model).toBeUndefined();
    expect(load({ flags: { command: ['x'], agent: 'claude' } }).spec.agent).toMatchObject({
      name: 'claude',
      model: 'opus',
    });
  });

  it('takes the agent that is installed when none is named', () => {
    expect(load({ defaultAgent: 'gemini' }).spec.agent.name).toBe('gemini');
  });

  it('adds agent arguments to the configured ones', () => {
    write('pawl.yaml', 'agent: { args: [--a] }');
    const { spec, origins } = load({ flags: { 'agent-arg': ['--b', 'c d'] } });
    expect(spec.agent.args).toEqual(['--a', '--b', 'c d']);
    expect(origins['agent.args']).toEqual({ source: 'flag', place: '--agent-arg' });
  });

  it('finds PROMPT.md, and a prompt of a stronger layer replaces a file of a weaker one', () => {
    write('PROMPT.md', 'x');
    expect(load().spec.promptPath).toBe(join(cwd, 'PROMPT.md'));
    write('pawl.yaml', 'prompt: written');
    expect(load().spec.prompt).toBe('written');
    const flagged = load({ flags: { 'prompt-path': 'other.md' } }).spec;
    expect(flagged.prompt).toBeUndefined();
    expect(flagged.promptPath).toBe(join(cwd, 'other.md'));
    write('pawl.yaml', 'prompt_path: task.md');
    expect(load({ flags: { prompt: 'now' } }).spec).toMatchObject({ prompt: 'now' });
  });

  it('takes the files where they are: working_dir from the project file, prompt flags from here', () => {
    write('other/pawl.yaml', 'working_dir: .\nprompt_path: p.md');
    write('w/x', '');
    const { spec } = loadConfig({ cwd: join(cwd, 'w'), configPath: '../other/pawl.yaml', env: { HOME: cwd } });
    expect(spec).toMatchObject({ workingDir: join(cwd, 'other'), promptPath: join(cwd, 'other/p.md') });
    const flagged = loadConfig({
      cwd: join(cwd, 'w'),
      configPath: '../other/pawl.yaml',
      env: { HOME: cwd },
      flags: { 'prompt-path': 'q.md' },
    });
    expect(flagged.spec.promptPath).toBe(join(cwd, 'w/q.md'));
  });

  it('a check of a stronger layer replaces the one of that name', () => {
    write('xdg/pawl/config.yaml', 'checks: { lint: { command: a, timeout: 1m }, types: tsc }');
    write('pawl.yaml', 'checks: { lint: b }');
    const { spec } = load({ flags: { check: ['e2e=npm run e2e -- --x=1'] } });
    expect(spec.checks).toEqual({
      lint: { command: 'b', timeoutMs: 600_000 },
      types: { command: 'tsc', timeoutMs: 600_000 },
      e2e: { command: 'npm run e2e -- --x=1', timeoutMs: 600_000 },
    });
  });

  it('reads pawl.yml, pawl.json and PAWL_CONFIG', () => {
    write('pawl.yml', 'max_wait: 1h');
    expect(load().spec.maxWaitMs).toBe(3_600_000);
    write('pawl.json', '{"max_wait": "2h"}');
    expect(messageOf()).toMatch(/pawl\.yml and pawl\.json.*one/);
    expect(load({ env: { PAWL_CONFIG: 'pawl.json' } }).spec.maxWaitMs).toBe(7_200_000);
    expect(load({ configPath: 'pawl.yml', env: { PAWL_CONFIG: 'pawl.json' } }).spec.maxWaitMs).toBe(3_600_000);
  });

  it('shell syntax in names and values stays text', () => {
    write('pawl.yaml', 'prompt_path: "$(touch owned).md"\nprompt_path2: x\n');
    expect(messageOf()).toMatch(/^pawl\.yaml:2:1 prompt_path2: .*"prompt_path"\?$/);
    write('pawl.yaml', 'prompt_path: "$(touch owned);\\n`id`.md"\nagent: { args: ["; rm -rf ~"] }');
    expect(load().spec.promptPath).toBe(join(cwd, '$(touch owned);\n`id`.md'));
  });

  it.runIf(process.getuid?.() === 0)('names a config that belongs to another user', () => {
    write('pawl.yaml', 'max_wait: 1h');
    chownSync(join(cwd, 'pawl.yaml'), 12345, 12345);
    expect(load().warnings).toEqual([
      { path: '', place: 'pawl.yaml', message: expect.stringContaining('another user (12345)') },
    ]);
  });

  it.runIf(process.getuid?.() === 0)('refuses a config of your own that belongs to another user', () => {
    write('xdg/pawl/config.yaml', 'hooks: { on_stop: touch owned }');
    expect(load().spec.hooks).toHaveProperty('on_stop');
    chownSync(join(cwd, 'xdg/pawl/config.yaml'), 12345, 12345);
    expect(messageOf()).toMatch(/config\.yaml.*: .*another user \(12345\)/);
  });

  it('warns about a variable that is nearly one of ours, and ignores empty and foreign ones', () => {
    const { warnings, spec } = load({
      env: { PAWL_MAX_COTS: '5', PAWL_MAX_ITERATION: '3', PAWL_MODEL: '', PAWL_RUN_ID: 'x' },
    });
    expect(warnings).toEqual([
      { path: '', place: 'PAWL_MAX_COTS', message: 'sets nothing; did you mean "PAWL_MAX_COST"?' },
      { path: '', place: 'PAWL_MAX_ITERATION', message: 'sets nothing; did you mean "PAWL_MAX_ITERATIONS"?' },
    ]);
    expect(spec.agent.model).toBeUndefined();
  });

  it('does not take the variables that a run sets for its agent and hooks for misspelled ones', () => {
    expect(
      load({ env: { PAWL_COOKIE: 'y', PAWL_HOOK: 'on_stop', PAWL_DEBUG: '1', PAWL_TEST_FULL: '1' } }),
    ).toMatchObject({ warnings: [] });
  });

  it.each([
    [{ XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/x/pawl/config.yaml'],
    [{ XDG_CONFIG_HOME: 'x', HOME: '/h' }, '/h/.config/pawl/config.yaml'],
    [{ HOME: '/h' }, '/h/.config/pawl/config.yaml'],
    [{ HOME: 'relative' }, undefined],
  ])('looks for the user file by %j', (env, path) => {
    expect(userFilePath(env)).toBe(path);
  });
});

describe('a config file that cannot be used', () => {
  it.each<[string, string, Partial<LoadOptions>]>([
    ['is missing', 'none.yaml: no such file', { configPath: 'none.yaml' }],
    ['is a directory', 'xdg: is a directory, not a file', { configPath: 'xdg' }],
    ['is a device', '/dev/zero: is not a regular file', { configPath: '/dev/zero' }],
    ['has a name that a terminal would obey', 'a\\u001b[2J: no such file', { configPath: 'a\u001b[2J' }],
  ])('%s', (_name, message, options) => {
    mkdirSync(join(cwd, 'xdg'));
    expect(messageOf(options)).toBe(message);
  });

  it('an empty file is an empty config', () => {
    for (const text of ['', '\n', '# nothing\n', '\uFEFF', 'stop:\nsession:\nchecks:\n']) {
      write('pawl.yaml', text);
      expect(load().spec.policy.limits).toEqual([{ type: 'max_iterations', count: 25 }]);
    }
  });

  it('a problem in one layer does not hide those of the others', () => {
    write('xdg/pawl/config.yaml', 'a: [');
    write('pawl.yaml', 'agnet: x\nstop: { success: [{ check_passes: lint }] }');
    expect(messageOf({ env: { PAWL_MAX_COST: '3x' }, flags: { delay: 'soon' } }).split('\n')).toEqual([
      expect.stringContaining('xdg/pawl/config.yaml:1:5: is not valid YAML'),
      expect.stringMatching(/^pawl\.yaml:1:1 agnet: .*"agent"/),
      expect.stringMatching(/^PAWL_MAX_COST: .*"3x"$/),
      expect.stringMatching(/^--delay: .*duration.*"soon"$/),
    ]);
  });

  it('checks that a broken layer may have had are not missed', () => {
    write('xdg/pawl/config.yaml', 'checks: { lint: x }\na: [');
    write('pawl.yaml', 'stop: { success: [{ check_passes: lint }] }');
    expect(messageOf().split('\n')).toEqual([expect.stringContaining('is not valid YAML')]);
  });

  it('a file of nonsense gives a page of issues, soon', () => {
    write('pawl.yaml', Array.from({ length: 5_000 }, (_, index) => `unknown_key_number_${index}: 1`).join('\n'));
    let message = '';
    const workedMs = cpuTimeMs(() => {
      message = messageOf();
    });
    const lines = message.split('\n');
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toMatch(/there is more/);
    expect(workedMs).toBeLessThan(5000);
  });
});

describe('a config as large as allowed', () => {
  const many = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');
  it.each([
    ['checks', `checks:\n${many(9000, (index) => ` c${index}: x`)}`],
    ['prices', `prices:\n${many(3000, (index) => ` m${index}: { input: 1, output: 2 }`)}`],
    ['conditions', `stop:\n success:\n${many(6000, (index) => `  - max_cost: ${index + 1}`)}`],
    [
      'checks that are not there',
      `checks:\n${many(4000, (index) => ` c${index}: x`)}\nstop:\n success:\n${many(4000, (index) => `  - check_passes: d${index}`)}`,
    ],
    ['a prompt', `prompt: ${'x'.repeat(1_000_000)}`],
    ['a duration', `max_wait: ${'1h'.repeat(400_000)}`],
    ['a command', `agent: { command: ${'a '.repeat(400_000)} }`],
  ])('of %s is read in seconds', (_name, text) => {
    write('pawl.yaml', text);
    expect(cpuTimeMs(() => messageOf())).toBeLessThan(4000);
  });
});
