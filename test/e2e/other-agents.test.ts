import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { AgentEvent } from '../../src/model/agent-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { processesOfRun } from '../../src/process/process-table.js';
import { LoopRunner } from '../../src/run/run-handle.js';
import type { ModelScript, ModelServer } from '../support/model-server/model-server.js';
import type { ScriptedStep } from '../support/model-server/step.js';
import { type Invoked, realAgent, resultsOf, sessionOf } from '../support/real-agent.js';
import { eventsOf, spendOf } from '../support/recorded-stream.js';

const NAMES = ['gemini', 'opencode', 'qwen', 'pi', 'copilot'] as const;
/** Those that may be killed before they have told of a request that was answered. */
const MAY_LACK_ONE: ReadonlySet<string> = new Set(['opencode', 'copilot']);
/** For requests that a CLI makes by itself after its last step. */
const FALLBACK: ScriptedStep = { text: 'Nothing to add.' };

/** What Pawl has counted, and what the server has. Not every API tells what was written to the cache. */
function counted(...iterations: readonly Invoked[]) {
  const { inputTokens, outputTokens, cacheReadTokens } = spendOf(...iterations.map(({ events }) => events));
  return { inputTokens, outputTokens, cacheReadTokens };
}
function served({ spent: { input, output, cacheRead, cacheWrite } }: ModelServer) {
  return { inputTokens: input + cacheRead + cacheWrite, outputTokens: output, cacheReadTokens: cacheRead };
}

describe.each(NAMES)('the real %s', (name) => {
  const scene = (context: TestContext, script: ModelScript) =>
    realAgent(name, { fallback: FALLBACK, ...script }, context);

  it('edits the tree, resumes its session, and spends what the server counts, hidden requests included', async (context) => {
    const { server, tree, run } = await scene(context, {});
    const writeFile = { path: join(tree, 'made.txt'), content: 'hello\n' };
    server.script({ writeFile, usage: { output: 90 } }, { text: 'Done.' });
    const first = await run();
    expect(readFileSync(join(tree, 'made.txt'), 'utf8')).toBe('hello\n');
    expect(eventsOf(first.events, 'text')).toEqual([{ kind: 'text', text: 'Done.' }]);
    expect(eventsOf(first.events, 'tool-result').map(({ failed }) => failed)).toEqual([false]);
    expect(first.end).toMatchObject({ cause: 'exit', exitCode: 0, survivors: 0 });
    expect(counted(first)).toEqual(served(server));

    const second = await run({ task: { session: sessionOf(first) } });
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(resultsOf(second)).toEqual(name === 'opencode' ? [] : ['success']);
    expect(counted(first, second)).toEqual(served(server));
  });

  it('what it spent is known when it is killed in the middle of a command, and nothing is left', async (context) => {
    const { server, tree, run } = await scene(context, {
      steps: [{ bash: 'echo one', usage: { output: 70 } }, { bash: 'touch begun; while :; do sleep 1; done' }],
    });
    const killing = new AbortController();
    // Copilot writes a request down a moment after it is answered.
    let isToldOfFirst = name !== 'copilot';
    const until = ({ kind }: AgentEvent) => {
      isToldOfFirst ||= kind === 'usage';
      return false;
    };
    const running = run({ spec: { permissions: 'bypass' }, signal: killing.signal, until });
    await expect.poll(() => existsSync(join(tree, 'begun')) && isToldOfFirst, { timeout: 60_000 }).toBe(true);
    killing.abort();
    const outcome = await running;
    expect(outcome.end).toMatchObject({ cause: 'aborted', survivors: 0 });
    expect(resultsOf(outcome)).not.toContain('success');
    // opencode tells of a request once its tools are done, Copilot a moment later: then it is charged like the one before.
    const all = served(server);
    expect([all, ...(MAY_LACK_ONE.has(name) ? [{ ...all, outputTokens: 140 }] : [])]).toContainEqual(counted(outcome));
  });

  it('a key that is refused ends it, costs nothing, and is named in plain words', async (context) => {
    const { run } = await scene(context, { fallback: { fault: 'auth' } });
    const outcome = await run({ until: ({ kind }) => kind === 'retry' });
    const told = outcome.events.flatMap((event) =>
      'message' in event && typeof event.message === 'string' ? event : [],
    );
    expect(told[0]).toMatchObject({ error: 'auth', message: expect.stringMatching(/^[^{}]+$/) });
    expect(spendOf(outcome.events).totalTokens ?? 0).toBe(0);
  });
});

describe.each(['qwen', 'copilot', 'gemini'] as const)('a loop with %s', (name) => {
  it('ends in mid-iteration when it crosses its budget, and every finished request is counted', async (context) => {
    const usage = { input: 100_000 };
    const { server, program, home, tree } = await realAgent(
      name,
      {
        steps: Array.from({ length: 40 }, (): ScriptedStep => ({ bash: 'sleep 0.6; echo', usage })),
        fallback: FALLBACK,
      },
      context,
    );
    const model = home.model === undefined ? {} : { model: home.model };
    const agent = { name, command: [program], args: home.args, permissions: 'bypass' as const, ...model };
    const runner = new LoopRunner(
      { workingDir: tree, prompt: 'Go.', agent, iterationDelay: 0, stop: { limits: [{ max_cost: 0.5 }] } },
      { environment: home.environment },
    );
    expect(await runner.run()).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(runner.runState.recent).toMatchObject([{ outcome: 'interrupted', interruption: 'limit' }]);
    expect(server.requests.length).toBeLessThan(12);
    const { inputTokens, outputTokens, costUsd = 0 } = totalSpend(runner.runState.spend);
    expect(costUsd).toBeGreaterThan(0.5);
    // The last answer may have come when the agent was dying.
    const all = served(server);
    expect([all.inputTokens, all.inputTokens - 103_800]).toContain(inputTokens);
    expect([all.outputTokens, all.outputTokens - 40]).toContain(outputTokens);
    expect(processesOfRun(runner.id)).toEqual([]);
  });
});
