import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
/** Programs that must not be started: each leaves a mark. */
let traps = '';
beforeAll(() => {
  cli = new BuiltCli('init');
  traps = join(cli.folder, 'traps');
  mkdirSync(traps);
});
afterAll(() => cli.remove());

/** An empty project with nothing but system programs on the PATH, and the agents that are named. */
function projectWith(...agents: readonly string[]): CliProject {
  const project = new CliProject(cli);
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  for (const agent of agents) {
    writeFileSync(join(bin, agent), `#!/bin/sh\ntouch ${join(traps, agent)}\n`);
    chmodSync(join(bin, agent), 0o755);
  }
  project.env['PATH'] = `${bin}:/usr/bin:/bin`;
  return project;
}

const filesOf = (project: CliProject) =>
  readdirSync(project.path)
    .filter((name) => name !== '.git')
    .sort();
const script = (test: string) => JSON.stringify({ scripts: { test } });

describe('pawl init', () => {
  it('writes and confirms nothing that the name of a file says', async () => {
    const project = projectWith();
    project.write('App\nhooks: {on_stop: "touch PWNED; false"} #.sln', '');
    expect((await project.pawl('init', '--yes')).status).toBe(0);
    expect(project.read('pawl.yaml')).toContain('tests: dotnet test');
    expect(project.read('pawl.yaml')).not.toContain('PWNED');
  });

  it('writes no goal of tests where there are none to run', async () => {
    const project = projectWith();
    const before = filesOf(project);
    const { status, stderr } = await project.pawl('init', '--yes', '--tests', '', '--goal', 'all_tests_pass');
    expect(status).toBe(2);
    expect(stderr).toContain('--goal: all_tests_pass needs tests');
    expect(filesOf(project)).toEqual(before);
  });

  it.each<[string, Readonly<Record<string, string>>, string[], string | undefined]>([
    ['npm', { 'package.json': script('jest') }, [], 'npm test'],
    [
      'a workspace of bun',
      { 'package.json': '{"workspaces":["a"]}', 'a/package.json': script('x'), 'bun.lock': '' },
      [],
      "bun run --filter '*' test",
    ],
    ['Rust', { 'Cargo.toml': '' }, ['--agent', 'codex'], 'cargo test'],
    ['Go', { 'go.mod': '' }, ['--agent', 'gemini', '--model', 'gemini-2.5-pro'], 'go test ./...'],
    ['Python', { 'pytest.ini': '' }, ['--agent', 'opencode', '--max-cost', '2.5'], 'pytest'],
    ['Gradle', { 'build.gradle': '', gradlew: '' }, ['--agent', 'copilot'], './gradlew test'],
    ['.NET', { 'a.csproj': '' }, ['--agent', 'qwen', '--max-iterations', '3'], 'dotnet test'],
    ['Elixir', { 'mix.exs': '' }, ['--agent', 'pi'], 'mix test'],
    ['Ruby', { Gemfile: '', '.rspec': '' }, ['--protect', 'spec/**', '--protect', '*.lock'], 'bundle exec rspec'],
    ['Deno', { 'deno.json': '{}' }, ['--max-iterations', '0'], 'deno test'],
    [
      'PHP',
      { 'phpunit.xml': '' },
      ['--goal', 'file_created: DONE.md', '--goal', 'all_tests_pass'],
      'vendor/bin/phpunit',
    ],
    [
      'make',
      { Makefile: 'test:\n' },
      ['--goal', 'all: [all_tests_pass, { file_contains: { path: "a b", content: "x: y" } }]'],
      'make test',
    ],
    ['nothing', {}, [], undefined],
    ['no tests on purpose', { 'package.json': script('jest') }, ['--tests', ''], undefined],
    [
      'tests with everything that needs quotes',
      {},
      ['--tests', `a 'b: "c"' # && d | e\\f {g} \u2028`],
      `a 'b: "c"' # && d | e\\f {g} \u2028`,
    ],
    ['tests that look like something else', {}, ['--tests', 'true', '--model', '1.5'], 'true'],
  ])('writes a config for %s that is checked without a warning', async (_, files, words, tests) => {
    const project = projectWith('claude');
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    expect(await project.pawl('init', ...words)).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('warning'),
    });
    const { warnings, spec } = JSON.parse((await project.pawl('check', '--json')).stdout);
    // Some agents do not report what the redline needs, and that is worth a warning whoever wrote the config.
    const others = warnings.filter(({ path }: { readonly path: string }) => path !== 'context_redline_percent');
    expect({ others, tests: spec.tests?.command }).toEqual({ others: [], tests });
    expect(readdirSync(traps)).toEqual([]);
  });

  it('writes limits, a goal that is checked twice, and a prompt with a place for the task', async () => {
    const project = projectWith('codex');
    project.write('package.json', script('jest'));
    const { status, stdout, stderr } = await project.pawl('init', '--max-cost', '5', '--max-iterations', '08');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Wrote pawl.yaml, PROMPT.md, .gitignore.');
    expect(stdout).toMatch(/npm test \(package\.json .*"test"\)/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const checked = (await project.pawl('check')).stdout;
    for (const line of [
      'when all tests pass and the agent says it is done',
      'after 8 iterations',
      'after $5.00',
      'runs codex',
    ]) {
      expect(checked).toContain(line);
    }
    expect(project.read('PROMPT.md')).toContain('REPLACE THIS LINE');
    expect(project.read('PROMPT.md')).toContain('{{feedback}}');
    expect(project.read('.gitignore')).toBe('.ralph/\n');
    expect(filesOf(project)).toEqual(['.gitignore', 'PROMPT.md', 'agent.sh', 'package.json', 'pawl.yaml']);
  });

  it('makes what a run can begin with, without another question', async () => {
    const project = projectWith();
    project.write('Makefile', 'test:\n\ttest -e done\n');
    project.write('agent.sh', '#!/bin/sh\ncat > prompt-seen\ntouch done\necho "PAWL: DONE"\n', 0o755);
    expect((await project.pawl('init', '--agent', 'claude')).status).toBe(0);
    const run = () => project.pawl('run', '--quiet', '--delay', '0', '--', './agent.sh');
    expect(await run()).toMatchObject({ status: 2, stderr: expect.stringMatching(/PROMPT\.md .*pawl init/) });
    project.write('PROMPT.md', project.read('PROMPT.md').replace(/^REPLACE THIS LINE.*$/m, 'Make the file `done`.'));
    expect(await run()).toMatchObject({ status: 0 });
    expect(project.read('prompt-seen')).toContain('iteration 1 of at most 25');
  });

  it('says why it picks an agent, also when none is logged in', async () => {
    const project = projectWith('gemini');
    expect((await project.pawl('init')).stdout).toMatch(/agent +gemini \(no login .*start gemini once.*\)/s);
  });

  it('limits the cost of copilot as that of any agent', async () => {
    const project = projectWith();
    expect((await project.pawl('init', '--agent', 'copilot', '--max-cost', '5')).status).toBe(0);
    expect(project.read('pawl.yaml')).toContain('- max_cost: 5');
  });

  it('names the schema of the Pawl that the project has', async () => {
    const project = projectWith('claude');
    project.write('node_modules/pawl/dist/schema.json', '{}');
    project.write('packages/a/package.json', '{}');
    await project.pawl('init', '--cwd', 'packages/a');
    const [first] = readFileSync(join(project.path, 'packages', 'a', 'pawl.yaml'), 'utf8').split('\n');
    expect(first).toBe('# yaml-language-server: $schema=../../node_modules/pawl/dist/schema.json');
  });

  it('says as JSON what it did', async () => {
    const project = projectWith('gemini');
    project.write('go.mod', '');
    const { status, stdout } = await project.pawl('init', '--json');
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      ok: true,
      wrote: ['pawl.yaml', 'PROMPT.md', '.gitignore'],
      kept: [],
      agent: 'gemini',
      tests: 'go test ./...',
    });
    const again = await project.pawl('init', '--json');
    expect(again).toMatchObject({ status: 2, stderr: '' });
    expect(JSON.parse(again.stdout)).toMatchObject({
      ok: false,
      issues: [{ place: 'pawl.yaml' }, { place: 'PROMPT.md' }],
    });
  });
});

