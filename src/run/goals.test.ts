/** Goals without tests, in real folders with real commands. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { maxIterations } from '../model/conditions/max-iterations.js';
import { restoreRun } from './restore-run.js';
import { resumeRun } from './resume-run.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-goals-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

function scene(files: Readonly<Record<string, string>> = {}) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workingDir, path)), { recursive: true });
    writeFileSync(join(workingDir, path), text);
  };
  const read = (path: string) => readFileSync(join(workingDir, path), 'utf8');
  for (const [path, text] of Object.entries(files)) write(path, text);
  const run = async (config: LoopConfig, calls: readonly (() => void)[]) => {
    const agent = scriptedAgent(calls.map((work) => ({ work })));
    const runner = new LoopRunner({ workingDir, prompt: 'go', iterationDelay: 0, ...config }, { agent, environment });
    await runner.run();
    return runner.runState;
  };
  const resume = async (calls: readonly (() => void)[], most: number) => {
    const agent = scriptedAgent(calls.map((work) => ({ work })));
    const runner = await resumeRun({ workingDir, agent, environment });
    await runner.run({ raise: [maxIterations(most)] });
    return runner.runState;
  };
  /** Every file but Pawl's own. */
  const tree = () =>
    Object.fromEntries(
      readdirSync(workingDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes('.ralph'))
        .map((entry) => join(entry.parentPath, entry.name).slice(workingDir.length + 1))
        .toSorted()
        .map((path) => [path, read(path)]),
    );
  return { workingDir, write, read, run, resume, tree };
}

const reasonsOf = (state: Awaited<ReturnType<ReturnType<typeof scene>['run']>>) =>
  state.phase.name === 'ended' ? state.phase.end : undefined;

describe('a list of boxes', () => {
  it('ends the run when it is worked off, and is counted in each iteration', async () => {
    const { run, write } = scene({ 'PLAN.md': '- [ ] a\n- [ ] b\n' });
    const state = await run({ maxIterations: 5, stop: { success: [{ checklist_done: 'PLAN.md' }], confirm: 2 } }, [
      () => write('PLAN.md', '- [x] a\n- [ ] b\n'),
      () => write('PLAN.md', '- [x] a\n- [x] b\n'),
    ]);
    expect(reasonsOf(state)).toMatchObject({ class: 'goal' });
    expect(state.iterations).toBe(2);
    expect(Object.values(state.checklists ?? {})).toMatchObject([{ checked: 2, total: 2 }]);
  });

  it('is counted although another part of the goal is not met', async () => {
    const { run, write } = scene({ 'TODO.md': '- [ ] a\n- [ ] b\n' });
    const goal = { all: [{ file_created: 'NEVER' }, { checklist_done: 'TODO.md' }] };
    const state = await run({ maxIterations: 1, stop: { success: [goal] } }, [
      () => write('TODO.md', '- [x] a\n- [ ] b\n'),
    ]);
    expect(Object.values(state.checklists ?? {})).toMatchObject([{ checked: 1, total: 2 }]);
    expect(state.streaks.withoutProgress).toBe(0);
  });
});

/** Prints what the file holds; each run is counted outside of the tree. */
const MEASURE = 'echo run >> "../runs-$(basename "$PWD")"; cat p95';
const metric = (more: object) => ({ metric: { command: MEASURE, better: 'lower', ...more } });

describe('a metric', () => {
  it('is measured before the first iteration and after each, and a new best twice', async () => {
    const { run, write, workingDir } = scene({ p95: '400\n' });
    const state = await run({ maxIterations: 9, stop: { success: [metric({ target: 100 })] } }, [
      () => write('p95', '410\n'),
      () => write('p95', '90\n'),
    ]);
    expect(reasonsOf(state)).toMatchObject({ class: 'goal' });
    expect(Object.values(state.metrics ?? {})).toMatchObject([
      { start: 400, last: 90, best: { value: 90, iteration: 2 } },
    ]);
    expect(readFileSync(join(base, `runs-${workingDir.slice(base.length + 1)}`), 'utf8').split('\n')).toHaveLength(
      2 + 1 + 2 + 1,
    );
  });

  it('one lucky measurement neither ends the run nor becomes the best result', async () => {
    const { run, write } = scene({ p95: '400\n' });
    const lucky = 'cat p95; [ -e lucky ] && { rm lucky; echo 50; }; true';
    const goal = { metric: { command: lucky, better: 'lower', target: 100 } };
    const state = await run({ maxIterations: 2, stop: { success: [goal] } }, [
      () => write('lucky', ''),
      () => write('p95', '380\n'),
    ]);
    expect(reasonsOf(state)).toMatchObject({ class: 'limit' });
    expect(Object.values(state.metrics ?? {})).toMatchObject([{ best: { value: 380, iteration: 2 } }]);
  });

  it('a command that fails from the start leaves it unknown, and the run still ends', async () => {
    const { run, write } = scene();
    const goal = { metric: { command: 'exit 1', better: 'lower', target: 1, patience: 2 } };
    const state = await run({ maxIterations: 9, stop: { success: [goal] } }, [
      () => write('a', '1'),
      () => write('a', '2'),
      () => write('a', '3'),
    ]);
    expect(reasonsOf(state)?.reasons[0]?.message).toMatch(/^"exit 1" .*\b2 iterations: .*exited with 1/);
  });
});

