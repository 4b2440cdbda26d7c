/** Every command in every bad situation: never a stack trace, never silence, never a hang, and the exit code that fits. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/views/cli/program.js';
import { type BundledFixture, bundleFixture } from '../crash/bundled-fixture.js';
import { BuiltCli, type CliOutcome, CliProject } from '../support/cli-project.js';
import { mayRunInProcess } from '../support/in-process.js';
import { contextOf, recordingTerminal } from '../support/terminal.js';

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
const AS_NOBODY = IS_ROOT ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

let cli: BuiltCli;
let calls: BundledFixture;
let finished: CliProject;
let empty: CliProject;
beforeAll(async () => {
  cli = new BuiltCli('bad-input');
  calls = await bundleFixture('pawl-calls');
  empty = new CliProject(cli);
  finished = await finishedProject();
});
afterAll(() => {
  calls.remove();
  cli.remove();
});

/** A project with one finished run of two iterations. */
async function finishedProject(): Promise<CliProject> {
  const project = new CliProject(cli, { agent: 'date +%s%N > stamp' });
  const limits = ['--max-iterations', '2', '--delay', '0s'];
  const ran = await project.pawl('run', '-p', 'x', ...limits, '--quiet', '--', './agent.sh');
  expect(ran).toMatchObject({ status: 3 });
  return project;
}

/** How each command is called; `RUN` stands for a run. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  run: ['run', '-p', 'x', '--max-iterations', '1', '--delay', '0s', '--quiet', '--', './agent.sh'],
  resume: ['resume', 'RUN', '--max-iterations', '3', '--quiet'],
  pipeline: ['pipeline', 'run', '--quiet'],
  list: ['list'],
  status: ['status', 'RUN'],
  show: ['show', 'RUN'],
  logs: ['logs', 'RUN'],
  explain: ['explain', 'RUN'],
  replay: ['replay', 'RUN'],
  stats: ['stats'],
  tune: ['tune'],
  import: ['import'],
  export: ['export', 'RUN'],
  watch: ['watch', 'RUN'],
  stop: ['stop', 'RUN'],
  pause: ['pause', 'RUN'],
  unpause: ['unpause', 'RUN'],
  skip: ['skip', 'RUN'],
  reboot: ['reboot', 'RUN'],
  answer: ['answer', 'RUN', 'left'],
  approve: ['approve', 'RUN'],
  reject: ['reject', 'RUN', 'no'],
  steer: ['steer', 'RUN', 'left'],
  extend: ['extend', 'RUN', '--max-cost', '20'],
  wait: ['wait', 'RUN'],
  fleet: ['fleet', 'status'],
  submit: ['submit', '--repo', 'https://example.org/a.git', '--branch', 'main', '-p', 'x'],
  worker: ['worker'],
  // It would go on until somebody ends it, and is tested by itself.
  ui: ['ui', '--port', 'none'],
  diff: ['diff', 'RUN', '1'],
  restore: ['restore', 'RUN', '1'],
  prune: ['prune', '--keep', '30d'],
  check: ['check'],
  demo: ['demo'],
  completion: ['completion', 'bash'],
  init: ['init', '--yes'],
  doctor: ['doctor'],
  mcp: ['mcp'],
  help: ['help'],
};
const TAKES_RUN = Object.keys(CALLS).filter((name) => CALLS[name]?.includes('RUN'));
const STEERS = ['stop', 'pause', 'unpause', 'skip', 'reboot', 'approve', 'reject', 'steer', 'extend'];
/** Slow, and tested by itself. */
const EVERY = Object.keys(CALLS).filter((name) => name !== 'demo');
/** All of them in CI; else every third, another third in each of the three situations, without those that are called anyway. */
const some = (third: 0 | 1 | 2, calledAnyway: readonly string[]) =>
  process.env['PAWL_TEST_ALL'] === '1'
    ? EVERY
    : EVERY.filter((name, index) => index % 3 === third && !calledAnyway.includes(name));

function call(name: string, run?: string): readonly string[] {
  return (CALLS[name] ?? []).flatMap((word) => (word === 'RUN' ? (run === undefined ? [] : [run]) : [word]));
}

/** What holds whatever happens. */
function expectCalm({ status, stdout, stderr }: CliOutcome): void {
  const said = stdout + stderr;
  expect(said).not.toMatch(/\n\s+at .*[:)]\d+/);
  expect(said).not.toContain('unexpected error');
  expect(said).not.toMatch(/\[object Object\]|undefined|NaN/);
  // Killed after a minute: it hung.
  expect({ status, said }).not.toMatchObject({ status: null });
  if (status !== 0) expect(said.trim()).not.toBe('');
}

