import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => (cli = new BuiltCli('doctor')));
afterAll(() => cli.remove());

const SECRET = 'sk-ant-api03-very-secret-value-0123456789';

interface Found {
  readonly group: string;
  readonly name: string;
  readonly level: string;
  readonly found: string;
  readonly fix?: string;
}

/** A project whose PATH has the system's programs and these agents, each a script; null for one that is not executable. */
function projectWith(agents: Readonly<Record<string, string | null>>): CliProject {
  const project = new CliProject(cli);
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(agents)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script ?? ''}\n`);
    chmodSync(join(bin, name), script === null ? 0o644 : 0o755);
  }
  project.env['PATH'] = `${bin}:/usr/bin:/bin`;
  // Whoever runs the tests may be root.
  project.env['IS_SANDBOX'] = '1';
  return project;
}

function writeHome(project: CliProject, name: string, text: string): void {
  mkdirSync(dirname(join(project.home, name)), { recursive: true });
  writeFileSync(join(project.home, name), text);
}

async function examine(project: CliProject) {
  const { status, stdout, stderr } = await project.pawl('doctor', '--json');
  const { ok, findings } = JSON.parse(stdout) as { readonly ok: boolean; readonly findings: readonly Found[] };
  const all = (name: string) => findings.filter((finding) => finding.name === name);
  return { status, stderr, stdout, ok, of: (name: string) => all(name)[0] };
}

const LOGIN = '{"claudeAiOauth":{"accessToken":"x"}}';

describe('pawl doctor', () => {
  it('finds nothing wrong with a machine that has everything', async () => {
    const project = projectWith({ claude: 'echo "2.1.325 (Claude Code)"' });
    writeHome(project, '.claude/.credentials.json', LOGIN);
    writeHome(project, 'config/pawl/config.yaml', 'max_cost_per_day: 50\n');
    project.write('pawl.yaml', 'agent: claude\ntests: npm test\n');
    const { status, ok, stderr, of } = await examine(project);
    expect({ status, ok, stderr }).toEqual({ status: 0, ok: true, stderr: '' });
    expect(of('clean room')?.found).toMatch(/^an overlay mount$|^a copy of the folder/);
    expect(of('claude')).toMatchObject({
      level: 'ok',
      found: expect.stringMatching(/^Claude Code 2\.1\.325, .*\/bin\/claude$/),
    });
    expect(of('claude login')).toMatchObject({ level: 'ok', found: expect.stringContaining('logged in') });
    for (const name of [
      'Node',
      'git',
      'platform',
      'user',
      'state folder',
      'runtime folder',
      'your config',
      'project',
      'project config',
      'agent',
      'limit per day',
    ]) {
      expect(of(name)).toMatchObject({ name, level: 'ok' });
    }
  });

  it('prints it aligned, within 80 columns, without colours in a pipe', async () => {
    const project = projectWith({ claude: 'echo 2.1.325', qwen: 'echo 0.15.10' });
    const { status, stdout, stderr } = await project.pawl('doctor');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^This machine\n {2}✓ Node {12}\d/);
    expect(stdout).toMatch(/it\s+reports\s+a\s+rejected\s+key\s+as\s+a\s+success/);
    expect(stdout).toContain('→ npm install -g @qwen-code/qwen-code@latest');
    expect(stdout).toMatch(/\nNo problem, 2 warnings\.\n$/);
  });

  it('does not wait for an agent that hangs, and survives what the others do', async () => {
    const project = projectWith({
      claude: 'trap "" TERM; sleep 1000 & sleep 1000',
      codex: 'printf "\\033]0;owned\\007\\033[31mgarbage\\377\\n"',
      gemini: null,
      opencode: 'kill -9 $$',
      pi: 'yes',
      qwen: 'echo 0.1.0',
    });
    const { status, stdout, of } = await examine(project);
    expect(status).toBe(0);
    expect(of('claude')).toMatchObject({
      level: 'note',
      found: expect.stringMatching(/--version within 10 s.*not known/),
    });
    expect(of('codex')).toMatchObject({ level: 'warning', found: expect.stringContaining('not a version') });
    expect(of('opencode')).toMatchObject({ level: 'warning', found: expect.stringContaining('SIGKILL') });
    expect(of('pi')).toMatchObject({ level: 'warning', found: expect.stringContaining('endless') });
    expect(of('qwen')).toMatchObject({ level: 'warning', found: expect.stringContaining('older than 0.15.10') });
    expect(of('not installed')).toMatchObject({ found: 'gemini, copilot' });
    expect(stdout).not.toContain('owned');
  });

  it('never runs or counts what lies in the tree', async () => {
    const project = projectWith({});
    const mark = join(project.home, 'ran');
    for (const name of ['claude', 'codex', 'git', 'setpriv', 'node', 'env']) {
      project.write(`node_modules/.bin/${name}`, `#!/bin/sh\ntouch ${mark}\necho 9.9.9\n`, 0o755);
    }
    project.git('config', 'core.fsmonitor', `touch ${mark}`);
    project.env['PATH'] = `:./node_modules/.bin:${join(project.path, 'node_modules', '.bin')}:${project.env['PATH']}`;
    const { of } = await examine(project);
    expect(of('agents')).toMatchObject({ level: 'warning', found: expect.stringContaining('no agent CLI') });
    expect(of('git')).toMatchObject({ found: expect.not.stringContaining('9.9.9') });
    expect(existsSync(mark)).toBe(false);
  });

  it('[p21] names a key that would bill another wallet than the login, and shows no secret', async () => {
    const project = projectWith({ claude: `echo 2.1.325 $ANTHROPIC_API_KEY`, codex: 'echo 0.166.0' });
    writeHome(project, '.claude/.credentials.json', `{"claudeAiOauth":{"accessToken":"${SECRET}"}}`);
    project.env['ANTHROPIC_API_KEY'] = SECRET;
    project.env['CODEX_API_KEY'] = SECRET;
    const { status, stdout, of } = await examine(project);
    expect(status).toBe(0);
    expect(of('claude bill')).toMatchObject({
      level: 'warning',
      found: expect.stringMatching(/ANTHROPIC_API_KEY is set.* bills that key/),
      fix: expect.stringContaining('unset ANTHROPIC_API_KEY'),
    });
    expect(of('codex bill')).toMatchObject({ level: 'note' });
    expect(stdout + (await project.pawl('doctor')).stdout).not.toContain('very-secret');
  });

  it('says that no login was found, or that it cannot be told', async () => {
    const project = projectWith({ claude: 'echo 2.1.325', codex: 'echo 0.166.0', gemini: 'echo 0.61.0' });
    const { status, of } = await examine(project);
    expect(status).toBe(0);
    expect(of('claude login')).toMatchObject({ level: 'warning', found: 'none found' });
    expect(of('codex login')).toMatchObject({ level: 'warning', fix: 'codex login, or set CODEX_API_KEY' });
    expect(of('gemini login')).toMatchObject({ level: 'note', found: expect.stringContaining('unknown: no login') });
  });

  it.each<[string, (project: CliProject) => void, string, RegExp]>([
    [
      'an agent that is not installed',
      (one) => one.write('pawl.yaml', 'agent: codex\n'),
      'agent',
      /^codex is not on the PATH$/,
    ],
    [
      'a config that is wrong',
      (one) => one.write('pawl.yaml', 'agnet: codex\n'),
      'project config',
      /^pawl\.yaml:1:1 agnet: unknown key/,
    ],
    ['a config that is a folder', (one) => mkdirSync(join(one.path, 'pawl.yaml')), 'project config', /is a directory/],
    [
      'a config of the user that is wrong',
      (one) => writeHome(one, 'config/pawl/config.yaml', 'a: b\nc: d\n'),
      'your config',
      /a: unknown key.*\(and 1 more\)/,
    ],
    ['no git', (one) => (one.env['PATH'] = join(one.home, 'bin')), 'git', /^not on the PATH/],
    ['an old git', (one) => oldGit(one), 'git', /^2\.17\.1, .*: too old$/],
    [
      'a state folder that is a file',
      (one) => (one.env['XDG_STATE_HOME'] = '/etc/hostname'),
      'state folder',
      /is not a folder/,
    ],
    [
      'a state folder where nothing can be made',
      (one) => (one.env['XDG_STATE_HOME'] = '/proc/self/x'),
      'state folder',
      /^\/proc/,
    ],
  ])('has a problem with %s, and exits with 1', async (_, spoil, name, found) => {
    const project = projectWith({ claude: 'echo 2.1.325' });
    spoil(project);
    const { status, ok, of } = await examine(project);
    expect({ status, ok }).toEqual({ status: 1, ok: false });
    expect(of(name)).toMatchObject({ level: 'problem', found: expect.stringMatching(found) });
    expect(await project.pawl('doctor')).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/\n1 problem.*\.\n$/),
    });
  });

  it('warns of a config that can never be met, and of none at all', async () => {
    const project = projectWith({ claude: 'echo 2.1.325' });
    expect((await examine(project)).of('project config')).toMatchObject({ level: 'note', fix: 'pawl init writes one' });
    project.write('pawl.yaml', 'agent: claude\n');
    expect((await examine(project)).of('project config')).toMatchObject({
      level: 'warning',
      found: expect.stringContaining('no goal'),
    });
  });

  it('as root without a sandbox warns, and has a problem where Claude Code is to do everything', async (context) => {
    if (process.getuid?.() !== 0) context.skip('needs root');
    const project = projectWith({ claude: 'echo 2.1.325' });
    delete project.env['IS_SANDBOX'];
    project.write('pawl.yaml', 'agent: { name: claude, permissions: bypass }\ntests: "true"\n');
    const { status, of } = await examine(project);
    expect(status).toBe(1);
    expect(of('user')).toMatchObject({ level: 'warning' });
    expect(of('permissions')).toMatchObject({
      level: 'problem',
      found: expect.stringContaining('refused by Claude Code'),
    });
  });

  it('is told of a folder that is not there as a mistake in its use', async () => {
    expect(await projectWith({}).pawl('doctor', '--cwd', 'gone')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: '--cwd: "gone" is not a folder\n',
    });
  });
});

function oldGit(project: CliProject): void {
  const file = join(project.home, 'bin', 'git');
  writeFileSync(file, '#!/bin/sh\necho git version 2.17.1\n');
  chmodSync(file, 0o755);
}
