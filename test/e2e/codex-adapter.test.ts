import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { calculateCost } from '../../src/pricing/calculate-cost.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import { type Fault, type ScriptedStep, type ServedTokens, USUAL_TOKENS } from '../support/model-server/step.js';
import { type Invoked, realAgent, resultsOf, sessionOf } from '../support/real-agent.js';
import { eventsOf, spendOf } from '../support/recorded-stream.js';

const scene = (context: TestContext, steps: readonly ScriptedStep[]) => realAgent('codex', { steps }, context);

/** What the fold makes of the reports of these iterations, in the words of the server's own count. */
function counted(...iterations: readonly Pick<Invoked, 'events'>[]) {
  const spend = spendOf(...iterations.map(({ events }) => events));
  const [all = 0, cacheRead = 0, cacheWrite = 0] = [spend.inputTokens, spend.cacheReadTokens, spend.cacheWriteTokens];
  return { input: all - cacheRead - cacheWrite, output: spend.outputTokens, cacheRead, cacheWrite };
}

describe('the real Codex', () => {
  it('says what it did, and used what the model server has counted', async (context) => {
    const { server, run } = await scene(context, [{ text: 'Done. COMPLETE', usage: { output: 77, reasoning: 9 } }]);
    const outcome = await run();
    expect(eventsOf(outcome.events, 'text')).toEqual([{ kind: 'text', text: 'Done. COMPLETE' }]);
    expect(resultsOf(outcome)).toEqual(['success']);
    expect(outcome.end).toMatchObject({ cause: 'exit', exitCode: 0, stragglers: 0 });
    const { reasoning, ...spent } = server.spent;
    expect(counted(outcome)).toEqual(spent);
    expect([reasoning, eventsOf(outcome.events, 'usage').at(-1)?.spend.reasoningTokens]).toEqual([9, 9]);
    expect(eventsOf(outcome.events, 'usage')[0]).toMatchObject({ scope: 'request', model: 'gpt-5.5' });
    expect(eventsOf(outcome.events, 'context')).toEqual([{ kind: 'context', windowTokens: 258_400 }]);
  });

  it('edits the tree and runs commands in its sandbox', async (context) => {
    const { server, tree, run } = await scene(context, [
      { writeFile: { path: 'made.txt', content: 'hello\n' } },
      { bash: 'cat made.txt > copied.txt; touch "$HOME/../../outside-of-the-tree"; echo "touch: $?"' },
      { bash: 'exit 3' },
      { text: 'Done.' },
    ]);
    const outcome = await run();
    expect(readFileSync(join(tree, 'made.txt'), 'utf8')).toBe('hello\n');
    expect(readFileSync(join(tree, 'copied.txt'), 'utf8')).toBe('hello\n');
    expect(existsSync('/outside-of-the-tree')).toBe(false);
    expect(eventsOf(outcome.events, 'tool-call').map(({ name }) => name)).toEqual(['apply_patch', 'shell', 'shell']);
    expect(eventsOf(outcome.events, 'tool-result').map(({ failed }) => failed)).toEqual([false, false, true]);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('continues its thread without being charged for it twice, and its rollout agrees', async (context) => {
    const { server, agent, run } = await scene(context, [
      { bash: 'pwd' },
      { text: 'First.' },
      { text: 'Second.', usage: { output: 5 } },
    ]);
    const first = await run();
    const afterFirst = server.spent;
    const between = new Date().toISOString();
    const second = await run({ task: { session: sessionOf(first) } });
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(eventsOf(second.events, 'text').map(({ text }) => text)).toEqual(['Second.']);
    expect(counted(first)).toEqual(afterFirst);
    expect(counted(first, second)).toEqual(server.spent);

    const recorded = async (since: string) => ({
      events: (await agent().recordedUsage?.(sessionOf(first), since)) ?? [],
    });
    expect(counted(await recorded('2000-01-01T00:00:00Z'))).toEqual(server.spent);
    expect(eventsOf((await recorded(between)).events, 'usage').map(({ scope }) => scope)).toEqual([
      'session-total',
      'session-total',
    ]);
  });

  it('a turn that fails after some requests counts, and the next one in its thread does not count it again', async (context) => {
    const { server, run } = await scene(context, [{ bash: 'pwd' }, { fault: 'no-credit' }, { text: 'Again.' }]);
    const failed = await run();
    expect(resultsOf(failed)).toEqual(['error']);
    expect(failed.events).toContainEqual(expect.objectContaining({ kind: 'error', error: 'billing' }));
    expect(counted(failed)).toEqual(server.spent);
    const next = await run({ task: { session: sessionOf(failed) } });
    expect(resultsOf(next)).toEqual(['success']);
    expect(counted(failed, next)).toEqual(server.spent);
  });

  it('what was used is known of a run that is killed in the middle of a command, and nothing is left', async (context) => {
    const { server, tree, run } = await scene(context, [
      { bash: 'pwd', usage: { output: 11 } },
      { bash: 'setsid sleep 300 & touch begun; sleep 301' },
    ]);
    const killing = new AbortController();
    const running = run({ spec: { permissions: 'bypass' }, signal: killing.signal });
    await expect.poll(() => existsSync(join(tree, 'begun')), { timeout: 60_000 }).toBe(true);
    killing.abort();
    const outcome = await running;
    expect(outcome.end).toMatchObject({ cause: 'aborted', survivors: 0 });
    expect(resultsOf(outcome)).toEqual([]);
    expect(server.requests).toHaveLength(2);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('usage is told while it works, so that a budget can end it', async (context) => {
    const { server, run } = await scene(context, [{ bash: 'sleep 60' }]);
    const outcome = await run({ until: ({ kind }) => kind === 'usage' });
    expect(outcome.end).toMatchObject({ cause: 'aborted', survivors: 0 });
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('a daemon that a command leaves behind ends with the iteration', async (context) => {
    const { run } = await scene(context, [
      // Not before it has a session of its own: Codex ends the group of a command with it.
      { bash: "(setsid sh -c 'touch up; exec sleep 302' >/dev/null 2>&1 &); until [ -e up ]; do sleep 0.02; done" },
      { text: 'Done.' },
    ]);
    const outcome = await run({ spec: { permissions: 'bypass' } });
    expect(resultsOf(outcome)).toEqual(['success']);
    expect(outcome.end).toMatchObject({ cause: 'exit', survivors: 0 });
    expect(outcome.end.stragglers).toBeGreaterThan(0);
  });

  it('a thread that does not exist is named as such', async (context) => {
    const { run } = await scene(context, []);
    const outcome = await run({ task: { session: randomUUID() } });
    expect(resultsOf(outcome)).toEqual(['no-such-session']);
    expect(outcome.end).toMatchObject({ cause: 'exit', exitCode: 1 });
  });

  it('a subscription at its limit tells when it opens again', async (context) => {
    const { server, run } = await scene(context, [{ fault: 'usage-limit' }]);
    const beforeMs = Date.now();
    const outcome = await run();
    const [limit] = eventsOf(outcome.events, 'limit');
    expect(limit).toMatchObject({ limit: 'usage-limit' });
    const resetsInMs = Date.parse(limit?.resetsAt ?? '') - beforeMs;
    expect(Math.abs(resetsInMs - 3_600_000)).toBeLessThan(120_000);
    expect(server.requests).toHaveLength(1);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it.for<[Fault, string]>([
    ['auth', 'auth'],
    ['overloaded', 'overload'],
    ['rate-limit-with-delay', 'rate'],
  ])('%s is told at the first retry', async ([fault, error], context) => {
    const { run } = await scene(
      context,
      Array.from({ length: 30 }, () => ({ fault })),
    );
    const outcome = await run({ until: ({ kind }) => kind === 'retry' || kind === 'result' });
    expect(eventsOf(outcome.events, 'retry')[0]).toMatchObject({ error, attempt: 1 });
  });

  it.for<[Fault, object]>([
    ['context-too-long', { kind: 'error', error: 'context' }],
    ['cut-off', { kind: 'error', error: 'other' }],
    ['stream-error', { kind: 'limit', limit: 'overload' }],
  ])('%s ends it with the reason', async ([fault, reason], context) => {
    const { run } = await scene(context, [{ fault }]);
    const outcome = await run({ until: ({ kind }) => kind === 'retry' });
    expect(outcome.events).toContainEqual(expect.objectContaining(reason));
    expect(resultsOf(outcome)).toEqual(['error']);
  });

  it('an overload that passes is no error, and costs no iteration', async (context) => {
    const overloaded = Array.from({ length: 6 }, (): ScriptedStep => ({ fault: 'overloaded' }));
    const { run, server } = await scene(context, [...overloaded, { text: 'Done.' }]);
    const outcome = await run();
    expect(resultsOf(outcome)).toEqual(['success']);
    expect(eventsOf(outcome.events, 'error')).toEqual([]);
    expect(eventsOf(outcome.events, 'limit')).toEqual([]);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('a connection that is lost is made anew', async (context) => {
    const { server, run } = await scene(context, [{ fault: 'disconnect' }, { text: 'Done.' }]);
    const outcome = await run();
    expect(resultsOf(outcome)).toEqual(['success']);
    expect(server.requests.map((request) => request.outcome)).toEqual(['broken', 'finished']);
    expect(counted(outcome)).toEqual(server.spent);
  });

  it('an answer that hangs is ended by a signal', async (context) => {
    const { server, run } = await scene(context, [{ fault: 'hang' }]);
    const killing = new AbortController();
    const running = run({ signal: killing.signal });
    await expect.poll(() => server.requests.length, { timeout: 60_000 }).toBe(1);
    killing.abort();
    expect((await running).end).toMatchObject({ cause: 'aborted', survivors: 0 });
  });
});

describe('a loop with real Codex', () => {
  async function loop(context: TestContext, steps: readonly ScriptedStep[], config: LoopConfig) {
    const { server, program, home, tree } = await scene(context, steps);
    // The model is not named in the config: the price is that of the one that Codex says it uses.
    const agent = { name: 'codex', command: [program], args: ['-m', 'gpt-5.5', ...home.args] };
    const runner = new LoopRunner(
      { workingDir: tree, prompt: 'Write the parts.', agent, iterationDelay: 0, ...config },
      { environment: home.environment },
    );
    return { server, runner };
  }

  const priceOf = ({ input, output, cacheRead, cacheWrite }: ServedTokens) =>
    calculateCost(
      {
        inputTokens: input + cacheRead + cacheWrite,
        outputTokens: output,
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
      },
      'gpt-5.5',
    ) ?? Number.NaN;

  it('goes on in one thread, and counts and prices what the server counts', async (context) => {
    const steps = [1, 2, 3].flatMap((part): readonly ScriptedStep[] => [
      { writeFile: { path: `part${part}.txt`, content: 'x\n' } },
      { text: `Part ${part} of 3.${part === 3 ? ' ALL DONE' : ''}` },
    ]);
    const { server, runner } = await loop(context, steps, { stop: { success: [{ output_pattern: 'ALL DONE' }] } });
    expect(await runner.run()).toMatchObject({ status: 'completed', exitCode: 0 });
    const { spent } = server;
    const { recent, spend, context: window } = runner.runState;
    expect(recent.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(totalSpend(spend)).toMatchObject({
      inputTokens: spent.input + spent.cacheRead + spent.cacheWrite,
      outputTokens: spent.output,
    });
    expect(totalSpend(spend).costUsd).toBeCloseTo(priceOf(spent), 6);
    expect(window).toMatchObject({ usedTokens: 5040, windowTokens: 258_400 });
    expect(processesOfRun(runner.id)).toEqual([]);
  });

  it('is killed in mid-iteration when it crosses its budget, and every finished request is counted', async (context) => {
    const usage = { input: 100_000 };
    const steps = Array.from({ length: 40 }, (): ScriptedStep => ({ bash: 'sleep 0.4', usage }));
    const { server, runner } = await loop(context, steps, { stop: { limits: [{ max_tokens: 250_000 }] } });
    expect(await runner.run()).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(runner.runState.recent).toMatchObject([{ outcome: 'interrupted', interruption: 'limit' }]);
    expect(server.requests.length).toBeLessThan(8);
    // The last answer may have come when Codex was dying.
    const { output } = server.spent;
    expect([output, output - USUAL_TOKENS.output]).toContain(totalSpend(runner.runState.spend).outputTokens);
    expect(processesOfRun(runner.id)).toEqual([]);
  });

  it('takes a fresh thread above the redline, and hands over', async (context) => {
    const steps: readonly ScriptedStep[] = [
      { text: 'read everything', usage: { input: 240_000 } },
      (request) => ({ text: JSON.stringify(request.messages).includes('take over') ? 'took over' : 'knows nothing' }),
    ];
    const { runner } = await loop(context, steps, { maxIterations: 2 });
    await runner.run();
    expect(runner.stats().reboots).toBe(1);
    expect(runner.history.last(1)[0]?.summary).toBe('took over');
  });

  it('waits at a usage limit, and tries again in the same iteration', async (context) => {
    const steps: readonly ScriptedStep[] = [{ fault: 'usage-limit', resetsInSeconds: 600 }, { text: 'there again' }];
    const { runner } = await loop(context, steps, { maxIterations: 1 });
    let until = '';
    runner.subscribe((event) => {
      if (event.type !== 'waiting-started') return;
      until = event.until ?? '';
      // Its reset is told to the minute: nobody waits for that here.
      setImmediate(() => void runner.send({ type: 'resume' }));
    });
    await runner.run();
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(400_000);
    expect(runner.history.last(2).map(({ iteration, outcome }) => [iteration, outcome])).toEqual([
      [1, 'completed'],
      [1, 'limited'],
    ]);
    expect(runner.stats().iterations).toBe(1);
  });
});
