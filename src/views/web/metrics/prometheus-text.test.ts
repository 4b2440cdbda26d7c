import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { describe, expect, it } from 'vitest';
import { readMetrics } from '../../../../test/support/metrics-text.js';
import { baseline, iteration, started, stateAfter, tests } from '../../../../test/support/record.js';
import { recordedRun } from '../../../../test/support/recorded-run.js';
import { reduceAll } from '../../../model/reduce.js';
import type { RunState } from '../../../model/run-state.js';
import { maxCost, maxIterations } from '../../../stop/conditions.js';
import { RUN_FAMILIES } from './metric-families.js';
import { metricsRow } from './metrics-row.js';
import { type MetricsRow, prometheusText } from './prometheus-text.js';

const NOW = Date.UTC(2026, 2, 1, 12);
const DAY_MS = 86_400_000;

function rowOf(state: RunState, more: Partial<MetricsRow> = {}): MetricsRow {
  const place = { runId: 'loop_01K8T6Q2N5DEM0RVNR0MANNVMS', project: '~/work', status: 'completed', isLive: false };
  return { ...metricsRow(place, state), atMs: NOW, ...more };
}

/** By name and by the one label that is asked for. */
function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const samples = readMetrics(text).find((family) => family.name === name)?.samples ?? [];
  return samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))?.value;
}

describe('the figures of a run', () => {
  const text = prometheusText([rowOf(reduceAll(recordedRun()))], NOW);

  it.each([
    ['pawl_run_iterations_total', { outcome: 'completed' }, 5],
    ['pawl_run_iterations_total', { outcome: 'timed-out' }, 1],
    ['pawl_run_tests', { result: 'passed' }, 8],
    ['pawl_run_condition_progress_ratio', { condition: 'max_iterations', class: 'limit' }, 0.75],
    ['pawl_run_live', {}, 0],
    ['pawl_runs', { status: 'completed' }, 1],
  ])('%s %j is %d', (name, labels, value) => {
    expect(valueOf(text, name, labels)).toBe(value);
  });

  it('have the labels that name the run', () => {
    const [sample] = readMetrics(text).find(({ name }) => name === 'pawl_run_cost_usd_total')?.samples ?? [];
    expect(sample?.labels).toEqual({ run: '01K8T6Q2N5', project: '~/work', agent: 'claude', kind: 'loop' });
  });

  it('have no digits that come from adding alone', () => {
    const costs = Array.from({ length: 41 }, () => 0.09);
    const sum = costs.reduce((total, cost) => total + cost, 0);
    expect(String(sum).length).toBeGreaterThan(10);
    const shown = prometheusText([rowOf(stateAfter(started()), { costUsd: sum })], NOW);
    expect(shown).toMatch(/^pawl_run_cost_usd_total\{.*\} 3\.69$/m);
  });

  it('are in seconds where they are times', () => {
    expect(valueOf(text, 'pawl_run_active_seconds_total')).toBeCloseTo(reduceAll(recordedRun()).activeMs / 1000);
  });
});

describe('what is not known', () => {
  it('is left out, and is not 0 or NaN', () => {
    const text = prometheusText([rowOf(stateAfter(started()))], NOW);
    const names = readMetrics(text).map(({ name }) => name);
    for (const name of ['pawl_run_context_ratio', 'pawl_run_tests', 'pawl_run_items', 'pawl_run_waiting']) {
      expect(names).not.toContain(name);
    }
    expect(text).not.toMatch(/NaN|undefined|Inf/);
  });

  it('a cost of which a part is unknown is told as far as it is known, and said to be incomplete', () => {
    const untold = [
      ...iteration(1),
      { type: 'iteration-started', iteration: 2, try: 1 } as const,
      { type: 'iteration-status', status: 'executing' } as const,
    ];
    const text = prometheusText([rowOf(stateAfter(started(), ...untold))], NOW);
    expect(valueOf(text, 'pawl_run_cost_usd_total')).toBeCloseTo(0.1);
    expect(valueOf(text, 'pawl_run_cost_complete')).toBe(0);
  });

  it('a cost without any price is not 0', () => {
    const use = { type: 'usage-reported', scope: 'request', id: 'r', spend: { inputTokens: 5 } } as const;
    const text = prometheusText([rowOf(stateAfter(started(), use))], NOW);
    expect(valueOf(text, 'pawl_run_cost_usd_total')).toBeUndefined();
  });
});

