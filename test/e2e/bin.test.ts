import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';
import { runPawl } from '../support/in-process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = join(root, 'dist', 'bin', 'pawl.js');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-bin-'));
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--cli-if-stale'], {
    encoding: 'utf8',
  });
  expect(built).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pawl(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  return { status, stdout, stderr };
}

/** The same without a process of its own. */
const pawlHere = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runPawl(bin, args, { cwd: folder, environment: { PATH: process.env['PATH'], HOME: folder, ...env } });

/** A goal that is verified, a wrong turn, a hang with what it left running, a budget, and what others would have done. */
const DEMO = [
  'before: 0 of 12 tests pass',
  'Done. ALL TESTS PASS.',
  '2 of 12 tests pass (-4)',
  'error: the agent printed nothing for 2s',
  '1 more of its processes was ended',
  ': all 12 tests pass.',
  '$0.46, 132,750 tokens',
  'trust the agent        done after iteration 2, with 10 tests failing',
];

const NO_RUN = 'there is no run in ';

/** The fleet needs a newer Node than the rest of Pawl. */
const HAS_FLEET = Number(process.versions.node.split('.')[0]) >= 22;

/** Every command once as a process: most tests run them without one. */
const CALLS: readonly (readonly [words: string, status: number, firstLine: string])[] = [
  ['check nope.yaml', 2, 'nope.yaml: no such file'],
  ['completion bash', 0, '# bash completion for pawl'],
  ['demo --help', 0, 'Usage: pawl demo [options]'],
  ['doctor --cwd nowhere', 2, '--cwd: "nowhere" is not a folder'],
  ['extend', 2, 'no limit given: write for example --max-cost 20'],
  [
    'fleet status',
    2,
    HAS_FLEET ? 'no database: give --postgres postgres://user@host/database' : 'a fleet needs Node 22.12',
  ],
  ['help', 0, 'Usage: pawl [options] [command]'],
  ['import', 2, 'found no sessions of Claude Code or Codex to import: name files or folders, as in pawl import DIR'],
  ['init --agent x', 2, '--agent: no agent is called "x"; did you mean "pi"?'],
  ['list', 0, 'No runs in . yet; pawl run starts one.'],
  ['mcp --cwd nowhere', 2, '--cwd: "'],
  ['pipeline run', 2, 'no manifest: there is no pipeline.yaml here'],
  ['prune', 2, 'specify what to keep, for example --keep 30d'],
  ['restore', 2, 'no iteration given: 0 is before the first, and pawl show lists them'],
  ['run', 2, 'there is no prompt: give one with -p TEXT, name a file, or write PROMPT.md here'],
  ['check --schema', 0, '{'],
  ['stats', 0, 'No runs in . yet; pawl run starts one.'],
  ['submit', 2, '--repo: missing: give the URL of the repository, as the workers reach it'],
  ['tune', 5, '0 labelled runs of 0 tasks, 0 goals'],
  ['ui --port x', 2, '--port: must be a number from 1 to 65535, or 0 for any, not "x"'],
  ['worker --slots 0', 2, '--slots: must be a whole number from 1 to 999, not "0"'],
  ...[
    'answer x',
    'approve',
    'diff',
    'explain',
    'export',
    'logs',
    'pause',
    'reboot',
    'reject x',
    'replay',
    'resume',
  ].map((words) => [words, 2, NO_RUN] as const),
  ...['show', 'skip', 'status', 'steer x', 'stop', 'unpause', 'wait', 'watch'].map(
    (words) => [words, 2, NO_RUN] as const,
  ),
];

/** Commands that were removed, and are still answered. */
const REPLACED: typeof CALLS = [
  ['schema', 2, 'pawl schema was replaced by: pawl check --schema'],
  ['pipeline validate x.yaml --json', 2, 'pawl pipeline validate was replaced by: pawl check pipeline.yaml'],
  ['pipeline schema --state', 2, 'pawl pipeline schema was replaced by: pawl check --schema pipeline'],
];