function expectRefused(outcome: CliOutcome, status: number, message: RegExp | string): void {
  expectCalm(outcome);
  expect(outcome).toMatchObject({ status, stdout: '' });
  expect(outcome.stderr).toMatch(message);
}

const runOf = (project: CliProject) =>
  readdirSync(join(project.path, '.ralph', 'runs')).find((name) => name.startsWith('loop_')) ?? '';

it('every command has its row here', async () => {
  const { stdout } = await finished.pawl('help', '--all');
  const named = [...stdout.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name = '']) => name);
  expect([...named].sort()).toEqual(Object.keys(CALLS).sort());
});

/** In this process: a word that is not understood leads nowhere else. */
async function understood(...words: readonly string[]): Promise<CliOutcome> {
  const terminal = recordingTerminal();
  const status = await runProgram(words, contextOf(terminal));
  return { status, stdout: terminal.out(), stderr: terminal.err() };
}

describe('a typo', () => {
  it.each(EVERY)('in the name of %s is answered with the right one', async (name) => {
    const typo = `${name.slice(0, 1)}${name.slice(2)}x`;
    expectRefused(await understood(typo), 2, /unknown command/);
  });

  it.each(EVERY.filter((name) => name !== 'help'))('in a flag of %s is named', async (name) => {
    expectRefused(await understood(name, '--nonsense'), 2, /unknown option '--nonsense'/);
  });

  it.each([
    ['shwo', 'show'],
    ['resum', 'resume'],
    ['lst', 'list'],
  ])('%s suggests %s', async (typo, command) => {
    expect((await finished.pawl(typo)).stderr).toContain(`Did you mean ${command}?`);
  });
});

describe('what is missing', () => {
  it.each([
    ['steer', ['steer'], /text/],
    ['reject', ['reject'], /text/],
    ['extend', ['extend'], /limit|which/],
    ['completion', ['completion'], /shell/],
    ['restore', ['restore'], /iteration.*pawl show/],
    ['prune', ['prune'], /--keep 30d/],
    ['run -p', ['run', '-p'], /argument missing/],
    ['run --', ['run', '--'], /command after --/],
    ['pipeline run', ['pipeline', 'run'], /manifest.*pipeline\.yaml/],
    ['pipeline run --resume', ['pipeline', 'run', '--resume'], /there is no pipeline in/],
  ])('%s says what it needs', async (_name, words, message) => {
    expectRefused(await finished.pawl(...words), 2, message);
  });
});

describe('a run that is not there', () => {
  it.each(TAKES_RUN)('%s names it', async (name) => {
    expectRefused(await finished.pawl(...call(name, 'nope')), 2, /there is no run "nope"/);
  });

  it.each(TAKES_RUN)('%s says where none has run yet', async (name) => {
    expectRefused(await empty.pawl(...call(name)), 2, /there is no run in /);
  });

  it.each(STEERS)('%s of a run that has ended says so, and what to do', async (name) => {
    expectRefused(await finished.pawl(...call(name)), 2, /is not running .*; pawl resume/);
  });
});

