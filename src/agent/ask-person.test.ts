import { loopStateOf, waitingOf } from '../model/phase.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { memoryJournal } from '../journal/memory-journal.js';
import type { RunEvent } from '../model/run-event.js';
import { sendCommand } from '../run/control-client.js';
import { deadline, maxDuration } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import { askPerson, createDeepFactorAgent } from './index.js';

const ASK = { toolCalls: [{ name: 'ask', id: 'q1', input: { question: 'Which one?' } }] };
const tools = { ask: askPerson() };
const isAsking = (event: RunEvent) => event.type === 'waiting-started' && event.for === 'answer';

describe('a question to a person', () => {
  it('is asked with the answers that the model gives to choose from', async () => {
    const input = { question: 'Which one?', choices: ['red', 'blue', 7] };
    const model = scriptedModel([{ toolCalls: [{ name: 'ask', id: 'q1', input }] }, { text: 'blue it is' }]);
    const agent = createDeepFactorAgent({ model, tools, stopWhen: maxDuration('1h') });
    const asked: unknown[] = [];
    agent.subscribe((event, { questionChoices }) => {
      if (event.type !== 'waiting-started' || event.for !== 'answer') return;
      asked.push(event.reason, event.choices, questionChoices);
      void agent.answer('blue');
    });
    await agent.loop({ prompt: 'go' });
    expect(asked).toEqual(['Which one?', ['red', 'blue'], ['red', 'blue']]);
  });

  it('holds the run until code answers, and the answer is the result of the call and nothing else', async () => {
    const model = scriptedModel([ASK, { text: 'blue it is' }]);
    const agent = createDeepFactorAgent({ model, tools, stopWhen: maxDuration('1h') });
    const seen: string[] = [];
    agent.subscribe((event, state) => {
      if (!isAsking(event)) return;
      seen.push(loopStateOf(state), JSON.stringify(event));
      setImmediate(() => void agent.answer('the blue one'));
    });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'blue it is', iterations: 1 });
    expect(seen[0]).toBe('waiting');
    expect(seen[1]).toContain('Which one?');
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('the blue one');
    expect(result.state.requests.steers).toEqual([]);
  });

  it('uses none of the active time while a person thinks about it', async () => {
    const model = scriptedModel([ASK, { text: 'blue it is' }]);
    const journal = memoryJournal();
    const agent = createDeepFactorAgent({ model, tools, journal, stopWhen: maxDuration('1h') });
    const now = performance.now.bind(performance);
    onTestFinished(() => void vi.restoreAllMocks());
    agent.subscribe((event) => {
      if (isAsking(event)) setImmediate(() => void agent.send({ type: 'extend', limit: maxDuration('2h') }));
      if (event.type !== 'limit-extended') return;
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
      setImmediate(() => void agent.answer('the blue one'));
    });
    await agent.loop({ prompt: 'go' });
    const inTheWait = journal.events.filter(({ type }) => type === 'limit-extended' || type === 'waiting-ended');
    expect(inTheWait).toHaveLength(2);
    expect(new Set(inTheWait.map(({ activeMs }) => activeMs)).size).toBe(1);
  });

  it('is answered by another process through the socket of a run in a folder', async () => {
    const home = mkdtempSync(join(tmpdir(), 'pawl-ask-'));
    const model = scriptedModel([ASK, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools, journal: home });
    agent.subscribe((event) => {
      if (!isAsking(event)) return;
      const runId = agent.runId ?? '';
      const socketOf = () => {
        const state = JSON.parse(readFileSync(join(home, '.ralph/runs', runId, 'state.json'), 'utf8'));
        expect(state).toMatchObject({ status: 'waiting', control: expect.any(String) });
        return state.control;
      };
      void vi
        .waitFor(socketOf, { timeout: 60_000 })
        .then((socket) => sendCommand({ socket, runId, command: { type: 'steer', text: 'green' }, by: 'test' }));
    });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'ok' });
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('green');
    rmSync(home, { recursive: true, force: true });
  });

  it.each(['stop', 'limit'] as const)('does not outlive a %s', async (how) => {
    const model = scriptedModel([ASK, { text: 'never' }]);
    const agent = createDeepFactorAgent({
      model,
      tools,
      ...(how === 'limit' ? { stopWhen: deadline(new Date(Date.now() + 700)) } : {}),
    });
    agent.subscribe((event) => {
      if (how === 'stop' && isAsking(event)) setImmediate(() => void agent.send({ type: 'stop' }));
    });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'stopped', stopClass: how === 'stop' ? 'operator' : 'limit' });
    expect(waitingOf(result.state)).toBeUndefined();
    expect(model.calls).toHaveLength(1);
  });

  it('is asked again after a crash, without another call of the model', async () => {
    const model = scriptedModel([ASK, { text: 'ok' }]);
    const inside = memoryJournal();
    const first = createDeepFactorAgent({ model, tools, journal: inside });
    let asked = 0;
    first.subscribe((event) => {
      if (isAsking(event)) setImmediate(() => void first.send({ type: 'stop', now: true }));
    });
    await first.loop({ prompt: 'go' });
    const upTo = inside.events.findIndex(isAsking) + 1;
    const journal = memoryJournal({ events: inside.events.slice(0, upTo) });
    expect(loopStateOf(journal.state)).toBe('waiting');
    const second = createDeepFactorAgent({ model, tools, journal });
    second.subscribe((event) => {
      if (!isAsking(event)) return;
      asked += 1;
      setImmediate(() => void second.answer('again'));
    });
    expect(await second.resume(journal.state.runId ?? '')).toMatchObject({ status: 'completed', text: 'ok' });
    expect(asked).toBe(1);
    expect(model.calls).toHaveLength(2);
  });

  it('two at once are asked one after the other', async () => {
    const two = [ASK.toolCalls[0]!, { name: 'ask', id: 'q2', input: { question: 'And where?' } }];
    const model = scriptedModel([{ toolCalls: two }, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools });
    const answers = ['blue', 'here'];
    agent.subscribe((event) => {
      if (isAsking(event)) setImmediate(() => void agent.answer(answers.shift() ?? ''));
    });
    await agent.loop({ prompt: 'go' });
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toMatch(/q1.*blue.*q2.*here/);
  });

  it('a tool that needs approval is run after a yes, and not after anything else', async () => {
    const ran: string[] = [];
    const remove = tool({
      inputSchema: z.object({ path: z.string() }),
      needsApproval: true,
      execute: ({ path }) => {
        ran.push(path);
        return 'gone';
      },
    });
    const calls = ['a', 'b'].map((path) => ({ name: 'remove', input: { path } }));
    const model = scriptedModel([{ toolCalls: calls }, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools: { remove } });
    const answers = ['yes', 'better not'];
    agent.subscribe((event) => {
      if (isAsking(event)) setImmediate(() => void agent.answer(answers.shift() ?? ''));
    });
    await agent.loop({ prompt: 'go' });
    expect(ran).toEqual(['a']);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('better not');
  });

  it.each([
    ['Yes!', true],
    [' ok. ', true],
    ['APPROVED', true],
    ['allow nothing', false],
    ['ok no', false],
    ['yes?? no!', false],
    ['y-not', false],
  ])('"%s" runs a tool that needs approval: %s', async (answer, isRun) => {
    let ran = 0;
    const remove = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => `${(ran += 1)}` });
    const model = scriptedModel([{ toolCalls: [{ name: 'remove' }] }, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools: { remove } });
    agent.subscribe((event) => {
      if (isAsking(event)) setImmediate(() => void agent.answer(answer));
    });
    const { steps } = await agent.loop({ prompt: 'go' });
    expect(ran).toBe(isRun ? 1 : 0);
    if (!isRun) expect(steps[0]?.toolResults).toMatchObject([{ output: answer, failed: true }]);
  });

  it('an empty answer is none', async () => {
    const model = scriptedModel([ASK, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools });
    const refused: unknown[] = [];
    agent.subscribe((event) => {
      if (!isAsking(event)) return;
      setImmediate(() => {
        void agent.answer(' ').catch((error: unknown) => refused.push(error));
        void agent.answer('blue');
      });
    });
    expect(await agent.loop({ prompt: 'go' })).toMatchObject({ status: 'completed', text: 'ok' });
    expect(refused).toMatchObject([{ code: 'ConfigError' }]);
  });

  it('works only in an agent', async () => {
    const options = { toolCallId: 'x', messages: [], context: undefined };
    await expect(async () => askPerson().execute?.({ question: '?' }, options)).rejects.toThrow(
      'createDeepFactorAgent',
    );
  });
});
