import { describe, expect, it } from 'vitest';
import { type Draft, started, stateAfter } from '../../test/support/record.js';
import type { RunState } from '../model/run-state.js';
import { haltLine } from '../views/cli/run/pipeline-run.js';
import { pipelineSteps } from './pipeline-steps.js';

const RUN = 'pipe_01K9ZZZZZZ0000000000000000';
const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

function halted(items: number, ...ended: readonly (readonly [string, 'approved' | 'rejected' | 'failed'])[]): RunState {
  const drafts = ended.flatMap(([item, status], index): Draft[] => [
    { type: 'item-started', item, index },
    { type: 'item-ended', item, index, status, attempts: 1 },
  ]);
  const condition = { type: 'reject_rate', max: 0.3 } as const;
  const reasons = [{ path: 'stop.failure[0]', class: 'failure', condition, message: 'too many' } as const];
  return stateAfter(started({ failure: [condition] }, { kind: 'pipeline', items }), ...drafts, {
    type: 'run-ended',
    state: 'stopped',
    class: 'failure',
    reasons,
  });
}

const hintOf = (state: RunState): unknown =>
  (JSON.parse(haltLine({ runId: RUN, state }, NOW_MS) ?? '{}') as { hint?: string }).hint;

describe('what comes after a pipeline was halted', () => {
  it('names no command that is refused when every item is final', () => {
    const state = halted(2, ['a', 'approved'], ['it is', 'rejected']);
    expect(pipelineSteps(RUN, state, NOW_MS)).toEqual([
      `pawl pipeline run --resume 01K9ZZZZZZ --redo 'it is'`,
      'pawl show 01K9ZZZZZZ',
    ]);
    expect(hintOf(state)).toBe(`pawl pipeline run --resume ${RUN} --redo 'it is'`);
  });

  it('is to go on, or to make those again as well that were not approved, the first five by name', () => {
    const bad = ['1', '2', '3', '-4', '5', '6', '7'].map((id) => [id, 'failed'] as const);
    const state = halted(9, ...bad);
    expect(pipelineSteps(RUN, state, NOW_MS, ' --cwd x').slice(0, 2)).toEqual([
      'pawl pipeline run --resume 01K9ZZZZZZ --cwd x',
      'pawl pipeline run --resume 01K9ZZZZZZ --redo 1 2 3 5 6 --cwd x',
    ]);
    expect(hintOf(state)).toBe(`pawl pipeline run --resume ${RUN}`);
  });
});
