/** Records of earlier versions: each is listed, explained, replayed and resumed by the code as it is now. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDeepFactorAgent } from '../src/agent/index.js';
import { readJournal } from '../src/journal/read-journal.js';
import { reduce } from '../src/model/reduce.js';
import { INITIAL_STATE } from '../src/model/run-state.js';
import type { Verdict } from '../src/model/verdict.js';
import { maxIterations } from '../src/stop/conditions.js';
import { evaluateLive, evaluateRun } from '../src/stop/evaluate-policy.js';
import { factsOf } from '../src/stop/facts.js';
import { scriptedModel } from '../src/testing/scripted-model.js';
import { runProgram } from '../src/views/cli/program.js';
import { placeRecord, RECORDED_IN, RECORDS } from './support/relocated-record.js';
import { contextOf, recordingTerminal } from './support/terminal.js';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-records-')));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  vi.stubEnv('XDG_RUNTIME_DIR', join(home, 'run'));
  vi.stubEnv('PAWL_TRUST', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function pawl(project: string, ...words: readonly string[]) {
  const terminal = recordingTerminal(100);
  const exitCode = await runProgram([...words, '--cwd', project], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

async function json(project: string, ...words: readonly string[]) {
  const { exitCode, out, err } = await pawl(project, ...words, '--json');
  expect(exitCode, err).toBe(0);
  return JSON.parse(out) as unknown;
}

function place(name: string) {
  const project = mkdtempSync(join(home, `${name}-`));
  execFileSync('git', ['init', '--quiet'], { cwd: project });
  return { project, runId: placeRecord(name, project) };
}

interface Listed {
  readonly status: string;
  readonly class?: string;
  readonly reasons?: readonly string[];
  readonly iterations?: number;
  readonly costUsd: number;
}

interface Expected {
  readonly name: string;
  readonly listed: Listed;
  /** Words after `pawl resume`. */
  readonly resume?: readonly string[];
  readonly before?: (project: string) => void;
  readonly exitCodes: readonly number[];
  readonly message?: string;
  /** What the list says after the resume. */
  readonly after: Partial<Listed>;
}

const PASS = ['the tests pass'];
const goalAt = (iterations: number, costUsd: number): Partial<Listed> => {
  return { status: 'completed', class: 'goal', reasons: PASS, iterations, costUsd };
};

const EXPECTED: readonly Expected[] = [
  {
    name: 'goal',
    listed: { status: 'completed', class: 'goal', reasons: PASS, iterations: 2, costUsd: 0.5 },
    exitCodes: [2],
    message: 'has reached its goal',
    after: goalAt(2, 0.5),
  },
  {
    name: 'veto',
    listed: {
      status: 'stopped',
      class: 'veto',
      reasons: ['test/a.test.js changed'],
      iterations: 1,
      costUsd: 0.25,
    },
    // The changed file is still there.
    exitCodes: [2],
    message: 'test/a.test.js changed in iteration 1 and has not been restored',
    after: { status: 'stopped', class: 'veto', iterations: 1 },
  },
  {
    name: 'veto',
    listed: { status: 'stopped', class: 'veto', iterations: 1, costUsd: 0.25 },
    before: (project) => writeFileSync(join(project, 'test/a.test.js'), 'original\n'),
    // The agent changes the protected file again.
    exitCodes: [4],
    after: { status: 'stopped', class: 'veto', iterations: 2 },
  },
  {
    name: 'failure',
    listed: {
      status: 'stopped',
      class: 'failure',
      reasons: ['3 of 3 iterations in a row failed'],
      iterations: 3,
      costUsd: 0.75,
    },
    exitCodes: [0],
    after: goalAt(4, 1),
  },
  {
    name: 'limit',
    listed: { status: 'stopped', class: 'limit', reasons: ['2 of 2 iterations'], iterations: 2, costUsd: 0.5 },
    exitCodes: [2],
    message: '--max-iterations N',
    after: { status: 'stopped', iterations: 2, costUsd: 0.5 },
  },
  {
    name: 'limit',
    listed: { status: 'stopped', class: 'limit', reasons: ['2 of 2 iterations'], iterations: 2, costUsd: 0.5 },
    resume: ['--max-iterations', '4'],
    exitCodes: [0],
    after: goalAt(3, 0.75),
  },
  {
    name: 'blocked',
    listed: { status: 'stopped', class: 'blocked', iterations: 1, costUsd: 0.25 },
    exitCodes: [0],
    after: goalAt(2, 0.5),
  },
  {
    name: 'operator',
    listed: { status: 'stopped', class: 'operator', iterations: 1, costUsd: 0.25 },
    exitCodes: [0],
    after: goalAt(2, 0.5),
  },
  {
    name: 'error',
    listed: { status: 'error', iterations: 1, costUsd: 0.25 },
    exitCodes: [1, 2],
    after: { status: 'error', iterations: 1, costUsd: 0.25 },
  },
  {
    name: 'error',
    listed: { status: 'error', iterations: 1, costUsd: 0.25 },
    before: (project) => writeFileSync(join(project, 'PROMPT.md'), 'make the tests pass\n'),
    exitCodes: [0],
    after: goalAt(2, 0.5),
  },
  {
    // Refused by a usage limit: an attempt that is repeated, not an iteration.
    name: 'waiting',
    listed: { status: 'interrupted', iterations: 0, costUsd: 0.25 },
    exitCodes: [0],
    after: goalAt(1, 0.5),
  },
  {
    name: 'crashed',
    listed: { status: 'interrupted', iterations: 1, costUsd: 0.5 },
    exitCodes: [0],
    after: goalAt(3, 0.75),
  },
  {
    name: 'pipeline',
    listed: {
      status: 'stopped',
      class: 'failure',
      reasons: ['2 of 2 items in a row rejected or failed'],
      costUsd: 0.75,
    },
    exitCodes: [4],
    after: { status: 'completed', costUsd: 1.25 },
  },
  {
    name: 'agent',
    listed: { status: 'stopped', class: 'limit', reasons: ['2 of 2 iterations'], iterations: 2, costUsd: 0.0009 },
    exitCodes: [2],
    message: "agent.resume('agent_",
    after: { status: 'stopped', iterations: 2 },
  },
];

