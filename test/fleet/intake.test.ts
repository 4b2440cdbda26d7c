/** What `pawl submit` and `pawl worker` take and refuse: a real Postgres, the built command, and a repository on disk. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { BuiltCli, type CliOutcome, CliProject } from '../support/cli-project.js';
import { type FleetDatabase, sharedFleet } from '../support/fleet-database.js';
import { GitRemote } from '../support/git-remote.js';
import { PASSWORD } from '../support/test-postgres.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const PLACE = ['--repo', 'https://example.org/a.git', '--branch', 'main'];
const KEY = `ghp_${'a1B2'.repeat(10)}`;
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'];

const fleetFor = sharedFleet();
let cli: BuiltCli;
let project: CliProject;
let remote: GitRemote;
const workers: ChildProcess[] = [];

beforeAll(() => {
  cli = new BuiltCli('fleet-intake');
  symlinkSync(MODULES, join(cli.folder, 'node_modules'));
  remote = new GitRemote();
});
afterAll(() => {
  for (const worker of workers) worker.kill('SIGKILL');
  cli.remove();
  remote.remove();
});
beforeEach(() => {
  project = new CliProject(cli);
});

async function fleet(context: TestContext): Promise<FleetDatabase> {
  const found = await fleetFor(context);
  project.env['PAWL_POSTGRES'] = found.postgres.url;
  return found;
}

function expectRefused({ status, stdout, stderr }: CliOutcome, code: number, message: RegExp): void {
  expect({ status, stdout, stderr }).toMatchObject({ status: code, stdout: '' });
  expect(stderr).toMatch(message);
  for (const never of [PASSWORD, KEY, 'unexpected error', 'Warning', '    at ']) {
    expect(stderr).not.toContain(never);
  }
}

/** The worker ends with the test when it has not before. */
function worker(...words: readonly string[]): { readonly process: ChildProcess; readonly said: () => string } {
  let said = '';
  const started = spawn(process.execPath, [cli.bin, 'worker', ...words], {
    cwd: project.path,
    env: project.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  workers.push(started);
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  return { process: started, said: () => said };
}

function asNobody(...words: readonly string[]): CliOutcome {
  const env = { ...project.env, HOME: '/nonexistent', XDG_STATE_HOME: '' };
  return spawnSync('setpriv', [...NOBODY, process.execPath, cli.bin, ...words], {
    cwd: '/',
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

describe('submit takes nothing that it should not', () => {
  it.each<[hazard: string, words: readonly string[], message: RegExp, files?: Readonly<Record<string, string>>]>([
    ['a key in -p', ['-p', `Use ${KEY}`], /^-p: .*\(github_token\)/],
    ['a key in a prompt file', [], /^PROMPT\.md:2:5: .*\(github_token\)/, { 'PROMPT.md': `one\nuse ${KEY}` }],
    ['a key in a config', ['-p', 'x'], /^pawl\.yaml:2:10: .*\(github_token\)/, { 'pawl.yaml': `\ntests: x ${KEY}` }],
    ['a key in a config of JSON', ['k.json', '-p', 'x'], /^k\.json:1:14: /, { 'k.json': `{"tests": "x ${KEY}"}` }],
    ['a key in a condition', ['-p', 'x', '--tests', `T=${KEY} npm test`], /^--tests: .*\(github_token\)/],
    ['a key in a command', ['-p', 'x', '--', 'sh', '-c', KEY], /^the command after --: .*\(github_token\)/],
    ['a key in a batch', ['-p', 'x', '--batch', KEY], /^--batch: .*\(github_token\)/],
    ['a key as a label', ['-p', 'x', '--label', KEY], /^--label: .*\(github_token\)/],
    [
      'a key in a matrix',
      ['-p', '{{ ticket.t }}', '--matrix', 'm'],
      /^m:2 t: .*\(github_token\)/,
      { m: `{"t":1}\n{"t":"${KEY}"}` },
    ],
    ['a NUL in a prompt file', [], /^PROMPT\.md:2:2: holds a NUL character/, { 'PROMPT.md': 'one\na\0b' }],
    ['a NUL in a config', [], /^pawl\.yaml:1:9 prompt: holds a NUL character/, { 'pawl.yaml': 'prompt: "a\\0b"' }],
    ['half a character', ['-p', '{{ticket.t}}', '--matrix', 'm'], /^m:1 t: holds half of/, { m: '{"t":"\\ud83d"}' }],
    [
      'a key that no line has',
      ['-p', '{{ ticket.x }}', '--matrix', 'm'],
      /^m:1: .*there are t, u/,
      { m: '{"t":1,"u":2}' },
    ],
    [
      'a manifest',
      ['m.yaml', '-p', 'x'],
      /^m\.yaml: is the manifest of a pipeline/,
      { 'm.yaml': 'items: []\ngenerate: {}' },
    ],
    ['a folder that is not there', ['-p', 'x', '--cwd', 'nope'], /^--cwd: "nope" is not a folder/],
    ['no name of a matrix', ['-p', 'x', '--matrix', ''], /^--matrix: which file/],
    ['a device as a matrix', ['-p', 'x', '--matrix', '/dev/zero'], /^--matrix: \/dev\/zero is not a regular file/],
    ['labels in one', ['-p', 'x', '--label', 'a,b'], /^--label: "a,b" has a comma: --labels takes several/],
    ['many mistakes', ['--label', 'a b', '--batch', 'a b', '--batch-cost', 'x'], /^--label: [^]*^--batch: /m],
  ])('%s', async (_hazard, words, message, files = {}) => {
    // Nothing reaches the database: there is none.
    for (const [name, text] of Object.entries(files)) project.write(name, text);
    expectRefused(await project.pawl('submit', ...PLACE, ...words), 2, message);
  });

  it('a matrix that is a folder, a pipe or nobody’s to read', async () => {
    const refuses = async (name: string, message: RegExp) =>
      expectRefused(await project.pawl('submit', ...PLACE, '-p', 'x', '--matrix', name), 2, message);
    mkdirSync(join(project.path, 'folder'));
    execFileSync('mkfifo', [join(project.path, 'pipe')]);
    await refuses('folder', /^--matrix: folder is a folder/);
    await refuses('pipe', /^--matrix: pipe is not a regular file/);
    project.write('secret', '{}', 0);
    const path = join(project.path, 'secret');
    chmodSync(project.home, 0o755);
    const outcome = IS_ROOT ? asNobody('submit', ...PLACE, '-p', 'x', '--matrix', path) : undefined;
    if (outcome !== undefined) expectRefused(outcome, 2, /^--matrix: .*secret cannot be read: no permission/);
  });

  it('ten thousand lines of which a hundred are wrong: twenty are told, and how many more', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => (index % 100 === 99 ? '{bad' : `{"id":${index}}`));
    project.write('m', lines.join('\n'));
    const outcome = await project.pawl('submit', ...PLACE, '-p', '{{ticket.id}}', '--matrix', 'm');
    expectRefused(outcome, 2, /^m:100:2: is not valid JSON/);
    const told = outcome.stderr.trim().split('\n');
    expect([told.length, told.at(-1)]).toEqual([21, 'and 80 more mistakes']);
  });

  it('another budget for a batch that is there: what it has is said, and what is allowed', async (context) => {
    const { database } = await fleet(context);
    const batch = (...words: readonly string[]) =>
      project.pawl('submit', ...PLACE, '-p', 'x', '--batch', 'w', ...words);
    expect(await batch('--batch-cost', '5')).toMatchObject({ status: 0 });
    const told = /^--batch-cost: the batch w .*\$5.* --batch-cost .*--batch$/m;
    expectRefused(await batch('--batch-cost', '6'), 2, told);
    expect(await batch()).toMatchObject({ status: 0 });
    expect(await database.query('select count(*)::int as runs from pawl.runs')).toEqual([{ runs: 2 }]);
  });

  it('warns of what a fleet does otherwise, and of a name in braces that was meant for the matrix', async (context) => {
    await fleet(context);
    project.write('pawl.yaml', 'commit: never\nsession: { state_dir: there }\n');
    project.write('m', '{"id":1,"title":"a"}');
    const { stderr, status } = await project.pawl('submit', ...PLACE, '-p', '{{title}}', '--matrix', 'm');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^warning: pawl\.yaml:1:9 commit: .*commits after each iteration/m);
    expect(stderr).toMatch(/^warning: pawl\.yaml:2:\d+ session\.state_dir: /m);
    expect(stderr).toMatch(/^warning: \{\{title\}\} stays as it is .*\{\{ticket\.title\}\}$/m);
  });
});

describe('the database', () => {
  it.for(['require', 'verify-full'])('without TLS and sslmode=%s: one line says so', async (mode, context) => {
    const { postgres } = await fleetFor(context);
    for (const words of [['worker'], ['fleet', 'status'], ['submit', ...PLACE, '-p', 'x', '--json']]) {
      const outcome = await project.pawl(...words, '--postgres', `${postgres.url}?sslmode=${mode}`);
      expectRefused(outcome, 2, /has no TLS, and is asked for it: .*sslmode=disable/);
    }
  });

  it('without the package that speaks to it: how to get it is said', async () => {
    const bare = new BuiltCli('fleet-bare');
    try {
      const alone = new CliProject(bare);
      for (const words of [['worker'], ['fleet', 'status'], ['submit', ...PLACE, '-p', 'x']]) {
        expectRefused(
          await alone.pawlProcess(...words, '--postgres', 'postgres://me@h/x'),
          2,
          /needs the package pg: npm install pg/,
        );
      }
    } finally {
      bare.remove();
    }
  });
});

describe('a worker', () => {
  it.each([
    [['--slots', '-1'], /^--slots: must be a whole number/],
    [['--slots', '1e9'], /^--slots: /],
    [['--slots', '1.5'], /^--slots: /],
    [['--slots', ''], /^--slots: /],
    [['--ttl', '20s'], /^--ttl: is set for the whole fleet/],
    [['--label', 'a,b'], /^--label: "a,b" has a comma/],
    [['--home', ''], /^--home: which folder/],
  ])('with %j is refused', async (words, message) => {
    expectRefused(await project.pawl('worker', ...words), 2, message);
  });

  it('whose home is a file, or nobody’s to write to, does not begin', async (context) => {
    await fleet(context);
    project.write('file', '');
    expectRefused(await project.pawl('worker', '--home', 'file'), 2, /^--home: .*file is not a folder/);
    expectRefused(await project.pawl('worker', '--home', 'file/x'), 1, /cannot make .*a part of its path is a file/);
    expectRefused(await project.pawl('worker', '--home', '/dev/null'), 2, /^--home: \/dev\/null is not a folder/);
    if (IS_ROOT) {
      expectRefused(asNobody('worker', '--home', '/usr/lib'), 1, /cannot write to \/usr\/lib: no permission/);
      expectRefused(asNobody('worker'), 1, /cannot make .*no permission/);
    }
  });

  it('without git says so before it takes a run', async (context) => {
    await fleet(context);
    project.env['PATH'] = join(project.path, 'nowhere');
    expectRefused(await project.pawl('worker'), 2, /a worker needs git/);
  });

  it('keeps every way into the database from its agent and all that runs beside it', async (context) => {
    const { database, postgres } = await fleet(context);
    delete project.env['PAWL_POSTGRES'];
    const url = ['--postgres', postgres.url];
    Object.assign(project.env, {
      PGPASSWORD: PASSWORD,
      PGPASSFILE: '/p',
      PGSERVICE: 's',
      PGSERVICEFILE: '/s',
      PGUSER: 'u',
    });
    const seen = join(project.home, 'seen');
    mkdirSync(seen);
    const env = (name: string) => `env > ${join(seen, name)}`;
    project.write(
      'pawl.yaml',
      `tests: ${env('tests')}; false
checks: { one: '${env('check')}' }
hooks: { before_iteration: '${env('before')}', on_stop: '${env('stop')}' }
notify: { command: '${env('notify')}' }
max_iterations: 1
`,
    );
    const agent = ['--', 'sh', '-c', `${env('agent')}; tr '\\0' ' ' < /proc/$PPID/cmdline > ${join(seen, 'line')}`];
    const place = ['--repo', remote.url, '--branch', 'main', '-p', 'x'];
    expect(await project.pawl('submit', ...url, ...place, ...agent)).toMatchObject({ status: 0 });
    const works = worker(...url);
    await expect
      .poll(() => database.query(`select 1 from pawl.runs where state = 'ended'`), { timeout: 60_000 })
      .toHaveLength(1);
    works.process.kill('SIGTERM');
    await once(works.process, 'exit');
    for (const name of ['agent', 'tests', 'check', 'before', 'stop', 'notify']) {
      const variables = readFileSync(join(seen, name), 'utf8');
      expect(variables, name).toContain('PGUSER=u');
      expect(variables, name).not.toMatch(/PAWL_POSTGRES|PGPASS|PGSERVICE/);
      expect(variables, name).not.toContain(PASSWORD);
    }
    expect(existsSync(join(seen, 'line'))).toBe(true);
    expect(readFileSync(join(seen, 'line'), 'utf8')).not.toContain(PASSWORD);
    expect(works.said()).not.toContain('notify.command');
    rmSync(seen, { recursive: true });
  });
});