describe('pawl init where something is there already', () => {
  it('writes nothing and names all of it', async () => {
    const project = projectWith('claude');
    project.write('PROMPT.md', 'mine');
    project.write('pawl.json', '{}');
    const { status, stdout, stderr } = await project.pawl('init', '--yes');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^pawl\.json: already exists; .*\nPROMPT\.md: already exists; .*\n$/);
    expect(filesOf(project)).toEqual(['PROMPT.md', 'agent.sh', 'pawl.json']);
  });

  it('with --keep writes the rest, and the config names the prompt that is there', async () => {
    const project = projectWith('claude');
    project.write('prompt.md', 'mine');
    const { status, stdout } = await project.pawl('init', '--keep');
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('Left prompt.md alone.') });
    expect(project.read('prompt.md')).toBe('mine');
    expect(project.read('pawl.yaml')).toContain('prompt_path: prompt.md');
    expect(existsSync(join(project.path, 'PROMPT.md'))).toBe(false);
  });

  it('with --force replaces them, a link and not what it leads to', async () => {
    const project = projectWith('claude');
    writeFileSync(join(project.home, 'precious'), 'mine');
    symlinkSync(join(project.home, 'precious'), join(project.path, 'pawl.yaml'));
    project.write('PROMPT.md', 'old');
    expect((await project.pawl('init', '--force')).status).toBe(0);
    expect(readFileSync(join(project.home, 'precious'), 'utf8')).toBe('mine');
    expect(project.read('pawl.yaml')).toContain('max_iterations');
    expect(project.read('PROMPT.md')).toContain('REPLACE THIS LINE');
  });

  it('deletes no config even with --force', async () => {
    const project = projectWith('claude');
    project.write('pawl.yml', 'agent: codex\n');
    const { status, stderr } = await project.pawl('init', '--force');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^pawl\.yml: already exists; remove it/),
    });
    expect(filesOf(project)).toEqual(['agent.sh', 'pawl.yml']);
  });

  it('keeps what stands in .gitignore', async () => {
    const project = projectWith('claude');
    project.write('.gitignore', 'node_modules');
    expect((await project.pawl('init')).status).toBe(0);
    expect(project.read('.gitignore')).toBe('node_modules\n.ralph/\n');
    expect((await project.pawl('init', '--force')).status).toBe(0);
    expect(project.read('.gitignore')).toBe('node_modules\n.ralph/\n');
  });
});