describe('a record of an earlier version', () => {
  it.each(EXPECTED)('of a run that ended so is listed, explained and replayed: $name', async ({ name, listed }) => {
    const { project, runId } = place(name);
    expect(await json(project, 'list')).toMatchObject([{ ...listed, runId, live: false }]);
    const { reasons, class: stopClass } = listed;
    expect(await json(project, 'explain')).toMatchObject({
      runId,
      status: listed.status,
      ...(stopClass === undefined ? {} : { class: stopClass }),
      ...(reasons === undefined ? {} : { reasons: [{ message: reasons[0] }] }),
    });
    const figures = name === 'pipeline' ? {} : { iterations: listed.iterations };
    expect(await json(project, 'replay')).toMatchObject([
      { runId, end: { figures: { ...figures, costUsd: expect.closeTo(listed.costUsd, 4) } }, missing: [] },
    ]);
  });

  it.each(EXPECTED)('is resumed, or refused with its exit code: $name $resume', async (expected) => {
    const { name, resume = [], before, exitCodes, message = '', after } = expected;
    const { project, runId } = place(name);
    before?.(project);
    const { exitCode, err } = await pawl(project, 'resume', ...resume, '--quiet');
    expect(exitCodes, err).toContain(exitCode);
    expect(err).toContain(message);
    expect(await json(project, 'list')).toMatchObject([{ ...after, runId, live: false }]);
  });

  it('of a paused run is paused again when it is resumed, and ends after unpause', async () => {
    const { project, runId } = place('paused');
    expect(await json(project, 'list')).toMatchObject([{ runId, status: 'interrupted', iterations: 1, costUsd: 0.25 }]);
    expect(await json(project, 'explain')).toMatchObject({ runId, stop: false });
    expect(await json(project, 'replay')).toMatchObject([{ runId, end: { figures: { iterations: 1 } } }]);
    const resumed = pawl(project, 'resume', '--quiet');
    await vi.waitFor(async () => expect(await pawl(project, 'unpause')).toMatchObject({ exitCode: 0 }), 20_000);
    expect(await resumed).toMatchObject({ exitCode: 0 });
    expect(await json(project, 'list')).toMatchObject([goalAt(2, 0.5)]);
  });

  it('of a pipeline makes the rejected items when they are redone', async () => {
    const { project } = place('pipeline');
    writeFileSync(join(project, 'good'), '');
    const redone = await pawl(project, 'pipeline', 'run', '--resume', '--redo', 'two', 'three');
    expect(redone, redone.err).toMatchObject({ exitCode: 0 });
    for (const item of ['one', 'two', 'three', 'four', 'five']) {
      expect(readFileSync(join(project, 'out', `${item}.txt`), 'utf8')).toBe(`${item}\n`);
    }
  });

  it('of an agent in code is resumed in code, with its conversation', async () => {
    const { project, runId } = place('agent');
    const model = scriptedModel([{ text: 'DONE' }]);
    const agent = createDeepFactorAgent({
      model,
      stopWhen: [maxIterations(2)],
      verifyCompletion: ({ text }) => text.startsWith('DONE'),
      workingDir: project,
    });
    const result = await agent.resume(runId, { raise: [maxIterations(5)] });
    expect(result).toMatchObject({ status: 'completed', iterations: 3, text: 'DONE' });
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('not yet either');
  });
});

/** What 132b882 decided after each event: the status of each condition and the verdict, of the run and of its live conditions. */
const VERDICTS = Object.entries(
  JSON.parse(readFileSync(join(RECORDS, 'verdicts.json'), 'utf8')) as Record<string, readonly string[]>,
);

