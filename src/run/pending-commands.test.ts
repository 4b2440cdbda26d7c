import { waitingOf } from '../model/phase.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { InvalidState } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { RunEvent } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-pending-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const WAIT = { timeout: 60_000, interval: 5 };

function scene(steps: readonly ScriptedStep[], config: LoopConfig = {}, events: readonly RunEvent[] = []) {
  const journal = memoryJournal({ events });
  const agent = scriptedAgent(steps);
  const runner = new LoopRunner(
    { workingDir: folder, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: 2, ...config },
    { journal, agent },
  );
  const count = (type: RunEvent['type']) => journal.events.filter((event) => event.type === type).length;
  const send = (command: LoopCommand) => runner.send(command, 'me');
  return { runner, journal, agent, count, send };
}

describe('a pause that was asked for', () => {
  it('can be taken back before the iteration ends, and is in the state until then', async () => {
    const { runner, journal, agent, count, send } = scene([{ hangs: true }, {}]);
    const running = runner.run();
    await expect.poll(() => agent.tasks.length, WAIT).toBe(1);
    await send({ type: 'pause' });
    expect(journal.state).toMatchObject({ phase: { name: 'iterating' }, requests: { pause: { by: 'me' } } });
    await send({ type: 'resume' });
    expect(journal.state.requests.pause).toBeUndefined();
    await send({ type: 'skip' });
    expect(await running).toMatchObject({ class: 'limit' });
    expect(count('paused')).toBe(0);
  });

  it('outlives the death of the runner, and so does one that has begun', async () => {
    const before = scene([{ hangs: true }]);
    const running = before.runner.run();
    await expect.poll(() => before.agent.tasks.length, WAIT).toBe(1);
    await before.send({ type: 'pause' });
    const pending = [...before.journal.events];
    await before.send({ type: 'skip' });
    await expect.poll(() => before.runner.state(), WAIT).toBe('paused');
    const begun = [...before.journal.events];
    await before.runner.shutdown();
    await running;
    for (const events of [pending, begun]) {
      const after = scene([{}], {}, events);
      const resumed = after.runner.run();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect.poll(() => after.runner.state(), WAIT).toBe('paused');
      expect(after.agent.tasks).toHaveLength(0);
      await after.send({ type: 'resume' });
      await resumed;
      expect(after.agent.tasks.length).toBeGreaterThan(0);
    }
  });

  it.each(['agent-spawned', 'paused'] as const)(
    'outlives the end of the machine in good order, which comes after %s',
    async (moment) => {
      const before = scene([{ hangs: moment === 'agent-spawned' }]);
      before.runner.subscribe((event) => {
        if (event.type === 'agent-spawned') void before.send({ type: 'pause' });
        if (event.type !== moment) return;
        setImmediate(() => void before.runner.send({ type: 'stop', now: true }, 'SIGTERM'));
      });
      expect(await before.runner.run()).toMatchObject({ class: 'operator' });
      const after = scene([{}], {}, before.journal.events);
      const resumed = after.runner.run();
      await expect.poll(() => after.runner.state(), WAIT).toBe('paused');
      expect(after.agent.tasks).toHaveLength(0);
      await after.send({ type: 'resume' });
      await resumed;
      expect(after.agent.tasks.length).toBeGreaterThan(0);
    },
  );

  it('is not asked of a run that was stopped and goes on', async () => {
    const { runner, journal, send } = scene([{}]);
    runner.subscribe((event) => {
      if (event.type === 'paused') setImmediate(() => void send({ type: 'stop' }));
      if (event.type === 'agent-spawned') void send({ type: 'pause' });
    });
    await runner.run();
    const after = scene([{}], {}, journal.events);
    expect(await after.runner.run()).toMatchObject({ class: 'limit' });
    expect(after.count('paused')).toBe(1);
  });
});

describe('a pause', () => {
  it('goes on when the run gets another limit', async () => {
    const { runner, journal, agent, count, send } = scene([{}], { maxIterations: 2 });
    runner.subscribe(
      (event) => event.type === 'agent-spawned' && count('paused') === 0 && void send({ type: 'pause' }),
    );
    const running = runner.run();
    await expect.poll(() => runner.state(), WAIT).toBe('paused');
    await send({ type: 'extend', limit: { type: 'max_iterations', count: 1 + 2 } });
    // The new limit is judged; only the command ends the pause, and would be refused if it had ended before.
    await expect
      .poll(() => journal.events.map(({ type }) => type).slice(-2), WAIT)
      .toEqual(['limit-extended', 'verdict-reached']);
    expect([runner.state(), agent.tasks.length, count('paused')]).toEqual(['paused', 1, 1]);
    await send({ type: 'resume' });
    await running;
    const types = journal.events.map(({ type }) => type);
    expect(types.lastIndexOf('command-received')).toBeLessThan(
      types.indexOf('iteration-started', types.indexOf('paused')),
    );
    expect(agent.tasks).toHaveLength(3);
  });

  it('whose hook still runs is ended by an unpause all the same', async () => {
    const { runner, agent, send } = scene([{}], { hooks: { onPause: 'sleep 60' } });
    runner.subscribe((event) => {
      if (event.type === 'agent-spawned' && agent.tasks.length === 1) void send({ type: 'pause' });
      if (event.type === 'paused') setImmediate(() => void send({ type: 'resume' }));
    });
    await runner.run();
    expect(agent.tasks).toHaveLength(2);
  });
});

