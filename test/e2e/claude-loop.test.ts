import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { calculateCost } from '../../src/pricing/calculate-cost.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { need } from '../environment.js';
import { claudeEnvironment } from '../support/model-server/claude-environment.js';
import { ModelServer } from '../support/model-server/model-server.js';
import type { ScriptedStep, ServedTokens } from '../support/model-server/step.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Scene {
  readonly server: ModelServer;
  readonly runner: LoopRunner;
  readonly events: RunEvent[];
}

/** A loop with a real Claude Code whose model follows the script, in a home and a tree of its own. */
async function scene(
  context: TestContext,
  steps: readonly ScriptedStep[],
  config: LoopConfig,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Scene> {
  const program = need('claude', context);
  const home = realpathSync(await mkdtemp(join(tmpdir(), 'pawl-claude-loop-')));
  cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const server = await ModelServer.start({ steps, nameOf: (model) => `${model}-20250929` });
  cleanups.push(() => server.close());
  const workingDir = join(home, 'tree');
  mkdirSync(workingDir);
  // Red until all three parts are there; the harness runs it, not the agent.
  writeFileSync(join(workingDir, 'test.sh'), TESTS);
  const runner = new LoopRunner(
    {
      workingDir,
      prompt: 'Write the parts.',
      agent: { name: 'claude', command: [program], model: 'claude-sonnet-4-5' },
      iterationDelay: 0,
      ...config,
    },
    { environment: { ...claudeEnvironment(server, home), ...environment } },
  );
  const events: RunEvent[] = [];
  runner.subscribe((event) => events.push(event));
  return { server, runner, events };
}

const TESTS = `#!/bin/sh
echo 'TAP version 14'
echo '1..3'
for n in 1 2 3; do
  if [ -f part$n.txt ]; then echo "ok $n - part $n"; else echo "not ok $n - part $n"; red=1; fi
done
exit \${red:-0}
`;

const write = (part: number): ScriptedStep => ({ writeFile: { path: `part${part}.txt`, content: `part ${part}\n` } });
const say = (text: string): ScriptedStep => ({ text });

/** What the server says that its finished requests used, at the price of the model. */
function priceOf({ input, output, cacheRead, cacheWrite }: ServedTokens): number {
  const usage = { inputTokens: input + cacheRead + cacheWrite, outputTokens: output };
  return (
    calculateCost({ ...usage, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite }, 'claude-sonnet-4-5') ?? NaN
  );
}

describe('a loop with real Claude Code', () => {
  it('reaches a verified goal in three iterations, and counts what the server counts', async (context) => {
    const steps = [1, 2, 3].flatMap((part) => [write(part), say(`wrote part ${part}, everything is DONE`)]);
    const { runner, server, events } = await scene(context, steps, { tests: 'sh test.sh' });
    const result = await runner.run();
    expect(result).toMatchObject({ status: 'completed', class: 'goal', exitCode: 0 });
    expect(runner.runState.baseline?.tests).toMatchObject({ passed: 0, failed: 3 });
    expect(runner.history.last(3).map(({ testsPassed, outcome }) => [outcome, testsPassed])).toEqual([
      ['completed', 3],
      ['completed', 2],
      ['completed', 1],
    ]);
    const { spent } = server;
    expect(totalSpend(runner.runState.spend)).toMatchObject({
      inputTokens: spent.input + spent.cacheRead + spent.cacheWrite,
      outputTokens: spent.output,
    });
    expect(totalSpend(runner.runState.spend).costUsd).toBeCloseTo(priceOf(spent), 6);
    // One session, gone on with: its cost is not counted twice.
    expect(new Set(events.flatMap((event) => (event.type === 'session-opened' ? [event.session] : []))).size).toBe(1);
    expect(runner.runState.latest.observation.files).toMatchObject({ created: ['part3.txt'] });
    expect(processesOfRun(runner.id)).toEqual([]);
  });

  it('is killed in mid-iteration when it crosses its budget, and every finished request is counted', async (context) => {
    const dear = { input: 100_000, output: 100, cacheRead: 0, cacheWrite: 0 };
    const steps = Array.from({ length: 40 }, (_, index): ScriptedStep => {
      const path = `file${index}.txt`;
      return { writeFile: { path, content: 'x' }, usage: dear };
    });
    const { runner, server } = await scene(context, steps, { stop: { limits: [{ max_cost: 1 }] } });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(runner.runState.recent).toHaveLength(1);
    expect(runner.runState.recent[0]).toMatchObject({ outcome: 'interrupted', interruption: 'limit' });
    // A request costs $0.3015: the fourth crosses $1. A fifth may have begun while Claude Code was dying.
    const main = server.requests.filter(({ kind }) => kind === 'main');
    expect(main.length).toBeLessThanOrEqual(5);
    const recorded = totalSpend(runner.runState.spend);
    expect(recorded.costUsd ?? 0).toBeGreaterThanOrEqual(1);
    expect(recorded.costUsd ?? 0).toBeLessThanOrEqual(1.51);
    // Every finished request is counted in full; one that was cut off as far as it was told.
    expect(recorded.inputTokens ?? 0).toBeGreaterThanOrEqual(server.spent.input);
    expect(recorded.inputTokens ?? 0).toBeLessThanOrEqual(server.told.input);
    expect(recorded.outputTokens ?? 0).toBeGreaterThanOrEqual(server.spent.output);
    expect(recorded.outputTokens ?? 0).toBeLessThanOrEqual(server.told.output);
    expect(processesOfRun(runner.id)).toEqual([]);
  });

  it('whose login is refused blocks at once, without a storm of retries', async (context) => {
    const refusals = Array.from({ length: 20 }, (): ScriptedStep => ({ fault: 'auth' }));
    const { runner, server } = await scene(context, refusals, { stop: { limits: [{ max_cost: 1 }] } });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
    expect(result.reasons[0]?.message).toContain('not logged in');
    expect(server.requests.length).toBeLessThanOrEqual(3);
    expect(runner.runState.iterations).toBe(1);
    expect(totalSpend(runner.runState.spend).costUsd).toBe(0);
    expect(processesOfRun(runner.id)).toEqual([]);
  });

  it('waits for a usage limit until it resets, which costs no iteration', async (context) => {
    const steps: ScriptedStep[] = [{ fault: 'usage-limit', resetsInSeconds: 3 }, write(1), say('wrote it')];
    // A subscription: only there the time of the reset is told.
    const subscription = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted' };
    const { runner, events } = await scene(context, steps, { maxIterations: 1 }, subscription);
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    const waits = events.filter((event) => event.type === 'waiting-started');
    expect(waits).toMatchObject([{ for: 'usage-limit' }]);
    expect(runner.history.last(2).map(({ iteration, outcome, try: attempt }) => [iteration, attempt, outcome])).toEqual(
      [
        [1, 2, 'completed'],
        [1, 1, 'limited'],
      ],
    );
    expect(runner.stats().iterations).toBe(1);
  });

  it('lets an overload that passes pass, and waits for one that does not', async (context) => {
    const overloaded = (times: number) => Array.from({ length: times }, (): ScriptedStep => ({ fault: 'overloaded' }));
    // Two retries of its own; the second iteration needs more.
    const steps = [...overloaded(1), say('one'), ...overloaded(3), say('two')];
    const { runner, events } = await scene(context, steps, { maxIterations: 2 });
    runner.subscribe((event) => {
      if (event.type === 'waiting-started') setImmediate(() => void runner.send({ type: 'resume' }));
    });
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect(events.filter((event) => event.type === 'waiting-started')).toMatchObject([{ for: 'overload' }]);
    expect(events.filter((event) => event.type === 'error-seen')).toEqual([]);
    expect(runner.history.last(3).map(({ outcome }) => outcome)).toEqual(['completed', 'limited', 'completed']);
  });

  it('takes a fresh session above the redline, and hands over', async (context) => {
    const full = { input: 180_000, output: 100, cacheRead: 0, cacheWrite: 0 };
    const steps: ScriptedStep[] = [
      { text: 'read everything', usage: full },
      (request) =>
        say(
          `asked with ${JSON.stringify(request.messages).includes('read everything') ? 'a handover' : 'nothing'}`,
        ) as never,
    ];
    const { runner, events } = await scene(context, steps, { maxIterations: 2 });
    await runner.run();
    const sessions = events.flatMap((event) => (event.type === 'session-opened' ? [event.session] : []));
    expect(new Set(sessions).size).toBe(2);
    expect(events.find((event) => event.type === 'reboot-started')).toMatchObject({
      reason: expect.stringContaining('% full, above 85%'),
    });
    expect(runner.history.last(1)[0]?.summary).toBe('asked with a handover');
    expect(runner.stats().reboots).toBe(1);
  });

  it('leaves nothing of a shell tool that puts a process into a session of its own', async (context) => {
    const steps: ScriptedStep[] = [{ bash: 'setsid sleep 300 >/dev/null 2>&1 & echo started' }, say('done')];
    const agent = { name: 'claude', command: [need('claude', context)], permissions: 'bypass' } as const;
    const { runner } = await scene(context, steps, { agent, maxIterations: 1 });
    await runner.run();
    expect(runner.runState.recent[0]).toMatchObject({ outcome: 'completed' });
    expect(processesOfRun(runner.id)).toEqual([]);
  });
});