describe('keep_best', () => {
  const config = (more: object = {}): LoopConfig => ({
    maxIterations: 9,
    stop: { success: [metric({ target: 100, patience: 2, keep_best: true, ...more })] },
  });

  /** The second call is the best one; the later ones change, add and delete files. */
  const calls = ({ write, workingDir }: Pick<ReturnType<typeof scene>, 'write' | 'workingDir'>) => [
    () => {
      write('p95', '300\n');
      write('src/one', 'one');
    },
    () => {
      write('p95', '200\n');
      write('src/two', 'two\r\n\0binary');
      write('run.sh', 'echo hi');
      chmodSync(join(workingDir, 'run.sh'), 0o755);
    },
    () => {
      write('p95', '350\n');
      write('src/one', 'other');
      write('src/three', 'three');
      rmSync(join(workingDir, 'src/two'));
    },
    () => write('p95', '340\n'),
  ];
  const BEST = { p95: '200\n', 'run.sh': 'echo hi', 'src/one': 'one', 'src/two': 'two\r\n\0binary' };

  it('restores the files of the best result exactly when the run gives up, and the last ones are a command away', async () => {
    const place = scene({ p95: '400\n' });
    const state = await place.run(config(), calls(place));
    expect(reasonsOf(state)).toMatchObject({ class: 'failure' });
    expect(place.tree()).toEqual(BEST);
    expect(state.keptBest).toMatchObject({ iteration: 2, problem: undefined });
    const tree = state.keptBest?.before ?? '';
    await restoreRun({ workingDir: place.workingDir, to: { tree }, environment });
    expect(place.tree()).toEqual({ p95: '340\n', 'run.sh': 'echo hi', 'src/one': 'other', 'src/three': 'three' });
    await restoreRun({ workingDir: place.workingDir, to: 'before-restore', environment });
    expect(place.tree()).toEqual(BEST);
  });

  it('in a repository restores what is in submodules, untracked or replaced by a folder, and leaves ignored files and the index', async () => {
    const place = scene({ p95: '400\n', 'kept/file': 'kept\n', '.gitignore': 'out/\n', 'out/cache': '0' });
    const { workingDir, write, read } = place;
    const inFolder = (path: string) => join(workingDir, path);
    const git = (folder: string, ...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    write('library/code', 'start\n');
    for (const folder of [inFolder('library'), workingDir]) {
      git(folder, 'init', '--quiet');
      git(folder, 'add', '.');
      git(folder, 'commit', '--quiet', '-m', 'start');
    }
    write('mine', 'untracked\n');
    await place.run({ ...config(), maxIterations: 3 }, [
      () => {
        write('p95', '200\n');
        write('library/code', 'best\n');
        write('library/extra', 'best\n');
        write('out/cache', '1');
        symlinkSync('p95', inFolder('link'));
      },
      () => {
        write('p95', '300\n');
        write('library/code', 'worse\n');
        for (const path of ['library/extra', 'link', 'kept']) rmSync(inFolder(path), { recursive: true });
        write('kept', 'no folder');
        write('link', 'no link');
        write('mine', 'overwritten');
        write('out/cache', '2');
        git(workingDir, 'add', 'mine');
      },
      () => {
        rmSync(inFolder('p95'));
        write('p95/inside', 'x');
      },
    ]);
    expect(['p95', 'kept/file', 'library/code', 'library/extra', 'mine', 'out/cache'].map(read)).toEqual([
      '200\n',
      'kept\n',
      'best\n',
      'best\n',
      'untracked\n',
      '2',
    ]);
    expect(readlinkSync(inFolder('link'))).toBe('p95');
    expect(git(workingDir, 'show', ':mine')).toBe('overwritten');
  });

  it('restores them when a limit ends the run', async () => {
    const place = scene({ p95: '400\n' });
    await place.run({ ...config(), maxIterations: 3 }, calls(place));
    expect(place.tree()).toEqual(BEST);
  });

  it('restores the start when no iteration was better', async () => {
    const place = scene({ p95: '400\n', kept: 'as it was' });
    const state = await place.run(config(), [
      () => place.write('p95', '500\n'),
      () => rmSync(join(place.workingDir, 'kept')),
    ]);
    expect(place.tree()).toEqual({ p95: '400\n', kept: 'as it was' });
    expect(state.keptBest?.iteration).toBe(0);
  });

  it('what a command wrote after the last iteration is in the snapshot that brings the last files back', async () => {
    const place = scene({ p95: '400\n' });
    const state = await place.run(
      {
        ...config(),
        stop: {
          success: [
            { metric: { ...metric({}).metric, command: 'date +%N > report; cat p95', patience: 2, keep_best: true } },
          ],
        },
      },
      calls(place),
    );
    expect(place.read('p95')).toBe('200\n');
    await restoreRun({ workingDir: place.workingDir, to: { tree: state.keptBest?.before ?? '' }, environment });
    expect(existsSync(join(place.workingDir, 'report'))).toBe(true);
    expect(place.read('src/one')).toBe('other');
  });

  it('leaves the files alone when the goal is met: those were verified', async () => {
    const place = scene({ p95: '400\n' });
    const goal = { all: [metric({ target: 250, keep_best: true }), { file_created: 'DONE' }] };
    const state = await place.run({ maxIterations: 9, stop: { success: [goal] } }, [
      () => place.write('p95', '200\n'),
      () => {
        place.write('p95', '240\n');
        place.write('DONE', '');
      },
    ]);
    expect(reasonsOf(state)).toMatchObject({ class: 'goal' });
    expect(place.read('p95')).toBe('240\n');
    expect(state.keptBest).toBeUndefined();
  });

  it('leaves the files alone when the last iteration is the best one', async () => {
    const place = scene({ p95: '400\n' });
    const state = await place.run({ ...config(), maxIterations: 1 }, [() => place.write('p95', '300\n')]);
    expect(state.keptBest).toBeUndefined();
    expect(place.read('p95')).toBe('300\n');
  });

  it('leaves the files alone when a protected file was changed to get there', async () => {
    const place = scene({ p95: '400\n', bench: 'x' });
    const state = await place.run(
      { ...config(), stop: { ...config().stop, failure: [{ protected_path_changed: ['bench'] }] } },
      [() => place.write('p95', '300\n'), () => place.write('bench', 'y')],
    );
    expect(reasonsOf(state)).toMatchObject({ class: 'veto' });
    expect(place.read('bench')).toBe('y');
  });

  it('a run that is resumed starts from the best files, and can improve on them', async () => {
    const place = scene({ p95: '400\n' });
    await place.run({ ...config(), maxIterations: 3 }, calls(place));
    expect(place.read('p95')).toBe('200\n');
    const second = await place.resume([() => place.write('p95', '90\n')], 6);
    expect(reasonsOf(second)).toMatchObject({ class: 'goal' });
    expect(place.tree()).toEqual({ ...BEST, p95: '90\n' });
    expect(second.keptBest).toBeUndefined();
  });

  it('when the snapshot of the best files is gone, nothing is changed, and the record says why', async () => {
    const place = scene({ p95: '400\n' });
    const [first, second, third, fourth] = calls(place);
    const state = await place.run(config(), [
      () => first?.(),
      () => second?.(),
      () => third?.(),
      () => {
        fourth?.();
        for (const folder of findSnapshots(base)) rmSync(folder, { recursive: true, force: true });
      },
    ]);
    expect(place.read('p95')).toBe('340\n');
    expect(state.keptBest).toMatchObject({ iteration: 2, problem: expect.any(String) as string });
  });

  it('is refused where there are no snapshots', async () => {
    const place = scene({ p95: '400\n' });
    await expect(place.run({ ...config(), trackFileChanges: false }, [])).rejects.toThrow(
      /keep_best .*track_file_changes/,
    );
  });
});

/** Every folder with the objects of snapshots. */
function findSnapshots(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === 'objects')
    .map((entry) => join(entry.parentPath, entry.name));
}
