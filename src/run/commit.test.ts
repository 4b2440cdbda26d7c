import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-commits-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The subjects of the commits that a run of two iterations leaves, oldest first. */
async function subjects(config: LoopConfig): Promise<readonly string[]> {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workingDir, encoding: 'utf8', env: environment });
  git('init', '-q');
  let count = 0;
  const agent = scriptedAgent([{ work: () => writeFileSync(join(workingDir, `file${++count}`), '') }]);
  const runner = new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, maxIterations: 2, trackFileChanges: false, ...config },
    { agent, journal: memoryJournal(), environment },
  );
  await runner.run();
  return count === 0 || config.commit === undefined ? [] : git('log', '--reverse', '--format=%s').trim().split('\n');
}

describe('the work of a run', () => {
  it('is committed after each iteration, or once at the end, or not at all', async () => {
    expect(await subjects({ commit: 'iteration' })).toEqual(['pawl: iteration 1', 'pawl: iteration 2']);
    expect(await subjects({ commit: 'end' })).toEqual(['pawl: 2 iterations']);
    expect(await subjects({})).toEqual([]);
  });

  it('that is a repository of its own is committed as a link, and whoever looks on is told', async () => {
    const workingDir = mkdtempSync(join(base, 'tree-'));
    const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: workingDir, encoding: 'utf8', env: environment });
    git('init', '-q');
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    const work = () => {
      git('init', '-q', 'app');
      git('-C', 'app', ...identity, 'commit', '-q', '--allow-empty', '-m', 'own');
    };
    const warnings: string[] = [];
    const config = {
      workingDir,
      prompt: 'go',
      commit: 'iteration',
      maxIterations: 1,
      trackFileChanges: false,
    } as const;
    const runner = new LoopRunner(config, {
      agent: scriptedAgent([{ work }]),
      journal: memoryJournal(),
      environment,
      onWarning: (warning) => warnings.push(warning),
    });
    await runner.run();
    expect(git('ls-tree', 'HEAD')).toMatch(/^160000 commit \w+\tapp$/m);
    expect(warnings).toEqual([expect.stringMatching(/^app .*repository/)]);
  });

  it('that the agent committed by itself is told, with what Pawl adds to it', async () => {
    const workingDir = mkdtempSync(join(base, 'tree-'));
    const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: workingDir, encoding: 'utf8', env: environment }).trim();
    const own = (name: string) => {
      writeFileSync(join(workingDir, name), '');
      git('add', name);
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', name);
    };
    git('init', '-q', '-b', 'master');
    own('base');
    const steps = [
      { work: () => own('one') },
      { work: () => ['two', 'three'].forEach(own) },
      { work: () => (own('four'), writeFileSync(join(workingDir, 'left'), '')) },
      { work: () => git('checkout', '-q', '--orphan', 'other') },
    ];
    const journal = memoryJournal();
    const config = { workingDir, prompt: 'go', commit: 'iteration', iterationDelay: 0, maxIterations: 4 } as const;
    const options = { agent: scriptedAgent(steps), journal, environment };
    await new LoopRunner({ ...config, trackFileChanges: false }, options).run();
    const told: unknown[] = [];
    for await (const event of journal.read()) if (event.type === 'work-committed') told.push(event);
    expect(told).toMatchObject([
      { iteration: 1, commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
      { iteration: 2, commits: 2 },
      { iteration: 3, commits: 2, commit: git('rev-parse', 'master') },
      { iteration: 4, commit: git('rev-parse', 'HEAD') },
    ]);
    expect(told[0]).not.toHaveProperty('commits');
    expect(journal.state.commits).toEqual({ made: 6, iteration: 4 });
  });

  it('is not begun where nothing could be committed', async () => {
    const workingDir = mkdtempSync(join(base, 'plain-'));
    const agent = scriptedAgent([{}]);
    const environment = { PATH: process.env['PATH'], HOME: base, XDG_STATE_HOME: join(base, 'state') };
    const config = { workingDir, prompt: 'go', commit: 'iteration', trackFileChanges: false } as const;
    const runner = new LoopRunner(config, { agent, journal: memoryJournal(), environment });
    await expect(runner.run()).rejects.toThrow('iteration cannot be done in');
    expect(runner.state()).toBe('idle');
  });
});