const verdictText = ({ judgements, stop, class: stopClass, reasons }: Verdict) => {
  const decided = stop ? `${stopClass}: ${reasons.map(({ path }) => path).join()}` : 'continue';
  return [...judgements.map(({ status }) => status), decided].join(' ');
};

describe('the verdicts of an earlier version', () => {
  it('are known of every record', () => {
    const folders = readdirSync(RECORDS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(VERDICTS.map(([name]) => name).sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it.each(VERDICTS)('are the same after each event: %s', async (name, expected) => {
    const verdicts: string[] = [];
    let state = INITIAL_STATE;
    for await (const event of readJournal(join(RECORDS, name, 'journal.jsonl'))) {
      state = reduce(state, event);
      const [run, live] = [evaluateRun(state), evaluateLive(state.policy, factsOf(state))].map(verdictText);
      verdicts.push(`${event.seq} ${event.type} | ${run} | ${live}`);
    }
    expect(verdicts).toEqual(expected);
  });
});

/** A repository, the worktree in which a run of an earlier version (132b882, `pawl run --worktree try`) worked, and another one. */
function placeInWorktree() {
  const base = mkdtempSync(join(home, 'worktree-'));
  const project = join(base, 'project');
  const worktree = join(base, 'state/pawl/worktrees/project-1af16f0b/try');
  const other = join(base, 'other');
  const git = (...words: readonly string[]) => {
    execFileSync('git', ['-c', 'user.name=User', '-c', 'user.email=user@localhost', ...words], { cwd: project });
  };
  mkdirSync(project);
  for (const name of ['agent.sh', 'pawl.yaml']) cpSync(join(RECORDS, 'worktree/files', name), join(project, name));
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
  git('worktree', 'add', '--quiet', '-b', 'pawl/try', worktree);
  git('worktree', 'add', '--quiet', '-b', 'other', other);
  const runId = placeRecord('worktree', worktree, { from: dirname(RECORDED_IN), to: base });
  const folder = join(worktree, '.ralph/runs', runId);
  const second = join(project, '.git/pawl/runs', runId);
  mkdirSync(second, { recursive: true });
  for (const name of ['journal.jsonl', 'state.json']) linkSync(join(folder, name), join(second, name));
  return { project, worktree, other, folder, runId };
}

describe('a record of an earlier version in a worktree', () => {
  const listed = { status: 'stopped', class: 'limit', iterations: 2, costUsd: 0.5, live: false };

  it('is listed where it is: under its repository and in its worktree, and not in another worktree', async () => {
    const { project, worktree, other, folder, runId } = placeInWorktree();
    for (const place of [project, worktree]) {
      expect(await json(place, 'list')).toMatchObject([{ ...listed, runId, workingDir: worktree, folder }]);
    }
    expect(await json(other, 'list')).toEqual([]);
  });

  it('is resumed in its worktree, from its repository', async () => {
    const { project, worktree, runId } = placeInWorktree();
    const { exitCode, err } = await pawl(project, 'resume', '--max-iterations', '4', '--quiet');
    expect(exitCode, err).toBe(0);
    expect(await json(project, 'list')).toMatchObject([{ ...goalAt(3, 0.75), runId, workingDir: worktree }]);
    expect(existsSync(join(project, 'done'))).toBe(false);
  });

  it('is offered when an id is completed, and only where it is', async () => {
    const { project, other, runId } = placeInWorktree();
    const offered = async (place: string) => {
      const terminal = recordingTerminal(100);
      await runProgram(['__complete', '--', 'status', '--cwd', place, runId.slice(0, -1)], contextOf(terminal));
      return terminal.out();
    };
    expect(await offered(project)).toContain(`${runId}\tstopped, 2 iterations`);
    expect(await offered(other)).not.toContain(runId);
  });

  it('names the worktree that has to be brought back when it is gone', async () => {
    const { project, worktree } = placeInWorktree();
    execFileSync('git', ['worktree', 'remove', '--force', worktree], { cwd: project });
    const { exitCode, err } = await pawl(project, 'resume');
    expect({ exitCode, err }).toMatchObject({ exitCode: 2, err: expect.stringContaining('git worktree add') });
  });

  it('whose journal was cut is not resumed: its budgets would start again from zero', async () => {
    const { project, folder } = placeInWorktree();
    const path = join(folder, 'journal.jsonl');
    truncateSync(path, readFileSync(path, 'utf8').indexOf('\n') + 1);
    const { exitCode, err } = await pawl(project, 'resume', '--max-iterations', '4', '--quiet');
    expect({ exitCode, err }).toMatchObject({ exitCode: 1, err: expect.stringContaining('state.json of 2') });
  });

  it('is deleted by its age', async () => {
    const { project, runId } = placeInWorktree();
    const terminal = recordingTerminal(100);
    const context = { ...contextOf(terminal), now: () => Date.parse('2027-11-18T00:00:00Z') };
    await runProgram(['prune', '--keep', '30d', '--json', '--cwd', project], context);
    expect(JSON.parse(terminal.out())).toMatchObject({ deleted: [{ runId }] });
  });
});
