import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import { findSockets } from './control-place.js';
import type { RunEvent } from '../model/run-event.js';
import { openQuestions } from '../model/questions.js';
import { waitingOf } from '../model/phase.js';
import { replay } from '../replay/replay.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { sendQuestion, type Taken } from './control-client.js';
import { answerStoppedRun } from './resume-run.js';
import { LoopRunner } from './run-handle.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-ask-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(base, 'state'), XDG_RUNTIME_DIR: base };
const WAIT = { timeout: 60_000, interval: 5 };

type Given = Parameters<NonNullable<ScriptedStep['work']>>[0];
type Ask = (text: string, choices?: readonly string[], proof?: { key?: string }) => Promise<Taken>;
type Work = (ask: Ask, given: Given) => Promise<unknown>;

const QUICK = { callWait: 0, maxWait: '1h' } as const;
const NEEDS = 'I need your decision on the database before I can continue. Which one?\n\nPAWL: NEEDS a decision';

/** A loop whose agent does this in its iterations, and asks as `pawl mcp` does. */
function scene(works: readonly Work[], config: LoopConfig = {}, says: string[] = []) {
  const events: RunEvent[] = [];
  const prompts: string[] = [];
  const steps = works.map((work, index): ScriptedStep => {
    return {
      events: [{ kind: 'text', text: says[index] ?? 'ok' }],
      async work(given) {
        prompts.push(given.prompt);
        const { cookie, claimKey } = given;
        const ask: Ask = (text, choices, proof) => {
          const [socket = ''] = findSockets(runner.id, environment);
          const report = { question: { text, ...(choices && { choices }) }, cookie, key: proof?.key ?? claimKey };
          return sendQuestion({ socket, runId: runner.id, report, by: 'the agent' });
        };
        await work(ask, given);
      },
    };
  });
  const workingDir = mkdtempSync(join(base, 'tree-'));
  const common = { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: 3 } as const;
  const options = { agent: scriptedAgent(steps), environment };
  const runner = new LoopRunner({ ...common, questions: QUICK, ...config }, options);
  runner.subscribe((event) => events.push(event));
  const types = () => events.map(({ type }) => type);
  const waiting = () => vi.waitUntil(() => waitingOf(runner.runState)?.for === 'person', WAIT);
  const asked = () => vi.waitUntil(() => openQuestions(runner.runState).length > 0, WAIT);
  const answer = (text: string, question?: string) => runner.send({ type: 'answer', text, question }, 'a person');
  return { runner, events, prompts, types, waiting, asked, answer, workingDir };
}

const nothing: Work = async () => undefined;

