import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { maxIterations } from '../stop/conditions.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-check-tree-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };

/** A repository with a commit, and an agent that writes another file in each iteration. */
class Scene {
  readonly path = mkdtempSync(join(base, 'tree-'));
  #files = 0;
  readonly agent = scriptedAgent([{ work: () => this.write(`file${++this.#files}`) }]);

  constructor() {
    this.git('init', '-q');
    this.write('first');
    this.git('add', '.');
    this.git('-c', 'user.name=me', '-c', 'user.email=me@localhost', 'commit', '-qm', 'mine');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.path, encoding: 'utf8', env: environment });
  }

  write(name: string): void {
    writeFileSync(join(this.path, name), `${name}\n`);
  }

  runner(config: LoopConfig = {}): LoopRunner {
    const common = { workingDir: this.path, prompt: 'go', iterationDelay: 0, maxIterations: 1 } as const;
    return new LoopRunner({ ...common, commit: 'iteration', ...config }, { agent: this.agent, environment });
  }

  async resume(iterations: number, warnings: string[] = []) {
    const onWarning = (message: string) => void warnings.push(message);
    const run = await resumeRun({ workingDir: this.path, agent: this.agent, environment, onWarning });
    return run.run({ raise: [maxIterations(iterations)] });
  }

  /** The files of the last commit. */
  committed(): readonly string[] {
    return this.git('show', '--format=', '--name-only').trim().split('\n');
  }

  /** The record as it is when the runner died after this event. */
  cutAfter(runId: string, type: string): void {
    const journal = realpathSync(join(this.path, '.ralph/runs', runId, 'journal.jsonl'));
    rmSync(join(dirname(journal), 'state.json'), { force: true });
    const lines = readFileSync(journal, 'utf8').split('\n');
    const last = lines.findLastIndex((line) => line.includes(`"type":"${type}"`));
    writeFileSync(journal, `${lines.slice(0, last + 1).join('\n')}\n`);
  }
}

describe('a run that commits', () => {
  it('does not begin on changes of the user, and leaves nothing behind', async () => {
    const scene = new Scene();
    scene.write('mine.txt');
    const marks = { on_error: 'touch error', on_stop: 'touch stop' };
    const runner = scene.runner({ hooks: { onError: marks.on_error, onStop: marks.on_stop } });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'ConfigError',
      message: expect.stringMatching(/1 file .*not committed \(mine\.txt\).*stash.*--worktree/),
    });
    expect(readdirSync(scene.path).sort()).toEqual(['.git', 'first', 'mine.txt']);
    for (const name of ['b', 'c', 'd']) scene.write(name);
    await expect(runner.run()).rejects.toThrow(/4 files .*not committed \(b, c, d, and 1 more\).*stash/);
    for (const name of ['mine.txt', 'b', 'c', 'd']) rmSync(join(scene.path, name));
    expect(await runner.run()).toMatchObject({ class: 'limit' });
  });

  it("does not go on with changes of the user's, and would not commit them as its own", async () => {
    const scene = new Scene();
    await scene.runner().run();
    scene.write('mine2.txt');
    await expect(scene.resume(2)).rejects.toThrow(/1 file .*not committed \(mine2\.txt\).*stash/);
    expect(scene.git('log', '--format=%s')).not.toContain('iteration 2');
    rmSync(join(scene.path, 'mine2.txt'));
    expect(await scene.resume(2)).toMatchObject({ class: 'limit' });
    expect(scene.committed()).toEqual(['file2']);
  });

  it('goes on with what the agent has left uncommitted', async () => {
    const scene = new Scene();
    const unfinished = join(scene.path, '.git', 'MERGE_HEAD');
    writeFileSync(unfinished, '');
    const { state } = await scene.runner().run();
    expect(state.commits?.problem).toContain('a merge is not finished');
    rmSync(unfinished);
    expect(await scene.resume(2)).toMatchObject({ class: 'limit' });
    expect(scene.committed()).toEqual(['file1', 'file2']);
  });

  it('goes on alone after a crash in an iteration, whose work is not the work of the user, and says what it takes', async () => {
    const scene = new Scene();
    const runner = scene.runner({ commit: 'end' });
    await runner.run();
    scene.git('reset', '-q', 'HEAD~1');
    scene.cutAfter(runner.id, 'iteration-started');
    const warnings: string[] = [];
    expect(await scene.resume(1, warnings)).toMatchObject({ class: 'limit' });
    expect(warnings.join('\n')).toMatch(/interrupted iteration.*committed: file1/);
    expect(scene.committed()).toEqual(['file1', 'file2']);
  });

  it('does not take what the user did after a crash between two iterations', async () => {
    const scene = new Scene();
    const runner = scene.runner();
    await runner.run();
    scene.cutAfter(runner.id, 'iteration-ended');
    scene.write('mine3.txt');
    await expect(scene.resume(3)).rejects.toThrow('(mine3.txt)');
    rmSync(join(scene.path, 'mine3.txt'));
    expect(await scene.resume(3)).toMatchObject({ class: 'limit' });
  });
});
