/** A second opinion on the work of an agent in code, by a model. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APICallError } from 'ai';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../config/loop-config.js';
import type { EventOf } from '../model/run-event.js';
import { reviewSpend } from '../model/spend-lanes.js';
import { LoopRunner } from '../run/run-handle.js';
import { resumeRun } from '../run/resume-run.js';
import { maxIterations } from '../stop/conditions.js';
import { type ScriptedReply, scriptedAgent, scriptedModel } from '../testing/index.js';
import { createDeepFactorAgent, type DeepFactorAgentOptions, modelReviewer } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-agent-review-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DONE = { text: '{"answer": "done", "reasons": ["there is a frog"]}' };
const NOT_DONE = { text: '{"answer": "not_done", "reasons": ["there is no frog in it"]}' };
const refusal = (statusCode: number, message: string) => ({
  error: new APICallError({ message, url: 'http://model', requestBodyValues: {}, statusCode }),
});

interface Given extends Partial<Omit<DeepFactorAgentOptions, 'model' | 'reviewer'>> {
  readonly works?: readonly ScriptedReply[];
  readonly reviews: readonly ScriptedReply[];
}

async function play(
  { works = [{ text: 'A pond.' }, { text: 'A frog.' }], reviews, ...options }: Given,
  modelId = 'claude-sonnet-4-5',
) {
  const [model, reviewer] = [scriptedModel(works), scriptedModel(reviews, { modelId })];
  const agent = createDeepFactorAgent({
    stopWhen: maxIterations(4),
    ...options,
    model,
    reviewer,
  } as DeepFactorAgentOptions);
  const ended: EventOf<'review-ended'>[] = [];
  agent.subscribe((event) => {
    if (event.type === 'review-ended') ended.push(event);
    if (event.type === 'waiting-started') setImmediate(() => void agent.send({ type: 'resume' }));
  });
  const result = await agent.loop({ prompt: 'Write a haiku about a frog.' });
  const outcomes = ended.map(({ problem, opinion }) => problem?.kind ?? opinion?.answer);
  return { result, outcomes, model, reviewer, ended };
}

const asked = (model: ReturnType<typeof scriptedModel>, index: number) => JSON.stringify(model.calls[index]?.prompt);

describe('a model that reviews an agent in code', () => {
  it('agrees or refuses what the model made; its reasons are in the next turn, and its cost is kept apart', async () => {
    const { result, outcomes, model, reviewer } = await play({ reviews: [NOT_DONE, DONE] });
    expect(outcomes).toEqual(['not_done', 'done']);
    expect(result).toMatchObject({ stopClass: 'goal', iterations: 2 });
    expect(result.stopReason).toContain('the review agrees: "there is a frog"');
    expect(asked(model, 1)).toContain('- there is no frog in it');
    expect(asked(reviewer, 0)).toContain('Write a haiku about a frog.');
    expect(asked(reviewer, 0)).toContain('A pond.');
    expect(asked(reviewer, 1)).toContain('A frog.');
    expect(reviewSpend(result.state.spend)?.totalTokens).toBe(220);
    expect(result.costUsd).toBeCloseTo(2 * (reviewSpend(result.state.spend)?.costUsd ?? 0));
  });

  it('is asked only when verifyCompletion says that it is done', async () => {
    const verifyCompletion = ({ text }: { readonly text: string }) => text.includes('frog');
    const { result, outcomes } = await play({ reviews: [DONE], verifyCompletion });
    expect(outcomes).toEqual(['done']);
    expect(result).toMatchObject({ stopClass: 'goal', iterations: 2 });
  });

  it('sees all of a long answer, and the answer of an agent in a folder that it did not change', async () => {
    const works = [{ text: `## Summary\nIn short.\n${'frog '.repeat(1000)}the last word` }];
    const { result, reviewer } = await play({ works, reviews: [DONE], workingDir: folder, journal: false });
    expect(result).toMatchObject({ stopClass: 'goal', iterations: 1 });
    expect(asked(reviewer, 0)).toContain('the last word');
  });

  it('at its usage limit it is waited for, and the model is not called meanwhile', async () => {
    const { result, outcomes, model } = await play({ reviews: [refusal(429, 'slow down'), DONE] });
    expect(outcomes).toEqual(['limit', 'done']);
    expect(result.stopClass).toBe('goal');
    expect(model.calls).toHaveLength(1);
  });

  it('a login that is refused needs you at once', async () => {
    const { result, outcomes, model } = await play({ reviews: [refusal(401, 'invalid x-api-key')] });
    expect(outcomes).toEqual(['auth']);
    expect(result).toMatchObject({ stopClass: 'blocked', iterations: 1 });
    expect(result.stopReason).toContain(
      'the review could not be made: the reviewer is not logged in: invalid x-api-key',
    );
    expect(model.calls).toHaveLength(1);
  });

  it('a model that hangs is given up after the timeout, and garbage is no answer', async () => {
    const hangs: ScriptedReply = () => new Promise(() => undefined);
    const { outcomes, ended, result } = await play({
      reviews: [hangs, { text: 'Fine.' }, DONE],
      review: { timeout: '50ms' },
    });
    expect(outcomes).toEqual(['silent', 'silent', 'done']);
    expect(ended[0]?.problem?.message).toBe('it did not answer within 50ms');
    expect(result.stopClass).toBe('goal');
    // The call that was given up is charged like the iteration.
    expect(result.costUsd).toBeCloseTo(4 * 0.00045);
  });

  it('a model without a price is asked once: the budget of reviews could not be kept', async () => {
    const { result, reviewer } = await play({ reviews: [NOT_DONE] }, 'a-model-without-a-price');
    expect(result).toMatchObject({ stopClass: 'blocked' });
    expect(result.stopReason).toContain('what reviews cost is not known: give the price of the model under `prices`');
    expect(reviewer.calls).toHaveLength(1);
  });

  it('may be an agent CLI or a program, as in a loop', async () => {
    const model = scriptedModel([{ text: 'x' }]);
    const missing = createDeepFactorAgent({ model, review: { command: './missing.sh' } });
    await expect(missing.loop({ prompt: 'x' })).rejects.toThrow(/missing\.sh cannot be run/);
    expect(() => createDeepFactorAgent({ model, review: { goal: 'x' } })).toThrow(/no reviewer is configured/);
    expect(() => createDeepFactorAgent({ model, reviewer: model, review: { agent: 'claude' } })).toThrow(
      /review: the reviewer is set in code: leave out `agent` and `command`/,
    );
    expect(() => createDeepFactorAgent({ model, reviewer: {} as never })).toThrow(/reviewer: must be a model/);
  });
});

describe('a model that reviews a loop', () => {
  const run = (reviews: readonly ScriptedReply[], more: object = {}) => {
    const workingDir = mkdtempSync(join(folder, 'loop-'));
    const agent = scriptedAgent([
      {
        work: () => writeFileSync(join(workingDir, 'code.txt'), `${Math.random()}`),
        events: [{ kind: 'text', text: 'PAWL: DONE' }],
      },
    ]);
    const reviewer = modelReviewer(scriptedModel(reviews));
    const config: LoopConfig = {
      workingDir,
      prompt: 'Go.',
      iterationDelay: 0,
      tests: 'echo "ok 1 - a"; echo 1..1',
      maxIterations: 3,
    };
    return { agent, workingDir, runner: new LoopRunner({ ...config, ...more }, { agent, reviewer }) };
  };

  it('agrees and refuses; a goal counts only with it', async () => {
    const { runner, agent } = run([NOT_DONE, DONE], { review: { goal: 'a frog' } });
    expect(await runner.run()).toMatchObject({ class: 'goal' });
    expect(agent.tasks[1]?.prompt).toContain('- there is no frog in it');
  });

  it('is not in the record: a resume needs it again', async () => {
    const { runner, agent, workingDir } = run([refusal(401, 'no')]);
    expect(await runner.run()).toMatchObject({ class: 'blocked' });
    const without = await resumeRun({ workingDir, run: runner.id, agent });
    expect((await without.run()).reasons[0]?.message).toContain('the reviewer is in the code that started the run');
    const reviewer = modelReviewer(scriptedModel([DONE]));
    const resumed = await resumeRun({ workingDir, run: runner.id, agent, reviewer });
    expect(await resumed.run()).toMatchObject({ class: 'goal' });
    expect(agent.tasks).toHaveLength(1);
  });
});
