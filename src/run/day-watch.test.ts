import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { AgentEvent } from '../model/agent-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { DayLedger, dayOf } from './day-ledger.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-day-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const uses = (costUsd: number): AgentEvent => ({
  kind: 'usage',
  scope: 'request',
  spend: { costUsd, inputTokens: 1, outputTokens: 1 },
});

function runner(
  state: string,
  steps: readonly ScriptedStep[],
  now?: () => number,
  limits: LoopConfig = { maxCostPerDay: 1, maxIterations: 9 },
): LoopRunner {
  const workingDir = mkdtempSync(join(base, 'tree-'));
  return new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, ...limits },
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
    await new Promise<void>((resolve) => slow.subscribe(({ type }) => type === 'agent-spawned' && resolve()));
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

  it('that a run without a known spend holds up names the run and the way out, and the way out works', async () => {
    const today = dayOf(Date.now());
    new DayLedger(join(base, 'way-out'), 'loop_other').note(today, undefined, { why: 'no price is known for foo-1' });
    const file = join(base, 'way-out', 'pawl', 'spend', today, 'loop_other.json');
    const blocked = runner('way-out', [{ events: [uses(0.6)] }]);
    const message = (await blocked.run()).reasons[0]?.message;
    expect(message).toMatch(/loop_other .*\(no price is known for foo-1\)/);
    expect(message).toContain(`write {"costUsd": 1.50} into ${file}`);
    writeFileSync(file, '{"costUsd": 0.50}');
    // The same run goes on: it looks anew, whatever its record says.
    expect(await blocked.run()).toMatchObject({ class: 'limit', reasons: [{ message: '$1.10 of $1.00 today' }] });
    rmSync(file);
    const after = await runner('way-out', [{ events: [uses(0.6)] }]).run();
    expect(after.reasons[0]?.message).toBe('$1.20 of $1.00 today');
  });

  it('is not held up by the unknown spend of a run that had no such limit; what is known of it counts', async () => {
    const unpriced: AgentEvent = {
      kind: 'usage',
      scope: 'request',
      model: 'foo-1',
      spend: { inputTokens: 5, outputTokens: 5 },
    };
    const before = runner('before', [{ events: [uses(0.4), unpriced] }], undefined, { maxIterations: 1 });
    expect(await before.run()).toMatchObject({ class: 'limit' });
    const after = await runner('before', [{ events: [uses(0.3)] }]).run();
    expect(after.reasons[0]?.message).toBe('$1.00 of $1.00 today');
    // One for which the limit holds is blocked, and says for the others why.
    expect(await runner('under', [{ events: [unpriced] }]).run()).toMatchObject({ class: 'blocked' });
    const next = await runner('under', [{ events: [uses(0.3)] }]).run();
    expect(next.reasons[0]?.message).toMatch(/loop_\w+ .*\(no price .*foo-1\)/);
  });

  it.each([
    ['{"costUsd"', 'does not contain'],
    ['{"costUsd": 1e999}', 'does not contain'],
    ['null', 'does not contain'],
    ['\0', 'contains a NUL'],
  ])('names a file that is not ours and what to do, not the words of a parser: %j', (text, words) => {
    const folder = join(base, 'garbage', 'pawl', 'spend', '2026-03-01');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'x.json'), text);
    const { problem } = new DayLedger(join(base, 'garbage'), 'loop_x').others('2026-03-01');
    expect(problem).toContain(`${join(folder, 'x.json')} ${words}`);
    expect(problem).toContain('delete it, or write');
    expect(problem).not.toMatch(/JSON|Unexpected/);
  });

  it('does not hang on what is no file at all', () => {
    const folder = join(base, 'pipe', 'pawl', 'spend', '2026-03-01');
    mkdirSync(folder, { recursive: true });
    execFileSync('mkfifo', [join(folder, 'x.json')]);
    expect(new DayLedger(join(base, 'pipe'), 'loop_x').others('2026-03-01').problem).toContain('x.json is not');
  });

  it('that was reached yesterday does not refuse a resume today', async () => {
    let nowMs = new Date(2026, 2, 1, 12).getTime();
    const run = runner('tomorrow', [{ events: [uses(1)] }], () => nowMs);
    expect(await run.run()).toMatchObject({ class: 'limit' });
    nowMs = new Date(2026, 2, 2, 12).getTime();
    expect(await run.run()).toMatchObject({ class: 'limit' });
    expect(run.stats().iterations).toBe(2);
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