describe('a question to a person', () => {
  it('that is answered while the call waits is answered there, and is no part of the next prompt', async () => {
    let got: Taken | undefined;
    const works = [async (ask: Ask) => (got = await ask('Which one?', ['red', 'blue'])), nothing];
    const { runner, prompts, asked, answer, types } = scene(works, {
      questions: { callWait: '20s' },
      maxIterations: 2,
    });
    const running = runner.run();
    await asked();
    await answer('2');
    expect(await running).toMatchObject({ class: 'limit' });
    expect(got).toMatchObject({ question: 'q1', answer: 'blue' });
    expect(types()).toContain('answer-delivered');
    expect(types()).not.toContain('waiting-started');
    expect(prompts[1]).not.toContain('Which one?');
  });

  it('that is not answered in time is waited for between iterations, at no active time, and the next prompt has the answer', async () => {
    let got: Taken | undefined;
    const { runner, prompts, waiting, answer, events } = scene(
      [async (ask) => (got = await ask('Which one?')), nothing],
      {
        maxIterations: 2,
      },
    );
    const running = runner.run();
    await waiting();
    expect(got).toMatchObject({ question: 'q1', effect: expect.stringContaining('then waits for the answer') });
    expect(got?.answer).toBeUndefined();
    expect(runner.state()).toBe('waiting');
    await runner.send({ type: 'steer', text: 'x' });
    await answer('The one with the\nindex.');
    expect(await running).toMatchObject({ class: 'limit' });
    expect(prompts[1]).toContain('You asked a person (q1): Which one?\nThe answer: The one with the\nindex.');
    const [first, last] = events.filter(({ type }) => type === 'command-received');
    expect(last?.activeMs).toBe(first?.activeMs);
    expect(replay(events).verdicts.every(({ isSame }) => isSame)).toBe(true);
  });

  it('is waited for although the agent ends with its status line, and nothing was changed', async () => {
    const stop = { failure: ['needs_person', { no_progress: 1 }] };
    const { runner, waiting, answer, prompts } = scene(
      [(ask) => ask('Which one?'), nothing],
      { stop, trackFileChanges: true, maxIterations: 2 },
      [NEEDS, 'PAWL: CONTINUE'],
    );
    const running = runner.run();
    await waiting();
    await answer('this one');
    const { reasons } = await running;
    expect(prompts).toHaveLength(2);
    expect(reasons.map(({ message }) => message).join()).not.toContain('needs you');
  });

  it('ends the run as needs you when nobody answers, with the question and its choices, and never waits for it again', async () => {
    const config = { questions: { callWait: 0, maxWait: '1ms' } } as const;
    const { runner, types } = scene([(ask) => ask('Which one?', ['red', 'blue'])], config);
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
    expect(result.reasons[0]?.message).toBe(
      'the agent asks you: "Which one?" (1 "red", 2 "blue") (no answer within 1ms)',
    );
    expect(types().filter((type) => type === 'waiting-started')).toHaveLength(1);
    expect(runner.runState.iterations).toBe(1);
  });

  it('with a wait of 0 ends the run at once', async () => {
    const { runner, types } = scene([(ask) => ask('Which one?')], { questions: { callWait: 0, maxWait: 0 } });
    const result = await runner.run();
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
    expect(types()).not.toContain('waiting-started');
  });

  it('that nobody answered is resumed without an answer when a person says so, and the agent is told', async () => {
    const config = { questions: { callWait: 0, maxWait: 0 }, maxIterations: 2 } as const;
    const { runner, prompts } = scene([(ask) => ask('Which one?'), nothing], config);
    expect(await runner.run()).toMatchObject({ exitCode: 5 });
    expect(await runner.run()).toMatchObject({ class: 'limit' });
    expect(prompts[1]).toContain('There was no answer. Decide it yourself');
  });

  it('and a second one are both to be answered, each once, in any order', async () => {
    const works: Work[] = [
      async (ask) => {
        await ask('First?');
        await ask('Second?', ['a', 'b']);
        await ask('First?');
      },
      nothing,
    ];
    const { runner, prompts, waiting, answer, events } = scene(works, { maxIterations: 2 });
    const running = runner.run();
    await waiting();
    expect(openQuestions(runner.runState).map(({ id }) => id)).toEqual(['q1', 'q2']);
    await expect(answer('x')).rejects.toThrow('2 questions are open; say which: --question q1');
    await answer('two', '2').catch((error: Error) => expect(error.message).toBe('never'));
    await expect(answer('again', 'q2')).rejects.toThrow('q2 is answered already, by a person: "two"');
    expect(runner.state()).toBe('waiting');
    await answer('one');
    await running;
    expect(prompts[1]).toMatch(/First\?\nThe answer: one\n\n.*Second\?\nThe answer: two/s);
    const waits = events.filter(({ type }) => type === 'waiting-ended');
    expect(waits).toMatchObject([{ reason: 'answered' }]);
  });

  it('takes the first of two answers that come at the same moment, and the other is told', async () => {
    const { runner, prompts, waiting, answer } = scene([(ask) => ask('Which one?'), nothing], { maxIterations: 2 });
    const running = runner.run();
    await waiting();
    const both = await Promise.allSettled([answer('left', 'q1'), answer('right', 'q1')]);
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'InvalidState' } }]);
    await running;
    expect(prompts[1]).toContain('The answer: left');
  });

  it('of a run that has ended takes the first of several answers at the same moment, and the others are told', async () => {
    const { runner, workingDir } = scene([(ask) => ask('Which one?')], { questions: { callWait: 0, maxWait: 0 } });
    await runner.run();
    const give = (text: string) =>
      answerStoppedRun({ workingDir, runId: runner.id, answer: { type: 'answer', text }, by: text, environment });
    const all = await Promise.allSettled(['left', 'right', 'both'].map(give));
    const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.text] : []));
    expect(taken).toHaveLength(1);
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    const why = expect.stringContaining(`q1 is answered already, by ${taken[0]}`) as string;
    expect(refused).toEqual([why, why]);
  });

  it('that is answered while the agent works on, after its call has ended, is answered with the next prompt, without a wait', async () => {
    const works: Work[] = [
      async (ask) => {
        await ask('Which one?');
        await answer('this one');
      },
      nothing,
    ];
    const { runner, prompts, answer, types } = scene(works, { maxIterations: 2 });
    await runner.run();
    expect(prompts[1]).toContain('The answer: this one');
    expect(types()).not.toContain('waiting-started');
  });

  it('is answered while the run is paused: it stays paused, and the next prompt has the answer', async () => {
    const works: Work[] = [
      async (ask) => {
        await ask('Which one?');
        await runner.send({ type: 'pause' });
      },
      nothing,
    ];
    const { runner, prompts, answer, types } = scene(works, { maxIterations: 2 });
    const running = runner.run();
    await vi.waitUntil(() => runner.state() === 'paused', WAIT);
    await answer('this one');
    expect(runner.state()).toBe('paused');
    await expect(answer('that one')).rejects.toThrow('q1 is answered already');
    await runner.send({ type: 'resume' });
    await running;
    expect(prompts[1]).toContain('Which one?\nThe answer: this one');
    expect(types()).not.toContain('waiting-started');
  });

  it('refuses commands that would lose the answer, takes a message beside it, and ends when it is stopped', async () => {
    const { runner, waiting, types } = scene([(ask) => ask('Which one?')]);
    const running = runner.run();
    await waiting();
    for (const type of ['pause', 'resume'] as const)
      await expect(runner.send({ type })).rejects.toThrow('for your answer: pawl answer TEXT gives it');
    await expect(runner.send({ type: 'skip' })).rejects.toThrow('cannot skip');
    await expect(runner.send({ type: 'approve' })).rejects.toThrow('it has not asked for approval');
    await runner.send({ type: 'steer', text: 'be quick' });
    expect(runner.state()).toBe('waiting');
    await runner.send({ type: 'stop' });
    expect(await running).toMatchObject({ class: 'operator' });
    expect(runner.runState.requests.steers).toEqual(['be quick']);
    expect(openQuestions(runner.runState)).toHaveLength(1);
    expect(types().at(-1)).toBe('run-ended');
  });

  it('comes before the approval of an attended run', async () => {
    const { runner, waiting, answer, prompts } = scene([(ask) => ask('Which one?'), nothing], {
      attendedMode: true,
      maxIterations: 2,
    });
    const running = runner.run();
    const approval = () => vi.waitUntil(() => waitingOf(runner.runState)?.for === 'approval', WAIT);
    await approval();
    await runner.send({ type: 'approve' });
    await waiting();
    await answer('this one');
    await approval();
    await runner.send({ type: 'approve' });
    await running;
    expect(prompts[1]).toContain('The answer: this one');
  });

  it('is not taken from anything but the agent at work, nor without bounds', async () => {
    const refused: unknown[] = [];
    const keep = (asking: Promise<Taken>) => asking.catch(({ message }: Error) => refused.push(message));
    const works: Work[] = [
      async (ask) => {
        await keep(ask('Which one?', [], { key: 'guessed' }));
        await keep(ask('x'.repeat(5000)));
        await keep(ask('Which?', ['a', 'A']));
        await keep(ask(' '));
        for (let number = 1; number <= 6; number += 1) await keep(ask(`Question ${number}?`));
      },
    ];
    const { runner } = scene(works, { questions: { callWait: 0, maxWait: 0 } });
    await runner.run();
    expect(refused).toEqual([
      expect.stringContaining('is not that of this iteration'),
      'a question has 5000 bytes, 4096 are allowed',
      'two choices are equal',
      'a question is a text that is not empty',
      'not recorded: 5 questions are open already',
    ]);
    expect(openQuestions(runner.runState)).toHaveLength(5);
  });

  it('whose answer is too long, empty or no choice is still open, and says why', async () => {
    const { runner, waiting, answer } = scene([(ask) => ask('Which one?', ['red', 'blue'])]);
    const running = runner.run();
    await waiting();
    await expect(answer('x'.repeat(9000))).rejects.toThrow('write it to a file and name the file');
    await expect(answer('3')).rejects.toThrow('q1 has no choice "3": "Which one?" (1 "red", 2 "blue")');
    await expect(answer('x', 'q7')).rejects.toThrow('there is no question "q7"');
    expect(openQuestions(runner.runState)).toHaveLength(1);
    await runner.shutdown();
    await running;
  });
});
