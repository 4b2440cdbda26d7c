import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { RunEvent } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-cut-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Runs for long the first time, and is there at once when it begins. */
const SLOW_ONCE = 'if [ ! -e begun ]; then touch begun; sleep 60; fi';

function scene(config: LoopConfig, steps: readonly ScriptedStep[] = [{}]) {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const journal = memoryJournal();
  const agent = scriptedAgent(steps);
  const runner = new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: 1, ...config },
    { journal, agent },
  );
  const file = (name: string) => join(workingDir, name);
  /** Asks as soon as the slow hook runs. */
  const askInHook = async (command: LoopCommand): Promise<void> => {
    await expect.poll(() => existsSync(file('begun')), { timeout: 60_000, interval: 5 }).toBe(true);
    await runner.send(command);
  };
  const ends = () => of(journal.events, 'iteration-ended');
  return { runner, journal, agent, file, askInHook, ends };
}

function of<T extends RunEvent['type']>(events: readonly RunEvent[], type: T) {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

describe('a hook before the agent', () => {
  it('is ended by a skip: the iteration is skipped, not interrupted, and its number is tried again', async () => {
    const { runner, agent, askInHook, ends, journal } = scene({ hooks: { beforeIteration: SLOW_ONCE } });
    const running = runner.run();
    await askInHook({ type: 'skip' });
    expect(await running).toMatchObject({ class: 'limit' });
    expect(ends().map(({ iteration, outcome, agentStarted }) => [iteration, outcome, agentStarted])).toEqual([
      [1, 'skipped', false],
      [1, 'completed', true],
    ]);
    expect(agent.tasks.map(({ cookie }) => cookie)).toEqual([`${runner.id}.1.2`]);
    expect(journal.state.recent).toHaveLength(1);
  });

  it.each([{ type: 'stop' }, { type: 'stop', now: true }] as const)(
    'is ended by a stop: no agent is started, %o',
    async (stop) => {
      const { runner, agent, askInHook, ends, journal } = scene({ hooks: { beforeIteration: SLOW_ONCE } });
      const running = runner.run();
      await askInHook(stop);
      expect(await running).toMatchObject({ class: 'operator' });
      expect(agent.tasks).toHaveLength(0);
      expect(ends()).toMatchObject([{ outcome: 'interrupted', interruption: 'operator', agentStarted: false }]);
      expect(journal.state.iterations).toBe(0);
    },
  );

  it('is ended by a limit, and that is what interrupted the iteration', async () => {
    const config = { hooks: { beforeIteration: SLOW_ONCE }, stop: { limits: [{ max_duration: '300ms' }] } };
    const { runner, agent, ends } = scene(config);
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect(agent.tasks).toHaveLength(0);
    expect(ends()).toMatchObject([{ outcome: 'interrupted', interruption: 'limit' }]);
  });

  it('that pauses uses up no iteration: with one allowed the run pauses as often as it has to, and then runs', async () => {
    const hooks = { beforeIteration: { command: 'test -e ready', onFailure: 'pause' } } as const;
    const { runner, agent, journal, file, ends } = scene({ hooks, maxIterations: 1 });
    runner.subscribe((event) => {
      if (event.type !== 'paused') return;
      if (of(journal.events, 'paused').length === 2) writeFileSync(file('ready'), '');
      setImmediate(() => void runner.send({ type: 'resume' }));
    });
    expect(await runner.run()).toMatchObject({ class: 'limit', status: 'stopped' });
    const reason = 'the hook before_iteration exits with 1';
    expect(of(journal.events, 'paused')).toMatchObject([{ reason }, { reason }]);
    expect(agent.tasks.map(({ cookie }) => cookie)).toEqual([`${runner.id}.1.3`]);
    expect(ends().map(({ iteration, outcome }) => [iteration, outcome])).toEqual([
      [1, 'skipped'],
      [1, 'skipped'],
      [1, 'completed'],
    ]);
    expect(journal.state).toMatchObject({ iterations: 1, recent: [{ iteration: 1, try: 3 }] });
  });

  it('that holds an iteration back takes nothing from what the next prompt is told', async () => {
    const command = 'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; test $n -ne 1';
    const hooks = { beforeIteration: { command, onFailure: 'pause' } } as const;
    const { runner, agent } = scene({ hooks, maxIterations: 2, tests: 'echo red; exit 1' }, [
      { events: [{ kind: 'text', text: 'wrote the parser' }], end: { exitCode: 4 } },
      {},
    ]);
    runner.subscribe((event) => {
      if (event.type === 'paused') setImmediate(() => void runner.send({ type: 'resume' }));
    });
    await runner.run();
    expect(agent.tasks).toHaveLength(2);
    expect(agent.tasks[1]?.prompt).toContain('Iteration 1 failed');
    expect(agent.tasks[1]?.prompt).toMatch(/tests fail.* 1\./);
  });
});

describe('a hook after the agent', () => {
  it('is ended by a skip, and the iteration keeps its outcome', async () => {
    const { runner, askInHook, ends } = scene({ hooks: { afterIteration: SLOW_ONCE } });
    const running = runner.run();
    await askInHook({ type: 'skip' });
    expect(await running).toMatchObject({ class: 'limit' });
    expect(ends()).toMatchObject([{ outcome: 'completed', agentStarted: true }]);
  });

  it('that is about a failure is ended by a skip, too', async () => {
    const { runner, askInHook, ends } = scene({ hooks: { onError: SLOW_ONCE } }, [{ end: { exitCode: 1 } }]);
    const running = runner.run();
    await askInHook({ type: 'skip' });
    await running;
    expect(ends()).toMatchObject([{ outcome: 'failed' }]);
  });

  it('runs to its end when the run is to stop after the iteration', async () => {
    const hooks = { afterIteration: 'touch begun; until [ -e asked ]; do sleep 0.01; done; echo done >notes' };
    const { runner, askInHook, file } = scene({ hooks, maxIterations: 5 });
    const running = runner.run();
    await askInHook({ type: 'stop' });
    writeFileSync(file('asked'), '');
    expect(await running).toMatchObject({ class: 'operator' });
    expect(readFileSync(file('notes'), 'utf8')).toBe('done\n');
  });

  it('does not run when the run stops at once; the one that cleans up does', async () => {
    const hooks = { afterIteration: 'echo after >>notes', onStop: 'echo stop >>notes' };
    const { runner, file } = scene({ hooks }, [{ hangs: true }]);
    runner.subscribe((event) => {
      if (event.type === 'agent-spawned') setImmediate(() => void runner.send({ type: 'stop', now: true }));
    });
    await runner.run();
    expect(readFileSync(file('notes'), 'utf8')).toBe('stop\n');
  });
});

describe('the hook of a pause', () => {
  const paused = async () => {
    const made = scene({ hooks: { onPause: SLOW_ONCE }, maxIterations: 2 });
    made.runner.subscribe((event) => {
      if (event.type === 'agent-spawned' && made.agent.tasks.length === 1) void made.runner.send({ type: 'pause' });
    });
    return { ...made, running: made.runner.run() };
  };

  it('does not hold up an unpause', async () => {
    const { running, askInHook, agent } = await paused();
    await askInHook({ type: 'resume' });
    expect(await running).toMatchObject({ class: 'limit' });
    expect(agent.tasks).toHaveLength(2);
  });

  it('does not hold up a stop', async () => {
    const { running, askInHook, agent } = await paused();
    await askInHook({ type: 'stop' });
    expect(await running).toMatchObject({ class: 'operator' });
    expect(agent.tasks).toHaveLength(1);
  });

  it('is ended by a skip, and the run stays paused', async () => {
    const { running, askInHook, runner, journal } = await paused();
    await askInHook({ type: 'skip' });
    await expect.poll(() => journal.state.hook, { timeout: 60_000, interval: 5 }).toBeUndefined();
    expect([runner.state(), journal.state.blockedByHook]).toEqual(['paused', undefined]);
    await runner.shutdown();
    await running;
  });
});

describe('the hook of the end', () => {
  it.each<readonly [string, LoopCommand]>([
    ['a stop at once', { type: 'stop', now: true }],
    ['a skip', { type: 'skip' }],
  ])('that hangs is ended by %s, and the run ends as it would have', async (_, command) => {
    const { runner, askInHook, journal } = scene({ hooks: { onStop: { command: SLOW_ONCE, timeout: '1h' } } });
    const running = runner.run();
    await askInHook(command);
    expect(await running).toMatchObject({ class: 'limit' });
    expect(of(journal.events, 'hook-ran')).toMatchObject([{ hook: 'on_stop' }]);
  });

  it('is not ended by the stop that began it, and is by the next', async () => {
    const { runner, askInHook } = scene({ hooks: { onStop: { command: SLOW_ONCE, timeout: '1h' } } }, [
      { hangs: true },
    ]);
    runner.subscribe((event) => {
      if (event.type === 'agent-spawned') setImmediate(() => void runner.send({ type: 'stop', now: true }));
    });
    const running = runner.run();
    await askInHook({ type: 'stop', now: true });
    expect(await running).toMatchObject({ class: 'operator' });
  });

  it('of a run that broke is ended by a stop at once, too', async () => {
    const hooks = { onStop: { command: SLOW_ONCE, timeout: '1h' } } as const;
    const { runner, askInHook } = scene({ hooks }, [{ end: { survivors: 1 } }]);
    const running = runner.run();
    await askInHook({ type: 'stop', now: true });
    expect(await running).toMatchObject({ status: 'error' });
  });

  it('leaves a pause, a fresh session and an unpause to be refused, and a limit to be kept', async () => {
    const { runner, askInHook, journal } = scene({ hooks: { onStop: { command: SLOW_ONCE, timeout: '1h' } } });
    const running = runner.run();
    await askInHook({ type: 'extend', limit: { type: 'max_iterations', count: 7 } });
    await expect(runner.send({ type: 'pause' })).rejects.toThrow(/cannot pause .*stopping: 1 of 1 iteration/);
    await expect(runner.send({ type: 'reboot' })).rejects.toThrow(/cannot reboot .*stopping/);
    await runner.send({ type: 'stop', now: true });
    expect(await running).toMatchObject({ class: 'limit' });
    expect(journal.state.policy.limits).toEqual([{ type: 'max_iterations', count: 7 }]);
  });
});