describe('pawl init in a project that is broken or hostile', () => {
  it('finds no tests in what cannot be read, and says so', async () => {
    const project = projectWith('claude');
    project.write('package.json', script('jest'));
    truncateSync(join(project.path, 'package.json'), 100 * 1024 * 1024);
    symlinkSync('Cargo.toml', join(project.path, 'Cargo.toml'));
    mkdirSync(join(project.path, 'go.mod'));
    expect(spawnSync('mkfifo', [join(project.path, 'Makefile')]).status).toBe(0);
    const { status, stdout } = await project.pawl('init');
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('none found') });
    expect(JSON.parse((await project.pawl('check', '--json')).stdout).warnings).toEqual([]);
  });

  it('executes nothing, and takes no program of the tree for an agent', async () => {
    const project = projectWith();
    const mark = join(project.home, 'ran');
    for (const name of ['claude', 'codex', 'git', 'npm']) {
      project.write(`node_modules/.bin/${name}`, `#!/bin/sh\ntouch ${mark}\n`, 0o755);
    }
    project.git('config', 'core.fsmonitor', `touch ${mark}`);
    project.env['PATH'] = `./node_modules/.bin:${join(project.path, 'node_modules', '.bin')}:${project.env['PATH']}`;
    project.write('package.json', script('touch ../ran'));
    const { status, stdout } = await project.pawl('init');
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('claude (not installed)') });
    expect(existsSync(mark)).toBe(false);
  });

  it.each<[string[], RegExp]>([
    [['--agent', 'cluade'], /^--agent: no agent is called "cluade"; did you mean "claude"\?\n$/],
    [['--agent', 'command'], /^--agent: no agent is called "command"; known agents: claude, /],
    [['--max-cost', '-5'], /--max-cost/],
    [['--max-cost', '3x'], /--max-cost/],
    [['--max-iterations', '1.5'], /--max-iterations/],
    [['--goal', 'all_test_pass'], /--goal.*did you mean "all_tests_pass"/],
    [['--goal', 'check_passes: lint'], /no check is called "lint"/],
    [['--goal', '{'], /--goal/],
    [['--protect', ''], /--protect/],
    [['--keep', '--force'], /--keep: /],
    [['--cwd', 'gone'], /^--cwd: "gone" is not a folder\n$/],
    [['--cwd', 'agent.sh'], /^--cwd: "agent.sh" is not a folder\n$/],
  ])('%j is a mistake: exit 2, why, and nothing is written', async (words, why) => {
    const project = projectWith('claude');
    const { status, stdout, stderr } = await project.pawl('init', ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(why);
    expect(filesOf(project)).toEqual(['agent.sh']);
  });

  it('says that a folder cannot be written, and leaves nothing', async () => {
    const project = projectWith('claude');
    mkdirSync(join(project.path, 'pawl.yaml'));
    const { status, stderr } = await project.pawl('init', '--force');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^pawl: cannot write .*pawl\.yaml: /);
    expect(filesOf(project)).toEqual(['agent.sh', 'pawl.yaml']);
  });
});

