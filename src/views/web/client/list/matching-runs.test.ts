import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../wire/api.js';
import { matchingRuns, statusesOf } from './matching-runs.js';

const run = (runId: string, rest: Partial<RunRow> = {}): RunRow => ({
  runId,
  status: 'completed',
  outcome: { word: 'done', tone: 'good' },
  isLive: false,
  project: '~/a',
  iterations: 1,
  activeMs: 1,
  ...rest,
});

const RUNS = [
  run('loop_1', { isLive: true, outcome: { word: 'running', tone: 'live' }, project: '~/Shop', agent: 'claude' }),
  run('loop_2', { why: 'all 8 tests pass', agent: 'codex' }),
  run('loop_3', { outcome: { word: 'gave up', tone: 'bad' }, agent: 'claude', branch: 'pawl/fix' }),
];

const found = (text: string, status = '') => matchingRuns(RUNS, { text, status }).map(({ runId }) => runId);

describe('the filter of the runs', () => {
  it('finds every word in any column, whatever its case', () => {
    expect(found('CLAUDE')).toEqual(['loop_1', 'loop_3']);
    expect(found('claude fix')).toEqual(['loop_3']);
    expect(found('8 tests')).toEqual(['loop_2']);
    expect(found('shop')).toEqual(['loop_1']);
    expect(found('nothing of that')).toEqual([]);
  });

  it('finds an id by its beginning or its end, and not by any part of it', () => {
    const runs = [run('loop_01M7FHF6FNAAAAAAAAAAAAAAXYZW'), run('pipe_01M7FHF6FPBBBBBBBBBBBBBBABCD')];
    const ids = (text: string) => matchingRuns(runs, { text, status: '' }).map(({ runId }) => runId.slice(0, 4));
    expect(ids('01m7fhf6fn')).toEqual(['loop']);
    expect(ids('pipe_01M7')).toEqual(['pipe']);
    expect(ids('abcd')).toEqual(['pipe']);
    expect(ids('hf6f')).toEqual([]);
  });

  it('takes those of a status, and those that are live', () => {
    expect(found('', 'live')).toEqual(['loop_1']);
    expect(found('claude', 'gave up')).toEqual(['loop_3']);
    expect(statusesOf(RUNS)).toEqual(['done', 'gave up', 'running']);
  });
});
