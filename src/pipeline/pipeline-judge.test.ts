import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, started, stateAfter } from '../../test/support/record.js';
import type { StopCondition } from '../model/condition.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { liveInterrupt } from '../run/live-run.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { PipelineJudge } from './pipeline-judge.js';

const condition = fc.constantFrom<StopCondition>(
  { type: 'max_cost', usd: 1 },
  { type: 'max_tokens', count: 100 },
  { type: 'max_duration', duration: '3s' },
  { type: 'permission_denied', count: 2 },
  {
    type: 'any',
    conditions: [
      { type: 'max_cost', usd: 2 },
      { type: 'permission_denied', count: 3 },
    ],
  },
  { type: 'for', iterations: 2, condition: { type: 'max_cost', usd: 1 } },
  { type: 'circuit_breaker', attempts: 2 },
  { type: 'user_signal' },
  { type: 'on_error' },
);

const draft = fc.oneof(
  fc.record({ costUsd: fc.option(fc.constantFrom(0.4, 1.5), { nil: undefined }), index: fc.nat({ max: 2 }) }).map(
    ({ costUsd, index }): Draft => ({
      type: 'usage-reported',
      index,
      scope: 'request',
      model: 'm',
      spend: { costUsd, inputTokens: 30, outputTokens: 30, totalTokens: 60 },
    }),
  ),
  fc.nat({ max: 2 }).map(
    (index): Draft => ({
      type: 'attempt-ended',
      item: `i${index}`,
      index,
      attempt: 1,
      outcome: 'retry',
      durationMs: 1,
    }),
  ),
  fc.constantFrom<Draft>(
    { type: 'tick' },
    { type: 'permission-denied', tool: 'rm' },
    { type: 'command-received', command: { type: 'stop' }, by: 'me' },
    { type: 'command-received', command: { type: 'stop', now: true }, by: 'me' },
    { type: 'error-seen', kind: 'auth', message: 'no', fingerprint: 'no' },
  ),
);

describe('what is judged while attempts work', () => {
  it('ends nothing at once that would not also end the run: without a verdict nothing has to be looked at', () => {
    fc.assert(
      fc.property(
        fc.record({ failure: fc.array(condition, { maxLength: 3 }), limits: fc.array(condition, { maxLength: 3 }) }),
        fc.array(draft, { maxLength: 8 }),
        (lists, drafts) => {
          const state = stateAfter(started(lists, { kind: 'pipeline', items: 3 }), ...drafts);
          const whyInLoop = liveInterrupt(state);
          if (whyInLoop !== undefined) expect(evaluateRun(state).stop).toBe(true);
          const why = judgeOf(state).judgeLive();
          expect(why === 'spend' ? 'limit' : why).toBe(whyInLoop === 'budget' ? 'limit' : whyInLoop);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('records every verdict only where one counts them', () => {
    const recordedWith = (limits: readonly StopCondition[]) => {
      const recorded: NewEvent[] = [];
      judgeOf(stateAfter(started({ limits }, { kind: 'pipeline', items: 3 })), recorded).judge();
      return recorded.map(({ type }) => type);
    };
    const limit: StopCondition = { type: 'max_cost', usd: 1 };
    expect(recordedWith([limit])).toEqual([]);
    const counting: StopCondition = { type: 'not', condition: { type: 'for', iterations: 2, condition: limit } };
    expect(recordedWith([{ type: 'all', conditions: [limit, counting] }])).toEqual(['verdict-reached']);
  });
});

function judgeOf(state: RunState, recorded: NewEvent[] = []): PipelineJudge {
  return new PipelineJudge({ state: () => state, record: (event) => recorded.push(event), onHalt: () => undefined });
}
