import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runContext } from '../../test/support/run-context.js';
import { endCrashed } from '../iteration/end-crashed.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { LoopConfig } from '../config/loop-config.js';
import { maxCost, maxIterations } from '../stop/conditions.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { NewEvent, RunEvent } from '../model/run-event.js';
import { totalSpend } from '../model/spend-account.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-resume-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let scenes = 0;

function scene(config: LoopConfig = {}): { readonly config: LoopConfig; readonly workingDir: string } {
  const workingDir = mkdtempSync(join(base, `tree-${scenes++}-`));
  const common = { prompt: 'go', iterationDelay: 0, trackFileChanges: false } as const;
  return { workingDir, config: { workingDir, ...common, ...config } };
}

const environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, 'state') };
const uses = (costUsd: number): AgentEvent => ({
  kind: 'usage',
  scope: 'request',
  spend: { costUsd, inputTokens: 1, outputTokens: 1 },
});
const agent = () => scriptedAgent([{ events: [uses(0.5)] }]);

/** The session opens before the first request: without it nobody finds the agent's own record. */
function sessionOf(events: readonly RunEvent[]): readonly RunEvent[] {
  const { seq = 0, at = '', activeMs = 0 } = events.at(-1) ?? {};
  return [{ v: 1, seq: seq + 1, at, activeMs, type: 'session-opened', session: 's1', resumed: false }];
}

describe('a run that was stopped', () => {
  it('goes on with a raised limit: counters and spend carry over, streaks start anew', async () => {
    const { config, workingDir } = scene({ maxIterations: 2 });
    await new LoopRunner(config, { agent: agent(), environment }).run();
    const again = await resumeRun({ workingDir, agent: agent(), environment });
    const result = await again.run({ raise: [maxIterations(5)] });
    expect(result).toMatchObject({ class: 'limit', status: 'stopped' });
    expect(again.stats().iterations).toBe(5);
    expect(totalSpend(result.state.spend).costUsd).toBeCloseTo(2.5);
  });

  it('does not go on while a limit still holds, and says which flag raises it', async () => {
    const { config, workingDir } = scene({ maxIterations: 2 });
    await new LoopRunner(config, { agent: agent(), environment }).run();
    const again = await resumeRun({ workingDir, agent: agent(), environment });
    await expect(again.run()).rejects.toThrow('raise it with --max-iterations N');
    await expect(again.run({ raise: [maxIterations(2)] })).rejects.toThrow('2 of 2 iterations');
    expect(again.runState.iterations).toBe(2);
  });

  it('goes on by the same runner, and the end of a failure is forgiven', async () => {
    const { config } = scene({ stop: { failure: [{ consecutive_failures: 2 }] } });
    const failing = scriptedAgent([{ end: { exitCode: 1 } }]);
    const runner = new LoopRunner(config, { agent: failing, environment });
    expect(await runner.run()).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(await runner.run()).toMatchObject({ class: 'failure' });
    expect(runner.stats().iterations).toBe(4);
  });

  it('cannot be resumed when it is completed, or when there is none', async () => {
    const { config, workingDir } = scene({ stop: { success: [{ file_created: 'done' }] } });
    writeFileSync(join(workingDir, 'done'), '');
    await new LoopRunner(config, { agent: agent(), environment }).run();
    const again = await resumeRun({ workingDir, agent: agent(), environment });
    await expect(again.run()).rejects.toMatchObject({ code: 'InvalidState' });
    await expect(resumeRun({ workingDir: scene().workingDir, environment })).rejects.toThrow('there is no run in');
  });

  it('gets its secrets from the environment again: the record has none', async () => {
    const secret = 'sk-live-0123456789abcdef';
    const { config, workingDir } = scene({ maxIterations: 1, agent: { name: 'claude', env: { MY_API_KEY: secret } } });
    const runner = new LoopRunner(config, { agent: agent(), environment });
    await runner.run();
    const journal = readFileSync(join(workingDir, '.ralph', 'runs', runner.id, 'journal.jsonl'), 'utf8');
    expect(journal).not.toContain(secret);
    await expect(resumeRun({ workingDir, agent: agent(), environment })).rejects.toThrow('set MY_API_KEY');
    const again = await resumeRun({ workingDir, agent: agent(), environment: { ...environment, MY_API_KEY: secret } });
    expect(again.state()).toBe('stopped');
  });
});