describe('which runs have series of their own', () => {
  const state = stateAfter(started());
  const named = (number: number, more: Partial<MetricsRow>) =>
    rowOf(state, { runId: `loop_${String(number).padStart(26, '0')}`, ...more });

  it('a run that ended more than a day ago only counts in the totals', () => {
    const rows = [named(1, { atMs: NOW - DAY_MS - 1 }), named(2, { atMs: NOW - DAY_MS })];
    const text = prometheusText(rows, NOW);
    expect(readMetrics(text).find(({ name }) => name === 'pawl_run_info')?.samples).toHaveLength(1);
    expect(valueOf(text, 'pawl_runs', { status: 'completed' })).toBe(2);
  });

  it('a live run that has been silent for days is shown', () => {
    const text = prometheusText([named(1, { atMs: NOW - 9 * DAY_MS, isLive: true, status: 'waiting' })], NOW);
    expect(valueOf(text, 'pawl_run_live')).toBe(1);
  });

  it('a thousand runs do not make a thousand series, live ones come first, and what is left out is told', () => {
    const rows = Array.from({ length: 1000 }, (_, index) => named(index, { isLive: index >= 900 }));
    const text = prometheusText(rows, NOW);
    const live = readMetrics(text).find(({ name }) => name === 'pawl_run_live')?.samples ?? [];
    expect(live).toHaveLength(500);
    expect(live.filter(({ value }) => value === 1)).toHaveLength(100);
    expect(valueOf(text, 'pawl_runs_left_out')).toBe(500);
    expect(valueOf(text, 'pawl_runs_live')).toBe(100);
  });

  it('a run that is found twice, or ids that begin alike, make no series twice', () => {
    const alike = ['loop_01K8T6Q2N5AAAAAAAAAAAAAAAA', 'pipe_01K8T6Q2N5BBBBBBBBBBBBBBBB'];
    const rows = [...alike, ...alike].map((runId) => rowOf(state, { runId }));
    const info = readMetrics(prometheusText(rows, NOW)).find(({ name }) => name === 'pawl_run_info');
    expect(info?.samples.map(({ labels }) => labels['run'])).toEqual(['01K8T6Q2N5A', '01K8T6Q2N5B']);
  });
});

describe('the format', () => {
  it('a counter ends in _total and nothing else does', () => {
    for (const { name, type } of RUN_FAMILIES) expect(name.endsWith('_total')).toBe(type === 'counter');
  });

  it('no runs are a text that can be read', () => {
    expect(valueOf(prometheusText([], NOW), 'pawl_runs_live')).toBe(0);
  });

  it('holds for every project, agent and figure there may be', () => {
    const state = stateAfter(started({ limits: [maxCost(5), maxIterations(9)] }), baseline({ tests: tests(3, 1) }));
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('"', '\\', '\n', '\\n"', '\ud800', '{a="b"} 1'),
    );
    const figure = fc.oneof(fc.double(), fc.constantFrom(undefined, NaN, Infinity, -Infinity));
    const rows = fc.array(
      fc.record({ project: text, agent: text, status: text, model: text, costUsd: figure, contextRatio: figure }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(rows, (many) => {
        const made = many.map((more, index) => rowOf(state, { ...more, runId: `loop_${index}${'0'.repeat(25)}` }));
        const families = readMetrics(prometheusText(made, NOW));
        expect(families.find(({ name }) => name === 'pawl_run_info')?.samples.length ?? 0).toBe(many.length);
      }),
    );
  });

  it('gives back what stands in a label', () => {
    const project = 'a "quoted" \\ folder\nwith two lines';
    const text = prometheusText([rowOf(stateAfter(started()), { project })], NOW);
    expect(readMetrics(text).find(({ name }) => name === 'pawl_run_live')?.samples[0]?.labels['project']).toBe(project);
  });
});
