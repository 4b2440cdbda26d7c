import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { type MemoryJournal, memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-hooks-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Loop {
  readonly runner: LoopRunner;
  readonly journal: MemoryJournal;
  readonly agent: ReturnType<typeof scriptedAgent>;
  /** What the hooks have written down, in order. */
  readonly notes: () => string;
  readonly workingDir: string;
}

function loop(config: LoopConfig, steps: readonly ScriptedStep[] = [{}], before?: Partial<Loop>): Loop {
  const workingDir = before?.workingDir ?? mkdtempSync(join(base, 'tree-'));
  const journal = before?.journal ?? memoryJournal();
  const agent = scriptedAgent(steps);
  const runner = new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: 1, ...config },
    { journal, agent },
  );
  const file = join(workingDir, 'notes');
  return { runner, journal, agent, workingDir, notes: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

const ends = (journal: MemoryJournal) =>
  journal.events.flatMap((event) => (event.type === 'iteration-ended' ? [event] : []));
const ran = (journal: MemoryJournal) => journal.events.flatMap((event) => (event.type === 'hook-ran' ? [event] : []));

describe('a hook', () => {
  it('[c40] the history says how far the iteration under way is: its hooks, the agent, the observers, its end', async () => {
    const seen: (string | undefined)[] = [];
    const look = async () => void seen.push((await runner.history.get(1))?.status);
    async function looksOn() {
      await look();
      return false;
    }
    // Each hook waits until somebody has looked.
    const waits = 'while [ ! -e seen ]; do sleep 0.01; done; rm seen';
    const { runner, workingDir } = loop(
      { stop: { success: [looksOn] }, hooks: { beforeIteration: waits, afterIteration: waits } },
      [{ work: look }],
    );
    runner.subscribe(({ type }) => {
      if (type === 'hook-started') void look().then(() => writeFileSync(join(workingDir, 'seen'), ''));
    });
    await runner.run();
    await look();
    // First before there is any, to see where the run starts from.
    expect(seen).toEqual([undefined, 'pre_hooks', 'executing', 'observing', 'post_hooks', 'completed']);
  });

  it('[c41] [c45] runs before and after each iteration, with the facts on its input', async () => {
    const { runner, journal, notes } = loop({
      maxIterations: 2,
      hooks: { beforeIteration: 'cat >>notes', afterIteration: 'cat >>notes', onStop: 'cat >>notes' },
    });
    await runner.run();
    const facts = notes()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(facts.map(({ hook, iteration }) => [hook, iteration])).toEqual([
      ['before_iteration', 1],
      ['after_iteration', 1],
      ['before_iteration', 2],
      ['after_iteration', 2],
      ['on_stop', undefined],
    ]);
    expect(facts[1]).toMatchObject({ run: runner.id, outcome: 'completed', status: 'running' });
    expect(facts.at(-1)).toMatchObject({ state: 'stopped', class: 'limit', reasons: ['2 of 2 iterations'] });
    // One picture, not a run that is running and stopped.
    expect(facts.at(-1)?.['status']).toBe('stopped');
    const statuses = journal.events.flatMap((event) => (event.type === 'iteration-status' ? [event.status] : []));
    expect(statuses.slice(0, 4)).toEqual(['pre_hooks', 'executing', 'observing', 'post_hooks']);
  });

  it('runs when an iteration fails, and when the run is paused', async () => {
    const { runner, notes } = loop(
      { hooks: { onError: 'echo error >>notes', onPause: 'echo pause >>notes' }, maxIterations: 2 },
      [{ end: { exitCode: 1 } }, {}],
    );
    runner.subscribe((event) => {
      if (event.type === 'iteration-started' && event.iteration === 1) void runner.send({ type: 'pause' });
      if (event.type === 'hook-ran' && event.hook === 'on_pause')
        setImmediate(() => void runner.send({ type: 'resume' }));
    });
    await runner.run();
    expect(notes()).toBe('error\npause\n');
  });

  it('that fails is a warning in the record, unless it says otherwise', async () => {
    const { runner, journal, agent } = loop({ hooks: { beforeIteration: 'echo oh no; exit 3' } });
    await runner.run();
    expect(agent.tasks).toHaveLength(1);
    expect(ran(journal)).toMatchObject([
      {
        exitCode: 3,
        output: 'oh no',
        failure: { message: expect.stringMatching(/before_iteration .*3: oh no$/), leadsTo: 'warn' },
      },
    ]);
  });

  it('may block the run before the agent is started, and an operator may go on', async () => {
    const hooks = { beforeIteration: { command: 'test -e fixed', onFailure: 'block' } } as const;
    const { runner, agent, journal, workingDir } = loop({ hooks });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5, status: 'stopped' });
    expect(result.reasons[0]).toMatchObject({ path: 'hooks.before_iteration' });
    expect(agent.tasks).toHaveLength(0);
    expect(ends(journal)).toMatchObject([{ iteration: 1, outcome: 'skipped', agentStarted: false }]);
    expect(journal.state.iterations).toBe(0);
    writeFileSync(join(workingDir, 'fixed'), '');
    const again = loop({ hooks }, [{}], { workingDir, journal: memoryJournal({ events: journal.events }) });
    expect(await again.runner.run()).toMatchObject({ class: 'limit' });
    expect(again.agent.tasks.map(({ cookie }) => cookie)).toEqual([expect.stringMatching(/\.1\.2$/)]);
  });

  it('may block the run at a pause: it ends there, and no iteration follows', async () => {
    const hooks = { onPause: { command: 'echo no room; exit 7', onFailure: 'block' } } as const;
    const { runner, agent } = loop({ hooks, maxIterations: 5 });
    runner.subscribe((event) => {
      if (event.type === 'agent-spawned') void runner.send({ type: 'pause' });
    });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
    expect(result.reasons[0]?.message).toMatch(/on_pause .*7: no room$/);
    expect(agent.tasks).toHaveLength(1);
  });

  it('may pause the run', async () => {
    const command = 'echo begin; echo disk quota exceeded; exit 4';
    const hooks = { afterIteration: { command, onFailure: 'pause' } } as const;
    const { runner, journal } = loop({ hooks, maxIterations: 2 });
    runner.subscribe((event) => {
      if (event.type === 'paused') expect(event.reason).toMatch(/after_iteration .*4: disk quota exceeded$/);
      if (event.type === 'paused') setImmediate(() => void runner.send({ type: 'resume' }));
    });
    await runner.run();
    expect(journal.events.filter((event) => event.type === 'paused')).toHaveLength(1);
    expect(journal.state.iterations).toBe(2);
  });

  it('that hangs is killed after its time, and so is one that an operator does not wait for', async () => {
    const slow = loop({ hooks: { beforeIteration: { command: 'sleep 60', timeout: '200ms' } } });
    await slow.runner.run();
    expect(ran(slow.journal)[0]?.failure?.message).toMatch(/before_iteration .*in time/);
    const stopped = loop({ hooks: { beforeIteration: 'touch begun; sleep 60' } });
    const running = stopped.runner.run();
    const hasBegun = () => existsSync(join(stopped.workingDir, 'begun'));
    await expect.poll(hasBegun, { timeout: 60_000, interval: 5 }).toBe(true);
    await stopped.runner.send({ type: 'stop', now: true });
    expect(await running).toMatchObject({ class: 'operator' });
  });

  it('that cleans up runs also when the run is stopped at once', async () => {
    const { runner, notes } = loop({ hooks: { onStop: 'echo cleaned >>notes' } }, [{ hangs: true }]);
    runner.subscribe((event) => {
      if (event.type === 'agent-spawned') setImmediate(() => void runner.send({ type: 'stop', now: true }));
    });
    expect(await runner.run()).toMatchObject({ class: 'operator' });
    expect(notes()).toBe('cleaned\n');
  });

  it('may write the prompt: it is read after the hook', async () => {
    const workingDir = mkdtempSync(join(base, 'tree-'));
    const agent = scriptedAgent([{}]);
    const config = { workingDir, promptPath: 'p.md', hooks: { beforeIteration: 'echo from the hook >p.md' } };
    const runner = new LoopRunner(
      { ...config, trackFileChanges: false, maxIterations: 1 },
      { agent, journal: memoryJournal() },
    );
    await runner.run();
    expect(agent.tasks[0]?.prompt).toMatch(/^from the hook\n/);
  });
});