describe('an iteration whose runner died', () => {
  async function endWith(lostRecords: number, recorded: readonly AgentEvent[]): Promise<readonly NewEvent[]> {
    const { config } = scene();
    const { spec } = resolveConfig(config);
    const events: NewEvent[] = [];
    await endCrashed(
      {
        open: { name: 'iterating', iteration: 1, try: 1, startedAt: new Date().toISOString(), pid: 1 },
        session: 's1',
        lostRecords,
        durationMs: 5,
        treeBefore: undefined,
        guardBefore: undefined,
        isFinished: false,
      },
      runContext({
        spec,
        agent: { ...agent(), recordedUsage: async () => recorded },
        environment,
        record: (event) => events.push(event),
      }),
    );
    return events;
  }

  it('has its usage completed from the record that the agent keeps itself', async () => {
    expect(await endWith(0, [uses(0.25)])).toMatchObject([{ type: 'usage-reported', spend: { costUsd: 0.25 } }]);
  });

  it('in the middle of a request is charged at least like the dearest iteration, unless the agent can tell', async () => {
    const partial = {
      kind: 'usage',
      scope: 'request',
      id: 'r',
      spend: { costUsd: 0.001, inputTokens: 9, outputTokens: 1 },
    } as const;
    const { config } = scene({ maxIterations: 3 });
    const journal = memoryJournal();
    const steps = [{ events: [uses(0.5)] }, { events: [uses(0.6)] }, { events: [partial] }];
    await new LoopRunner(config, { agent: scriptedAgent(steps), environment, journal }).run();
    const isPartial = (event: RunEvent) => event.type === 'usage-reported' && event.id === 'r';
    const events = journal.events.slice(0, journal.events.findIndex(isPartial) + 1);
    for (const [recorded, costUsd] of [
      [[], 1.7],
      [[partial, uses(0.05)], 1.151],
    ] as const) {
      const again = memoryJournal({ events: [...events, ...sessionOf(events)] });
      const resumed = { ...scriptedAgent([{}]), recordedUsage: async () => recorded };
      await new LoopRunner(config, { agent: resumed, environment, journal: again }).run();
      expect(totalSpend(again.state.spend).costUsd).toBeCloseTo(costUsd);
    }
  });

  it('with records lost to a power cut has spent something unknown, unless the agent can tell', async () => {
    expect(await endWith(3, [])).toEqual([{ type: 'usage-reported', scope: 'request', spend: {} }]);
    expect(await endWith(3, [uses(0.25)])).toMatchObject([{ spend: { costUsd: 0.25 } }]);
    expect(await endWith(0, [])).toEqual([]);
  });
});

describe('what nobody can tell', () => {
  it('blocks a budget until an operator sets a new one, and is then let be', async () => {
    const { config, workingDir } = scene({ stop: { limits: [{ max_cost: 1 }] }, maxIterations: 3 });
    const silent = () => scriptedAgent([{}, { events: [uses(0.1)] }]);
    const first = await new LoopRunner(config, { agent: silent(), environment }).run();
    expect(first).toMatchObject({ class: 'blocked', exitCode: 5 });
    const again = await resumeRun({ workingDir, agent: scriptedAgent([{ events: [uses(0.1)] }]), environment });
    await expect(again.run()).rejects.toThrow('--max-cost 0 resumes without it');
    const result = await again.run({ raise: [maxCost(2)] });
    expect(result).toMatchObject({ class: 'limit' });
    expect(totalSpend(result.state.spend).costUsd).toBeCloseTo(0.2);
  });
});

describe('an agent that never reports its usage', () => {
  it('is not sent into the same block again: without the limit the run goes on', async () => {
    const { config, workingDir } = scene({ stop: { limits: [{ max_cost: 1 }] }, maxIterations: 3 });
    const silent = () => scriptedAgent([{}]);
    const first = await new LoopRunner(config, { agent: silent(), environment }).run();
    expect(first).toMatchObject({ class: 'blocked', exitCode: 5 });
    const again = await resumeRun({ workingDir, agent: silent(), environment });
    await expect(again.run()).rejects.toThrow('--max-cost 0 resumes without it');
    const result = await again.run({ raise: [{ type: 'max_cost', usd: 0 }] });
    expect(result).toMatchObject({ class: 'limit', reasons: [{ condition: { type: 'max_iterations' } }] });
    expect(result.state.policy.limits.map(({ type }) => type)).not.toContain('max_cost');
  });
});

describe('a record that somebody cut', () => {
  it('is not resumed: its budgets would start anew', async () => {
    const { config, workingDir } = scene({ maxIterations: 2 });
    const runner = new LoopRunner(config, { agent: agent(), environment });
    await runner.run();
    writeFileSync(join(workingDir, '.ralph', 'runs', runner.id, 'journal.jsonl'), '');
    await expect(resumeRun({ workingDir, agent: agent(), environment })).rejects.toMatchObject({
      code: 'JournalDamaged',
      message: expect.stringContaining('it is incomplete'),
    });
  });
});

describe('a record whose last words are torn off', () => {
  it('goes on, and says so: nothing that counts is lost', async () => {
    const { config, workingDir } = scene({ maxIterations: 2 });
    const runner = new LoopRunner(config, { agent: agent(), environment });
    await runner.run();
    const path = join(workingDir, '.ralph', 'runs', runner.id, 'journal.jsonl');
    writeFileSync(path, readFileSync(path).subarray(0, -20));
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    const again = await resumeRun({ workingDir, agent: agent(), environment, onWarning });
    const result = await again.run({ raise: [maxIterations(3)] });
    expect(result).toMatchObject({ class: 'limit' });
    expect(again.stats().iterations).toBe(3);
    expect(warnings.join('\n')).toMatch(/bytes were cut off.* kept in/);
  });
});

describe('active time', () => {
  it('of a silent agent is recorded now and then, so that a crash does not give it back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const journal = memoryJournal();
      const { config } = scene();
      const runner = new LoopRunner(config, { agent: scriptedAgent([{ hangs: true }]), journal });
      const running = runner.run();
      await vi.advanceTimersByTimeAsync(50_000);
      expect(journal.state.activeMs).toBeGreaterThanOrEqual(30_000);
      const stopped = runner.send({ type: 'stop', now: true });
      await vi.advanceTimersByTimeAsync(1000);
      await Promise.all([running, stopped]);
    } finally {
      vi.useRealTimers();
    }
  });
});
