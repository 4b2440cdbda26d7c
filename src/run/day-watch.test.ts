import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../model/agent-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { DayLedger, dayOf } from './day-ledger.js';
import { LoopRunner } from './loop-runner.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-day-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const uses = (costUsd: number): AgentEvent => ({
  kind: 'usage',
  scope: 'request',
  spend: { costUsd, inputTokens: 1, outputTokens: 1 },
});

function runner(state: string, steps: readonly ScriptedStep[], now?: () => number): LoopRunner {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  return new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxCostPerDay: 1, maxIterations: 9 },
    { agent: scriptedAgent(steps), environment: { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, state) }, now },
  );
}

describe('a limit over all runs of a day', () => {
  it('holds over runs that come one after the other, in different trees', async () => {
    const first = runner('sequel', [{ events: [uses(0.3)] }]);
    expect(await first.run()).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(first.stats().iterations).toBe(4);
    const second = runner('sequel', [{ events: [uses(0.3)] }]);
    const result = await second.run();
    expect(result).toMatchObject({ class: 'limit' });
    expect(second.stats().iterations).toBe(0);
    expect(result.reasons[0]?.message).toBe('$1.20 of $1.00 today');
  });

  it('ends an agent while another run spends', async () => {
    const slow = runner('beside', [{ events: [uses(0.1)], hangs: true }]);
    const running = slow.run();
    await pause(300);
    new DayLedger(join(base, 'beside'), 'loop_other').note(dayOf(Date.now()), 2);
    expect(await running).toMatchObject({ class: 'limit' });
    expect(slow.runState.recent[0]).toMatchObject({ outcome: 'interrupted', interruption: 'limit' });
  });

  it('blocks when what others spend cannot be told', async () => {
    const ledger = new DayLedger(join(base, 'unknown'), 'loop_other');
    ledger.note(dayOf(Date.now()), undefined);
    expect(await runner('unknown', [{ events: [uses(0.1)] }]).run()).toMatchObject({ class: 'blocked', exitCode: 5 });
    writeFileSync(join(base, 'broken'), 'a file where the state should be');
    expect(
      await runner('broken', [{ events: [uses(0.1)] }])
        .run()
        .catch(() => 'refused'),
    ).toBeDefined();
    const workingDir = mkdtempSync(join(base, 'tree-'));
    const config = { workingDir, prompt: 'go', trackFileChanges: false, maxCostPerDay: 1 };
    const without = new LoopRunner(config, { agent: scriptedAgent([{}]), journal: memoryJournal() });
    expect(await without.run()).toMatchObject({ class: 'blocked' });
  });

  it('blocks where nothing can be noted, and does not hang: below /proc nothing can be made', () => {
    const ledger = new DayLedger('/proc/nope', 'loop_x');
    expect(() => ledger.note('2026-03-01', 1)).toThrow('/proc/nope');
    expect(ledger.others('2026-03-01').problem).toBeDefined();
  });

  it('begins anew with the day, also in a run that goes on', async () => {
    let nowMs = new Date(2026, 2, 1, 23, 59, 50).getTime();
    const midnight = () => void (nowMs += 20_000);
    const run = runner('midnight', [{ events: [uses(0.9)], work: midnight }, { events: [uses(0.9)] }], () => nowMs);
    expect(await run.run()).toMatchObject({ class: 'limit' });
    // The first on the old day, two on the new one, which the second of them crosses.
    expect(run.stats().iterations).toBe(3);
    expect(readdirSync(join(base, 'midnight', 'pawl', 'spend')).sort()).toEqual(['2026-03-01', '2026-03-02']);
  });
});