describe('the built command', () => {
  describe('with nothing to work on', () => {
    it.each([...CALLS, ...REPLACED])('pawl %s exits with %i and says why', (words, status, firstLine) => {
      const place = mkdtempSync(join(folder, 'nothing-'));
      const call = pawl(words.split(' '), {}, place);
      expect({ status: call.status, said: `${call.stdout}${call.stderr}`.slice(0, firstLine.length) }).toEqual({
        status,
        said: firstLine,
      });
    });

    it('is called here with each of its commands', () => {
      const named = pawl(['help', '--all']).stdout.matchAll(/^ {2}([a-z]+) {2,}/gm);
      const called = CALLS.map(([words]) => words.split(' ')[0]);
      expect(new Set(called)).toEqual(new Set(Array.from(named, ([, name]) => name)));
    });
  });

  it('prints its version and nothing else', () => {
    expect(pawl(['--version'])).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it('shows a real loop as its demo, within 80 columns and without colours in a pipe', () => {
    const { status, stdout, stderr } = pawl(['demo'], { TMPDIR: folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const line of DEMO) expect(stdout).toContain(line);
    const own = stdout.split('\n').filter((line) => !line.includes('pawl-demo-'));
    expect(own.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain('\u001b');
  });

  it('colours its output when asked, and not when told', async () => {
    writeFileSync(join(folder, 'pawl.yaml'), 'stop: { limits: [{ max_cost: 5 }] }\n');
    expect((await pawlHere(['check'], { FORCE_COLOR: '1' })).stdout).toContain('\u001b[1m');
    expect((await pawlHere(['check'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  });

  it('checks a config: sentences on stdout, mistakes on stderr with exit 2', async () => {
    const able = "agent: { command: ['true'] }\nprompt: Go.\n";
    writeFileSync(join(folder, 'pawl.yaml'), `${able}stop: { limits: [{ max_cost: 5 }] }\n`);
    expect(await pawlHere(['check'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('after $5.00'),
    });
    writeFileSync(join(folder, 'pawl.yaml'), 'stop: { limits: [{ max_cots: 5 }] }\n');
    expect(await pawlHere(['check'])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^pawl\.yaml:1:18 stop\.limits\[0\]: .*"max_cots".*"max_cost"\?\n$/),
    });
  });

  it.each([
    ['a prompt file that is missing', 'prompt_path: nowhere.md\n'],
    ['a prompt that is a folder', 'prompt_path: .\n'],
    ['a missing agent program', 'prompt: Go.\nagent: { command: [./no-such-agent] }\n'],
    ['an agent that is not installed', 'prompt: Go.\nagent: codex\n'],
    ['a missing program of the tests', "prompt: Go.\nagent: { command: ['true'] }\ntests: no-such-runner\n"],
  ])('checks what would keep a run from starting, in the words of the run: %s', async (_what, config) => {
    writeFileSync(join(folder, 'pawl.yaml'), config);
    const path = dirname(process.execPath);
    const run = await pawlHere(['run'], { PATH: path });
    expect(run.status).toBe(2);
    expect(await pawlHere(['check'], { PATH: path })).toMatchObject({ status: 2, stderr: run.stderr });
    const { status, stdout } = await pawlHere(['check', '--json'], { PATH: path });
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({ status: 2, ok: false });
  });

  it('says that a config may not be read', () => {
    // Root may read everything, so that a test run by root becomes nobody, with a copy of the command that it can reach.
    const copy = join(folder, 'bin');
    cpSync(join(root, 'dist', 'bin'), copy, { recursive: true });
    chmodSync(folder, 0o755);
    const secret = join(folder, 'secret.yaml');
    writeFileSync(secret, 'agent: claude\n');
    chmodSync(secret, 0);
    const words = [process.execPath, join(copy, 'pawl.js'), 'check', 'secret.yaml'];
    const nobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const [command = '', ...args] = [...nobody, ...words];
    const { status, stderr } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { HOME: folder, PATH: process.env['PATH'] },
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^secret\.yaml: .*permission denied\n$/),
    });
  });

  it('goes on quietly when nobody reads its output', () => {
    const shell = spawnSync('sh', ['-c', `"$1" "$2" check --schema | head -c 10`, 'sh', process.execPath, bin], {
      encoding: 'utf8',
    });
    expect(shell).toMatchObject({ status: 0, stderr: '' });
  });

  it('reads a config of 10 MB no further than it must, and says so', () => {
    writeFileSync(join(folder, 'big.yaml'), `a: ${'x'.repeat(10_000_000)}\n`);
    const { status, stderr } = pawl(['check', 'big.yaml']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/big\.yaml.*(1 MB|1,0|too large|MiB|larger)/);
    expect(stderr.length).toBeLessThan(500);
  });
});