describe('a usage limit that is known to end later', () => {
  it.each(['SIGTERM', 'me'])('is waited for after a stop by %s: a try before would be paid for', async (by) => {
    const resetsAt = new Date(Date.now() + 3_600_000).toISOString();
    const limit = { kind: 'limit', limit: 'usage-limit', message: 'later', resetsAt } as const;
    const before = scene([{ events: [limit] }]);
    before.runner.subscribe((event) => {
      if (event.type === 'waiting-started') setImmediate(() => void before.runner.send({ type: 'stop' }, by));
    });
    expect(await before.runner.run()).toMatchObject({ class: 'operator' });
    const after = scene([{}], {}, before.journal.events);
    const resumed = after.runner.run();
    await expect.poll(() => waitingOf(after.journal.state)?.for, WAIT).toBe('usage-limit');
    expect(after.agent.tasks).toHaveLength(0);
    await after.send({ type: 'resume' });
    expect(await resumed).toMatchObject({ class: 'limit' });
    expect(after.agent.tasks).toHaveLength(2);
  });
});

describe('a command after a stop', () => {
  it('is refused in the same words by code and on record, as InvalidState', async () => {
    const { runner, journal, agent, send } = scene([{ hangs: true }]);
    const running = runner.run();
    await expect.poll(() => agent.tasks.length, WAIT).toBe(1);
    await send({ type: 'stop' });
    const refused = await send({ type: 'pause' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidState);
    expect(refused).toMatchObject({
      code: 'InvalidState',
      message: expect.stringMatching(/cannot pause .*stops after this iteration/),
    });
    expect(journal.events.at(-1)).toMatchObject({ refused: (refused as Error).message });
    await send({ type: 'skip' });
    expect(await running).toMatchObject({ class: 'operator' });
    await expect(send({ type: 'resume' })).rejects.toThrow(/cannot unpause .*stopped/);
  });
});

describe('approval', () => {
  const attended = (steers: number) => {
    const made = scene([{}], { attendedMode: true, maxIterations: 1 });
    const running = made.runner.run();
    const asked = (times: number) => expect.poll(() => made.count('waiting-started'), WAIT).toBe(times);
    const steer = async () => {
      for (let n = 0; n < steers; n += 1) {
        // oxlint-disable-next-line no-await-in-loop -- in order
        await made.send({ type: 'steer', text: `word ${n}` });
      }
    };
    return { ...made, running, asked, steer };
  };

  it('is given by approve, also after the agent was told something', async () => {
    const { agent, running, asked, steer, send } = attended(1);
    await asked(1);
    await steer();
    await send({ type: 'approve' });
    await running;
    expect(agent.tasks[0]?.prompt).toContain('word 0');
  });

  it('is not given by a reject, however much the agent was told before', async () => {
    const { agent, running, asked, steer, send, journal } = attended(25);
    await asked(1);
    await steer();
    await send({ type: 'reject', text: 'not so' });
    await asked(2);
    expect(agent.tasks).toHaveLength(0);
    await send({ type: 'approve' });
    await running;
    const ended = journal.events.flatMap((event) => (event.type === 'waiting-ended' ? [event.reason] : []));
    expect(ended).toEqual(['rejected', 'approved']);
  });
});

describe('a wait for the provider', () => {
  const refused = (resetsAt: string): ScriptedStep => ({
    events: [{ kind: 'limit', limit: 'usage-limit', message: 'come back', resetsAt }],
    end: { exitCode: 1 },
  });

  it('does not start again once it has ended, when a limit is extended while approval is asked', async () => {
    const { runner, journal, agent, send } = scene([refused(new Date(0).toISOString()), {}], { attendedMode: true });
    const waits = () => journal.events.flatMap((event) => (event.type === 'waiting-started' ? [event.for] : []));
    const running = runner.run();
    await expect.poll(waits, WAIT).toEqual(['approval']);
    await send({ type: 'approve' });
    await expect.poll(waits, WAIT).toEqual(['approval', 'usage-limit']);
    await send({ type: 'resume' });
    await expect.poll(waits, WAIT).toEqual(['approval', 'usage-limit', 'approval']);
    await send({ type: 'extend', limit: { type: 'max_iterations', count: 1 } });
    await expect.poll(waits, WAIT).toEqual(['approval', 'usage-limit', 'approval', 'approval']);
    await send({ type: 'approve' });
    expect(await running).toMatchObject({ class: 'limit' });
    expect(agent.tasks).toHaveLength(2);
  });
});