describe('a journal that is damaged', () => {
  let damaged: CliProject;
  let run = '';
  beforeAll(async () => {
    damaged = await finishedProject();
    run = runOf(damaged);
    const path = join(damaged.path, '.ralph', 'runs', run, 'journal.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [...lines.slice(0, 3), '{"v":1,"seq":4, garbage', ...lines.slice(4)].join('\n'));
  });

  const READERS = ['status', 'show', 'logs', 'resume', 'diff', 'restore', 'watch', 'explain', 'replay'];
  it.each(READERS)('%s names the line', async (name) => {
    const outcome = await damaged.pawl(...call(name, run));
    expectCalm(outcome);
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(/journal\.jsonl:4/);
  });

  it.each(some(0, READERS))('%s stays calm', async (name) => {
    expectCalm(await damaged.pawl(...call(name, run)));
  });
});

/**
 * What each of these commands says when it is started `through` other programs. Those that end by themselves run one after
 * the other in one process.
 */
function callAll(
  names: readonly string[],
  through: readonly string[],
  project: CliProject,
  run: string,
): ReadonlyMap<string, CliOutcome> {
  const start = (...words: readonly string[]): CliOutcome => {
    const [command = '', ...args] = [...through, process.execPath, ...words];
    return spawnSync(command, args, { cwd: project.path, env: project.env, encoding: 'utf8', timeout: 60_000 });
  };
  const together = names.filter((name) => mayRunInProcess(call(name, run)));
  const wordsOfAll = JSON.stringify(together.map((name) => call(name, run)));
  const lines = start(calls.path, join(cli.folder, 'bin', 'chunks'), wordsOfAll)
    .stdout.split('\n')
    .slice(0, -1);
  return new Map([
    ...lines.map((line, index) => [together[index] ?? '', JSON.parse(line) as CliOutcome] as const),
    ...names
      .filter((name) => !together.includes(name))
      .map((name) => [name, start(cli.bin, ...call(name, run))] as const),
  ]);
}

/** One that has not answered has held up the others, or ended their process. */
function answerOf(name: string, said: ReadonlyMap<string, CliOutcome>): CliOutcome {
  return said.get(name) ?? { status: null, stdout: '', stderr: '' };
}

describe('no permission on .ralph', () => {
  const WRITERS = ['run', 'resume', 'restore'];
  const OTHERS = some(1, WRITERS);
  let unseen: ReadonlyMap<string, CliOutcome>;
  let unwritable: ReadonlyMap<string, CliOutcome>;
  beforeAll(async () => {
    const project = await finishedProject();
    const ralph = join(project.path, '.ralph');
    const run = runOf(project);
    // The tree is nobody's, `.ralph` is somebody else's.
    if (IS_ROOT) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, project.home]);
    if (IS_ROOT) chownSync(ralph, 0, 0);
    chmodSync(ralph, 0);
    unseen = callAll(OTHERS, AS_NOBODY, project, run);
    chmodSync(ralph, 0o555);
    unwritable = callAll(WRITERS, AS_NOBODY, project, run);
  }, 240_000);

  it.each(OTHERS)('%s stays calm where it may not even look', (name) => {
    expectCalm(answerOf(name, unseen));
  });

  it.each(WRITERS)('%s says that it may not write', (name) => {
    expectRefused(answerOf(name, unwritable), 1, /\.ralph\/lock: no permission for it/);
  });
});

describe.runIf(IS_ROOT)('a read-only disk', () => {
  const WRITERS = ['run', 'resume', 'restore'];
  const READERS = ['list', 'status', 'show', 'logs', 'diff', 'explain', 'replay', 'stats'];
  const OTHERS = some(2, [...WRITERS, ...READERS]);
  let said: ReadonlyMap<string, CliOutcome>;
  beforeAll(async () => {
    const mount = 'mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && cd "$PWD" && exec "$@"';
    const project = await finishedProject();
    const names = new Set([...OTHERS, ...WRITERS, ...READERS]);
    said = callAll([...names], ['unshare', '-m', 'sh', '-c', mount, 'sh'], project, runOf(project));
  }, 240_000);

  it.each(OTHERS)('%s stays calm', (name) => {
    expectCalm(answerOf(name, said));
  });

  it.each(WRITERS)('%s says so', (name) => {
    expectRefused(answerOf(name, said), 1, /the disk is read-only/);
  });

  it.each(READERS)('%s works all the same', (name) => {
    const outcome = answerOf(name, said);
    expectCalm(outcome);
    expect(outcome).toMatchObject({ status: 0, stderr: '' });
  });
});

describe.each([
  ['outside a git repository', false],
  ['in an empty repository', true],
])('%s', (_where, hasGit) => {
  it('a run, and everything about it, works', async () => {
    const project = new CliProject(cli, { agent: 'date +%s%N > stamp', hasGit });
    expect(await project.pawl(...call('run'))).toMatchObject({ status: 3 });
    for (const name of ['list', 'status', 'show', 'logs', 'diff', 'restore', 'check', 'prune']) {
      // A check fails where a run would not start: this project has no prompt and no agent of its own.
      if (name === 'check') {
        project.write('PROMPT.md', 'go\n');
        project.write('pawl.yaml', 'agent: { command: ./agent.sh }\n');
      }
      const outcome = await project.pawl(...call(name));
      expectCalm(outcome);
      expect({ name, ...outcome }).toMatchObject({ name, status: 0, stderr: '' });
    }
    expect(await project.pawl(...call('resume'))).toMatchObject({ status: 3 });
  });

  it('a worktree or a commit is refused with words', async () => {
    const project = new CliProject(cli, { hasGit });
    const worktree = await project.pawl('run', '--worktree', '-p', 'x', '--', './agent.sh');
    expectRefused(worktree, 2, hasGit ? /commit/ : /git/);
    project.write('pawl.yaml', 'commit: end\n');
    if (!hasGit)
      expectRefused(await project.pawl('run', '-p', 'x', '--', './agent.sh'), 2, /pawl\.yaml:1:\d+ commit: .*git/);
  });
});