describe('pawl init in a terminal', () => {
  /** Types the keys one after the other, each when what is waited for before it is on the screen. */
  async function typed(
    tmux: string,
    project: CliProject,
    steps: readonly (readonly [string, string])[],
  ): Promise<string> {
    const socket = join(project.home, 'tmux');
    const ask = (...words: readonly string[]) =>
      spawnSync(tmux, ['-S', socket, '-f', '/dev/null', ...words], {
        cwd: project.path,
        env: project.env,
        encoding: 'utf8',
      });
    const screen = () => ask('capture-pane', '-p').stdout;
    const line = `${JSON.stringify(process.execPath)} ${JSON.stringify(cli.bin)} init; echo exit code $?; sleep 100`;
    expect(ask('new-session', '-d', '-x', '100', '-y', '50', 'sh', '-c', line).status).toBe(0);
    try {
      for (const [awaited, key] of steps) {
        await expect.poll(screen, { timeout: 60_000, interval: 50 }).toContain(awaited);
        ask('send-keys', key);
      }
      await expect.poll(screen, { timeout: 60_000, interval: 50 }).toContain('exit code');
      return screen();
    } finally {
      ask('kill-server');
    }
  }

  const goProject = () => {
    const project = projectWith('claude', 'codex');
    project.env['TERM'] = 'xterm-256color';
    project.env['ANTHROPIC_API_KEY'] = 'a key';
    project.write('go.mod', '');
    return project;
  };

  it('asks six questions, and offers what it found', async (context) => {
    const project = goProject();
    const shown = await typed(need('tmux', context), project, [
      ['Which agent does the work?', 'Down'],
      ['● Codex (installed)', 'Enter'],
      ['go test ./...', 'Enter'],
      ['Repair failing tests, or build something new?', 'Down'],
      ['● Repair', 'Enter'],
      ['May the agent change the tests?', 'n'],
      ['Does Claude Code (haiku) have to agree before the work counts as done?', 'Enter'],
      ['How many US dollars', 'Enter'],
    ]);
    expect(shown).toContain('exit code 0');
    const { spec, warnings } = JSON.parse((await project.pawl('check', '--json')).stdout);
    expect(warnings).toEqual([]);
    expect(spec).toMatchObject({ agent: { name: 'codex' }, tests: { command: 'go test ./...' } });
    expect(spec.review).toMatchObject({ agent: { name: 'claude', model: 'haiku' } });
    expect(spec.policy.success).toEqual([
      { type: 'all', conditions: [{ type: 'all_tests_pass' }, { type: 'review_approves' }] },
    ]);
    expect(spec.policy.failure).toContainEqual({ type: 'protected_path_changed', paths: ['**/*_test.go'] });
  });

  it('offers a list with open boxes as the goal, with the tests, and tells the agent how to work on it', async (context) => {
    const project = goProject();
    project.write('PLAN.md', '- [x] a\n- [ ] b\n- [ ] c\n');
    const shown = await typed(need('tmux', context), project, [
      ['Which agent does the work?', 'Enter'],
      ['go test ./...', 'Enter'],
      ['PLAN.md has 2 open boxes. Is the work done when all of them are checked?', 'Enter'],
      ['May the agent change the tests?', 'Enter'],
      ['Does Claude Code (haiku) have to agree before the work counts as done?', 'n'],
      ['How many US dollars', 'Enter'],
    ]);
    expect(shown).toContain('exit code 0');
    const { spec, warnings } = JSON.parse((await project.pawl('check', '--json')).stdout);
    expect(warnings).toEqual([]);
    const list = { type: 'checklist_done', path: 'PLAN.md', fresh: true };
    expect(spec.policy.success).toEqual([{ type: 'all', conditions: [list, { type: 'all_tests_pass' }] }]);
    expect(project.read('PROMPT.md')).toContain('Take the next open box in `PLAN.md`');
  });

  it('writes nothing when it is interrupted', async (context) => {
    const project = goProject();
    const shown = await typed(need('tmux', context), project, [
      ['Which agent does the work?', 'Enter'],
      ['go test ./...', 'C-c'],
    ]);
    expect(shown).toContain('Nothing was written.');
    expect(shown).toContain('exit code 130');
    expect(filesOf(project)).toEqual(['agent.sh', 'go.mod']);
  });
});
