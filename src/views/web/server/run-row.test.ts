import { expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter, used } from '../../../../test/support/record.js';
import { maxIterations } from '../../../stop/conditions.js';
import { createContext } from '../../cli/command-context.js';
import type { RunRow } from '../wire/api.js';
import { shownRun } from './run-row.js';

function rowAfter(...drafts: readonly Draft[]): RunRow {
  const source = { runId: 'loop_01K8T6Q2N5DEM0RVNR0MANNVMS', workingDir: '/w', isLive: true, isDamaged: false };
  return shownRun({ ...source, state: stateAfter(...drafts) }, createContext(process)).row;
}

it('a run that waits says for what', () => {
  expect(rowAfter(started(), { type: 'waiting-started', for: 'approval' }).why).toBe('waits for your approval');
  const limited: Draft = { type: 'waiting-started', for: 'usage-limit', until: new Date().toISOString() };
  expect(rowAfter(started(), limited).why).toMatch(/usage limit.* \d\d:\d\d$/);
  expect(rowAfter(started(), limited, { type: 'waiting-ended' }).why).toBeUndefined();
});

it('a pipeline at work says what it is closest to, which is mostly a failure', () => {
  const failure = [{ type: 'circuit_breaker', attempts: 10 } as const];
  const pipeline = rowAfter(started({ failure }, { kind: 'pipeline', items: 4 }));
  expect(pipeline.closest).toEqual({ progress: 0, sentence: expect.stringContaining('10') });
  const loop = rowAfter(
    started({ failure: [{ type: 'no_progress', iterations: 3 }], limits: [maxIterations(4)] }),
    begin(1),
    end(1),
  );
  expect(loop.closest).toEqual({ progress: 0.25, sentence: expect.stringContaining('of 4 iterations') });
});

it('a cost that is not known is told from one that is partly known, and from none', () => {
  expect(rowAfter(started())).toMatchObject({ costUsd: 0, leastCostUsd: undefined });
  const spent = used({ inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: 0.5 });
  expect(rowAfter(started(), begin(1), spent, end(1))).toMatchObject({ costUsd: 0.5, leastCostUsd: undefined });
  const unpriced = used({ inputTokens: 1, outputTokens: 1, totalTokens: 2 }, { model: 'other' });
  expect(rowAfter(started(), begin(1), spent, unpriced, end(1))).toMatchObject({
    costUsd: undefined,
    leastCostUsd: 0.5,
  });
  expect(rowAfter(started(), begin(1), end(1))).toMatchObject({ costUsd: undefined, leastCostUsd: undefined });
});
