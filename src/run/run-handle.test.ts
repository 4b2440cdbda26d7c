import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { LoopState } from '../model/loop-state.js';
import type { RunEvent } from '../model/run-event.js';
import { loopStateOf, waitingOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { type MemoryJournal, memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import type { RunOptions } from './run-options.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-runner-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Loop {
  readonly runner: LoopRunner;
  readonly journal: MemoryJournal;
  readonly agent: ReturnType<typeof scriptedAgent>;
}

function loop(steps: readonly ScriptedStep[], config: LoopConfig = {}, options: RunOptions = {}): Loop {
  const journal = memoryJournal();
  const agent = scriptedAgent(steps);
  const runner = new LoopRunner(
    { workingDir: folder, prompt: 'go', iterationDelay: 0, trackFileChanges: false, ...config },
    { journal, agent, ...options },
  );
  return { runner, journal, agent };
}

const says = (text: string): AgentEvent => ({ kind: 'text', text });
const uses = (costUsd: number, id?: string): AgentEvent => ({
  kind: 'usage',
  scope: 'request',
  id,
  spend: { inputTokens: 10, outputTokens: 5, costUsd },
});

const types = (journal: MemoryJournal) => journal.events.map((event) => event.type);

/** Calls back once, at the first event of a type. */
function once(runner: LoopRunner, type: RunEvent['type'], act: () => void): void {
  const end = runner.subscribe((event) => {
    if (event.type !== type) return;
    end();
    act();
  });
}

describe('a loop', () => {
  it('[c57] is a class that runs asynchronously until its goal is met', async () => {
    const { runner, agent } = loop([{}, {}, { events: [says('all DONE')] }], {
      stop: { success: [{ output_pattern: 'DONE' }] },
    });
    expect(runner.id).toMatch(/^loop_/);
    const result = await runner.run();
    expect(result).toMatchObject({ status: 'completed', class: 'goal', exitCode: 0, runId: runner.id });
    expect(agent.tasks).toHaveLength(3);
  });

  it.each([1, 3, 7])('[c67] runs exactly %i iterations when that is its limit', async (count) => {
    const { runner, agent } = loop([{}], { maxIterations: count, stop: { failure: [] } });
    expect(await runner.run()).toMatchObject({ status: 'stopped', class: 'limit', exitCode: 3 });
    expect(agent.tasks).toHaveLength(count);
  });

  it('[c61] [c64] [c68] goes through every state of its life, and records an event for each change', async () => {
    const steps: readonly ScriptedStep[] = [
      { events: [{ kind: 'session', id: 's1' }] },
      { events: [{ kind: 'limit', limit: 'overload', message: 'busy' }], end: { exitCode: 1 } },
      {},
      { events: [says('all DONE')] },
    ];
    const agent = scriptedAgent(steps, { canResume: true });
    const config = { stop: { success: [{ output_pattern: 'DONE' }] } };
    const { runner, journal } = loop([], config, { agent });
    const changes: string[] = [];
    let known: LoopState = runner.state();
    expect(known).toBe('idle');
    const note = ({ type }: RunEvent, state: RunState) => {
      const status = loopStateOf(state);
      if (status !== known) changes.push(`${type}: ${status}`);
      known = status;
    };
    runner.subscribe(note);
    runner.subscribe(({ type }) => {
      if (type === 'paused' || type === 'waiting-started') setImmediate(() => void runner.send({ type: 'resume' }));
    });
    once(runner, 'agent-spawned', () => {
      void runner.send({ type: 'pause' });
      void runner.send({ type: 'reboot' });
    });
    once(runner, 'waiting-ended', () => void runner.send({ type: 'stop' }));
    expect(await runner.run()).toMatchObject({ status: 'stopped', class: 'operator' });
    const again = loop([], config, { agent, journal: memoryJournal({ events: journal.events }) }).runner;
    expect(again.state()).toBe('stopped');
    again.subscribe(note);
    expect(await again.run()).toMatchObject({ status: 'completed', class: 'goal' });
    expect(changes).toEqual([
      'run-started: running',
      'paused: paused',
      'resumed: running',
      'reboot-started: rebooting',
      'reboot-completed: running',
      'waiting-started: waiting',
      'waiting-ended: running',
      'run-ended: stopped',
      'run-resumed: running',
      'run-ended: completed',
    ]);
    expect(again.state()).toBe('completed');
  });

  it('[c64] ends in the state error when the run itself breaks', async () => {
    const missing = { workingDir: folder, promptPath: 'no-such-file.md' };
    const journal = memoryJournal();
    const runner = new LoopRunner(missing, { journal, agent: scriptedAgent([{}]) });
    expect(await runner.run()).toMatchObject({ status: 'error', exitCode: 1 });
    expect(journal.events.at(-1)).toMatchObject({ type: 'run-ended', state: 'error' });
    expect(runner.state()).toBe('error');
  });

  it('records the events of an iteration in the order in which they happen', async () => {
    const { runner, journal } = loop([{ events: [says('hi'), uses(0.01)] }], { maxIterations: 1 });
    await runner.run();
    expect(types(journal)).toEqual([
      'run-started',
      'baseline-observed',
      'verdict-reached',
      'iteration-started',
      'iteration-status',
      'agent-spawned',
      'agent-said',
      'usage-reported',
      'iteration-status',
      'iteration-ended',
      'verdict-reached',
      'run-ended',
    ]);
  });

  it('[c69] keeps statistics: iterations by outcome, reboots, time, both streaks', async () => {
    const tree = mkdtempSync(join(folder, 'tree-'));
    const work = (name: string): ScriptedStep => ({ work: () => writeFileSync(join(tree, name), name) });
    const now = performance.now.bind(performance);
    let spentMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + spentMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const failed: ScriptedStep = { work: () => void (spentMs += 20), end: { exitCode: 1 } };
    const fills: ScriptedStep['events'] = [
      { kind: 'session', id: 's1' },
      { kind: 'context', usedTokens: 90, windowTokens: 100 },
    ];
    const agent = scriptedAgent([{ ...work('a'), events: fills }, failed, failed, {}], { canResume: true });
    const { runner } = loop(
      [],
      {
        workingDir: tree,
        trackFileChanges: true,
        tests: 'echo red; false',
        maxIterations: 4,
        stop: { failure: [{ type: 'test_failure_streak', count: 9, strict: true }] },
      },
      { agent },
    );
    await runner.run();
    expect(runner.stats()).toEqual({
      iterations: 4,
      successfulIterations: 2,
      failedIterations: 2,
      reboots: 1,
      totalExecutionMs: expect.any(Number),
      testFailureStreak: expect.any(Number),
      noProgressCount: 3,
    });
    expect(runner.stats().totalExecutionMs).toBeGreaterThanOrEqual(40);
    expect(runner.stats().testFailureStreak).toBeGreaterThan(0);
  });

  it('[c63] keeps a history', async () => {
    const { runner } = loop([{ events: [says('one')] }, { end: { exitCode: 2 } }], { maxIterations: 3 });
    await runner.run();
    expect(runner.history.last(2).map(({ iteration }) => iteration)).toEqual([3, 2]);
    expect(await runner.history.get(1)).toMatchObject({ number: 1, status: 'completed', result: { summary: 'one' } });
    expect(await runner.history.get(9)).toBeUndefined();
    expect(await runner.history.filter(({ status }) => status === 'failed')).toHaveLength(2);
    expect(runner.history.failureStreak()).toBe(2);
    expect(runner.history.summary()).toMatchObject({
      totalIterations: 3,
      successfulIterations: 1,
      failedIterations: 2,
    });
  });

  it('that finds its goal met before it starts runs nothing', async () => {
    writeFileSync(join(folder, 'already.md'), '');
    const config = { stop: { success: [{ file_created: 'already.md' }] } };
    const { runner, agent } = loop([{}], config);
    expect(await runner.run()).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(agent.tasks).toHaveLength(0);
    const again = loop([{}], { stop: { ...config.stop, atLeast: 1 } });
    await again.runner.run();
    expect(again.agent.tasks).toHaveLength(1);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['file_created', { file_created: 'made.md' }],
    ['file_contains', { file_contains: { path: 'made.md', content: 'DONE' } }],
  ])('[c13] %s sees a file that an iteration makes, and one that is not there any more', async (type, condition) => {
    const tree = mkdtempSync(join(folder, 'tree-'));
    const file = join(tree, 'made.md');
    const write = (text: string): ScriptedStep => ({ work: () => writeFileSync(file, text) });
    const steps = [{}, write('all DONE'), { work: () => rmSync(file) }, write('DONE again')];
    const { runner, journal } = loop(steps, {
      workingDir: tree,
      stop: { success: [{ for: { iterations: 2, condition } }], failure: [] },
      maxIterations: 5,
    });
    expect(await runner.run()).toMatchObject({ status: 'completed' });
    const seen = journal.events.flatMap((event) =>
      event.type === 'iteration-ended' ? Object.values(event.observation.probes ?? {}).map(({ met }) => met) : [],
    );
    // Made, taken away, made again and still there.
    expect(seen, type).toEqual([false, true, false, true, true]);
  });

  it.each([
    ['a text', { output_pattern: 'DONE.' }],
    ['a regular expression', { output_pattern: { pattern: '^D.NE: \\d+$', is_regex: true } }],
  ])('[c12] stops when the agent says %s, and not for what only looks like it', async (_what, condition) => {
    const steps = ['not DONE', 'DONE: many', 'so\nDONE: 42\nDONE.'].map((text) => ({ events: [says(text)] }));
    const { runner, agent } = loop(steps, { stop: { success: [condition] } });
    expect(await runner.run()).toMatchObject({ status: 'completed', class: 'goal' });
    expect(agent.tasks).toHaveLength(3);
  });

  it('[p17] replaces a session above the redline, and hands over', async () => {
    const journal = memoryJournal();
    const talks = (usedTokens: number): ScriptedStep => ({
      events: [
        { kind: 'session', id: 's1' },
        { kind: 'context', usedTokens, windowTokens: 100 },
        says('wrote the parser'),
      ],
    });
    const agent = scriptedAgent([talks(50), talks(90), talks(10)], { canResume: true });
    const config = {
      workingDir: folder,
      prompt: 'go',
      iterationDelay: 0,
      trackFileChanges: false,
      maxIterations: 3,
    } as const;
    const runner = new LoopRunner(config, { journal, agent });
    await runner.run();
    expect(agent.tasks.map(({ session }) => session)).toEqual([undefined, 's1', undefined]);
    expect(agent.tasks[2]?.prompt).toMatch(/:\nwrote the parser/);
    expect(runner.stats().reboots).toBe(1);
    expect(types(journal)).toContain('reboot-completed');
  });

  it('takes an inline arrow function as a condition, under the name of its place', async () => {
    const { runner, journal } = loop([{}], { stop: { success: [() => true], failure: [() => false] } });
    expect(await runner.run()).toMatchObject({ status: 'completed', class: 'goal' });
    const names = journal.state.policy.success.map((condition) => condition.type === 'function' && condition.name);
    expect(names).toEqual(['stop.success[0]']);
  });

  it('refuses an option that it does not know, instead of doing without it', () => {
    expect(() => loop([{}], {}, { jurnal: memoryJournal() } as RunOptions)).toThrow(/^jurnal: .*"journal"/);
  });

  it('refuses to reboot an agent that starts a new session each time anyway', async () => {
    const { runner, journal } = loop([{}, {}], { maxIterations: 2 });
    const refused: unknown[] = [];
    once(runner, 'agent-spawned', () => void runner.send({ type: 'reboot' }).catch((error) => refused.push(error)));
    await runner.run();
    expect(refused.map(String)).toEqual([expect.stringContaining('new session')]);
    expect(journal.events.find(({ type }) => type === 'command-received')).toMatchObject({
      refused: expect.stringContaining('new session'),
    });
  });

  it('starts a new session at once when the agent has forgotten the old one', async () => {
    const journal = memoryJournal();
    const agent = scriptedAgent(
      [
        { events: [{ kind: 'session', id: 's1' }] },
        { events: [{ kind: 'result', outcome: 'no-such-session' }], end: { exitCode: 1 } },
        { events: [{ kind: 'session', id: 's2' }] },
      ],
      { canResume: true },
    );
    const config = {
      workingDir: folder,
      prompt: 'go',
      iterationDelay: 0,
      trackFileChanges: false,
      maxIterations: 2,
    } as const;
    const runner = new LoopRunner(config, { journal, agent });
    await runner.run();
    expect(agent.tasks.map(({ session }) => session)).toEqual([undefined, 's1', undefined]);
    expect(runner.history.last(2).map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(runner.runState.session?.id).toBe('s2');
  });

  it('takes a named function as a condition, and records its answer', async () => {
    const seen: unknown[] = [];
    const enough = (context: unknown) => {
      seen.push((context as { iteration: number }).iteration);
      return { met: seen.length > 2, reason: `asked ${seen.length} times` };
    };
    const { runner } = loop([{}], { stop: { success: [enough] } });
    const result = await runner.run();
    expect(result.reasons[0]?.message).toContain('asked 3 times');
    expect(seen).toEqual([0, 1, 2]);
  });

  it('waits between iterations, and not before the first or after the last', async () => {
    const { runner, journal } = loop([{}], { maxIterations: 2, iterationDelay: '300ms' });
    await runner.run();
    const [first, second] = journal.events.filter((event) => event.type === 'iteration-started');
    expect((second?.activeMs ?? 0) - (first?.activeMs ?? 0)).toBeGreaterThanOrEqual(300);
    const alone = loop([{}], { maxIterations: 1, iterationDelay: '1h' });
    expect(await alone.runner.run()).toMatchObject({ class: 'limit' });
  });

  it('tells the next iteration what the last one showed', async () => {
    const { runner, agent } = loop([{ end: { exitCode: 4 } }, {}], { maxIterations: 2 });
    await runner.run();
    expect(agent.tasks[0]?.prompt).toMatch(/^go\n/);
    expect(agent.tasks[1]?.prompt).toMatch(/Iteration 1 failed.*exit code.* 4/);
  });

  it('gives an agent what the cost limit leaves', async () => {
    const { runner, agent } = loop([{ events: [uses(0.4)] }], {
      maxIterations: 2,
      stop: { limits: [{ max_cost: 1 }] },
    });
    await runner.run();
    expect(agent.tasks.map(({ budgetUsd }) => budgetUsd)).toEqual([1, 0.6]);
  });
});

describe('a limit', () => {
  it('on cost interrupts the agent in mid-iteration, one report after it was crossed', async () => {
    const events = Array.from({ length: 50 }, (_, index) => uses(0.03, `r${index}`));
    const { runner, journal } = loop([{ events, hangs: true }], { stop: { limits: [{ max_cost: 0.1 }] } });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(types(journal).filter((type) => type === 'usage-reported')).toHaveLength(4);
    expect(journal.state.recent[0]).toMatchObject({ outcome: 'interrupted', interruption: 'limit' });
  });

  it('on time interrupts an agent that says nothing', async () => {
    const { runner, journal } = loop([{ hangs: true }], { stop: { limits: [{ max_duration: '200ms' }] } });
    expect(await runner.run()).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(types(journal)).toContain('tick');
    expect(journal.state.activeMs).toBeGreaterThanOrEqual(200);
  });

  it('on time ends a delay, too', async () => {
    const { runner } = loop([{}], { iterationDelay: '1h', stop: { limits: [{ max_duration: '300ms' }] } });
    expect(await runner.run()).toMatchObject({ class: 'limit' });
  });

  it('of the wall clock ends a pause', async () => {
    const at = new Date(Date.now() + 700).toISOString();
    const { runner } = loop([{}], { stop: { failure: [], limits: [{ deadline: at }] } });
    once(runner, 'iteration-started', () => void runner.send({ type: 'pause' }));
    expect(await runner.run()).toMatchObject({ class: 'limit' });
  });

  it('that cannot be held is refused before anything starts', () => {
    const agent = scriptedAgent([{}], { usage: 'none' });
    expect(() => loop([{}], { stop: { limits: [{ max_cost: 1 }] } }, { agent })).toThrow(
      /does not report .*limit.*remove it/,
    );
  });

  it('whose spend is not told blocks the run', async () => {
    const { runner } = loop([{}], { stop: { limits: [{ max_cost: 1 }] } });
    expect(await runner.run()).toMatchObject({ class: 'blocked', exitCode: 5 });
  });
});

describe('a command', () => {
  it('[c59] [c65] pauses after the iteration, and resumes', async () => {
    const { runner, journal, agent } = loop([{}], { maxIterations: 2 });
    once(runner, 'iteration-started', () => void runner.send({ type: 'pause' }, 'test'));
    const now = performance.now.bind(performance);
    onTestFinished(() => void vi.restoreAllMocks());
    once(runner, 'paused', () =>
      setImmediate(() => {
        vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
        void runner.send({ type: 'resume' });
      }),
    );
    await runner.run();
    expect(agent.tasks).toHaveLength(2);
    expect(types(journal)).toContain('resumed');
    const [paused, resumed] = ['paused', 'resumed'].map((type) => journal.events.find((event) => event.type === type));
    expect((resumed?.activeMs ?? 0) - (paused?.activeMs ?? 0)).toBeLessThan(3_600_000);
  });

  it('stops after the iteration', async () => {
    let sent: Promise<unknown> | undefined;
    const { runner, agent } = loop([{ work: async () => void (await sent) }], { iterationDelay: '1h' });
    once(runner, 'agent-spawned', () => {
      sent = runner.send({ type: 'stop' }, 'test');
    });
    expect(await runner.run()).toMatchObject({ class: 'operator', exitCode: 130 });
    expect(agent.tasks).toHaveLength(1);
    expect(runner.runState.recent[0]?.outcome).toBe('completed');
  });

  it('stops now', async () => {
    const { runner } = loop([{ hangs: true }]);
    once(runner, 'agent-spawned', () => setImmediate(() => void runner.send({ type: 'stop', now: true }, 'test')));
    const result = await runner.run();
    expect(result).toMatchObject({ status: 'stopped', class: 'operator', exitCode: 130 });
    expect(result.reasons[0]?.message).toMatch(/\(test\)$/);
    expect(runner.runState.recent[0]).toMatchObject({ outcome: 'interrupted', interruption: 'operator' });
  });

  it('stops a pause and a delay at once', async () => {
    const { runner } = loop([{}]);
    once(runner, 'iteration-started', () => void runner.send({ type: 'pause' }));
    once(runner, 'paused', () => setImmediate(() => void runner.send({ type: 'stop' })));
    expect(await runner.run()).toMatchObject({ class: 'operator' });
  });

  it('skips one iteration', async () => {
    const { runner } = loop([{ hangs: true }, {}], { maxIterations: 2 });
    once(runner, 'agent-spawned', () => setImmediate(() => void runner.send({ type: 'skip' })));
    await runner.run();
    expect(runner.history.last(2).map(({ outcome }) => outcome)).toEqual(['completed', 'skipped']);
  });

  it('steers the next iteration', async () => {
    const { runner, agent } = loop([{}], { maxIterations: 2 });
    once(runner, 'iteration-ended', () => void runner.send({ type: 'steer', text: 'turn left' }));
    await runner.run();
    expect(agent.tasks[1]?.prompt).toContain('The operator says: turn left');
  });

  it('what is said while an iteration runs reaches the next prompt, and not the one after', async () => {
    const agent = scriptedAgent([{ hangs: true }]);
    const runner = new LoopRunner(
      { workingDir: folder, prompt: 'go', iterationDelay: 0, trackFileChanges: false },
      { agent, journal: memoryJournal() },
    );
    const ended = runner.run();
    await expect.poll(() => agent.tasks.length).toBe(1);
    await runner.send({ type: 'steer', text: 'mind the gap' });
    await runner.send({ type: 'skip' });
    await expect.poll(() => agent.tasks.length).toBe(2);
    expect(agent.tasks[1]?.prompt).toContain('mind the gap');
    await runner.send({ type: 'skip' });
    await expect.poll(() => agent.tasks.length).toBe(3);
    expect(agent.tasks[2]?.prompt).not.toContain('mind the gap');
    await runner.shutdown();
    await ended;
  });

  it('extends a limit', async () => {
    const { runner, agent } = loop([{}], { maxIterations: 1 });
    once(runner, 'iteration-started', () => {
      void runner.send({ type: 'extend', limit: { type: 'max_iterations', count: 3 } });
    });
    await runner.run();
    expect(agent.tasks).toHaveLength(3);
  });

  it('asks for approval before each iteration when somebody attends', async () => {
    const { runner, agent, journal } = loop([{}], { maxIterations: 2, attendedMode: true });
    let asked = 0;
    runner.subscribe((event) => {
      if (event.type !== 'waiting-started') return;
      asked++;
      const command = asked === 1 ? ({ type: 'reject', text: 'not so' } as const) : ({ type: 'approve' } as const);
      setImmediate(() => void runner.send(command));
    });
    await runner.run();
    expect(asked).toBe(3);
    expect(agent.tasks[0]?.prompt).toContain('not so');
    expect(waitingOf(journal.state)).toBeUndefined();
  });

  it('that the state does not allow is refused, and the refusal recorded', async () => {
    const { runner, journal } = loop([{}], { maxIterations: 1 });
    await expect(runner.send({ type: 'pause' })).rejects.toMatchObject({ code: 'InvalidState' });
    const refused: Promise<void>[] = [];
    once(runner, 'iteration-started', () => {
      refused.push(expect(runner.send({ type: 'approve' })).rejects.toThrow(/cannot approve .*running/));
    });
    await runner.run();
    await Promise.all(refused);
    expect(refused).toHaveLength(1);
    expect(journal.events.find((event) => event.type === 'command-received')).toMatchObject({
      refused: expect.stringContaining('approve'),
    });
  });

  it('[c70] may come from several clients at once: all are recorded, in order', async () => {
    const { runner, journal } = loop([{}], { maxIterations: 1 });
    once(runner, 'iteration-started', () => {
      for (let client = 0; client < 20; client++) void runner.send({ type: 'steer', text: `t${client}` }, `c${client}`);
    });
    await runner.run();
    const given = journal.events.flatMap((event) => (event.type === 'command-received' ? [event.by] : []));
    expect(given).toEqual(Array.from({ length: 20 }, (_, client) => `c${client}`));
  });
});

describe('the end of a run', () => {
  it('[c62] [c66] shuts down gracefully: the agent is ended, the record is whole', async () => {
    const { runner, journal } = loop([{ hangs: true }]);
    const running = runner.run();
    once(runner, 'agent-spawned', () => void runner.shutdown());
    expect(await running).toMatchObject({ class: 'operator' });
    expect(types(journal).at(-1)).toBe('run-ended');
    await runner.shutdown();
  });

  it('follows an AbortSignal', async () => {
    const abort = new AbortController();
    const { runner } = loop([{ hangs: true }]);
    once(runner, 'agent-spawned', () => setImmediate(() => abort.abort()));
    expect(await runner.run({ signal: abort.signal })).toMatchObject({ exitCode: 130 });
    const early = loop([{}]);
    expect(await early.runner.run({ signal: AbortSignal.abort() })).toMatchObject({ exitCode: 130 });
    expect(early.agent.tasks).toHaveLength(0);
  });

  it('a signal that is aborted as the run ends throws nothing in the program around it', async () => {
    const { runner } = loop([{}], { maxIterations: 1 });
    const abort = new AbortController();
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.prependListener('uncaughtException', onUncaught);
    once(runner, 'run-ended', () => abort.abort());
    expect(await runner.run({ signal: abort.signal })).toMatchObject({ status: 'stopped', class: 'limit' });
    await nextTurn();
    process.off('uncaughtException', onUncaught);
    expect(uncaught).toEqual([]);
  });

  it('is not disturbed by a listener that throws, nor by one that stops listening', async () => {
    const { runner } = loop([{}], { maxIterations: 2 });
    runner.subscribe(() => {
      throw new Error('not my day');
    });
    expect(await runner.run()).toMatchObject({ status: 'stopped' });
  });

  it('can be waited for by reading the events', async () => {
    const { runner } = loop([{}], { maxIterations: 1 });
    const read: string[] = [];
    const events = runner.events();
    const running = runner.run();
    for await (const event of events) read.push(event.type);
    await running;
    expect(read.at(0)).toBe('run-started');
    expect(read.at(-1)).toBe('run-ended');
  });

  it('cannot be had twice at once', async () => {
    const { runner } = loop([{}], { maxIterations: 1 });
    const running = runner.run();
    await expect(runner.run()).rejects.toMatchObject({ code: 'AlreadyRunning' });
    await running;
  });

  it('that is a success cannot be run again', async () => {
    const { runner } = loop([{ events: [says('DONE')] }], { stop: { success: [{ output_pattern: 'DONE' }] } });
    await runner.run();
    await expect(runner.run()).rejects.toMatchObject({ code: 'InvalidState' });
  });

  it('with a prompt that cannot be read is an error, in the record too', async () => {
    const journal = memoryJournal();
    const config = { workingDir: folder, promptPath: 'gone.md', trackFileChanges: false };
    const broken = new LoopRunner(config, { journal, agent: scriptedAgent([{}]) });
    const result = await broken.run();
    expect(result).toMatchObject({ status: 'error', exitCode: 1 });
    expect(result.error).toContain('gone.md');
    expect(journal.events.at(-1)).toMatchObject({ type: 'run-ended', state: 'error' });
  });
});

describe('a usage limit', () => {
  const limited: ScriptedStep = {
    events: [{ kind: 'limit', limit: 'usage-limit', message: 'come back', resetsAt: new Date(0).toISOString() }],
    end: { exitCode: 1 },
  };

  it('[p6] is waited for and costs no iteration', async () => {
    const { runner, agent, journal } = loop([limited, {}], { maxIterations: 1 });
    once(runner, 'waiting-started', () => setImmediate(() => void runner.send({ type: 'resume' })));
    await runner.run();
    expect(agent.tasks).toHaveLength(2);
    expect(journal.state.iterations).toBe(1);
    expect(journal.state.recent.map(({ iteration, try: attempt, outcome }) => [iteration, attempt, outcome])).toEqual([
      [1, 1, 'limited'],
      [1, 2, 'completed'],
    ]);
  });

  it('runs no tests after a refused try, and none of them counts: the agent is shown the last real ones', async () => {
    const workingDir = mkdtempSync(join(folder, 'refused-'));
    const write = (name: string): ScriptedStep => ({ work: () => writeFileSync(join(workingDir, name), name) });
    const tests = 'echo run >> ../ran; echo RED; exit 1';
    const stop = { failure: [{ test_failure_streak: 3 }] };
    const { runner, agent, journal } = loop([write('a'), limited, limited, limited, write('b')], {
      workingDir,
      tests,
      stop,
      maxIterations: 2,
      trackFileChanges: true,
    });
    runner.subscribe(({ type }) => {
      if (type === 'waiting-started') setImmediate(() => void runner.send({ type: 'resume' }));
    });
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('run\n'.repeat(3));
    expect(journal.state.streaks.strictTestFailures).toBe(2);
    expect(agent.tasks.slice(1).map(({ prompt }) => prompt.includes('The tests fail with exit code 1'))).toEqual(
      Array.from({ length: 4 }, () => true),
    );
  });

  it('runs the tests after a refused try that did some work: they may all pass by now', async () => {
    const workingDir = mkdtempSync(join(folder, 'worked-'));
    const finishes: ScriptedStep = { ...limited, work: () => writeFileSync(join(workingDir, 'done'), '') };
    const config = { workingDir, tests: 'test -e done', trackFileChanges: true, parseTests: false };
    const result = await loop([finishes], config).runner.run();
    expect(result).toMatchObject({ class: 'goal' });
  });

  it('that takes too long blocks the run', async () => {
    const resetsAt = new Date(Date.now() + 7 * 3_600_000).toISOString();
    const far: ScriptedStep = {
      events: [{ kind: 'limit', limit: 'usage-limit', message: 'weekly limit', resetsAt }],
      end: { exitCode: 1 },
    };
    const result = await loop([far]).runner.run();
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
    expect(result.reasons[0]?.message).toContain('later than max_wait (6h) allows');
  });

  it('goes on being waited for after a restart, and not anew', async () => {
    const before = loop([limited], { maxIterations: 1 });
    once(before.runner, 'waiting-started', () => setImmediate(() => void before.runner.send({ type: 'stop' })));
    await before.runner.run();
    // Not sooner: a busy machine takes its time.
    const until = new Date(Date.now() + 1000).toISOString();
    const events = before.journal.events
      .slice(0, before.journal.events.findIndex((event) => event.type === 'waiting-started') + 1)
      .map((event) => (event.type === 'waiting-started' ? { ...event, until } : event));
    const journal = memoryJournal({ events });
    const after = loop([{}], { maxIterations: 1 }, { journal });
    const waits: (string | undefined)[] = [];
    after.runner.subscribe((event) => event.type === 'waiting-started' && waits.push(event.until));
    await after.runner.run();
    expect(waits).toEqual([until]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
    expect(journal.state.iterations).toBe(1);
  });
});
