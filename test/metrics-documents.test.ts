/** The guide, the dashboard and the output name the same metrics. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { reduceAll } from '../src/model/reduce.js';
import { RUN_FAMILIES } from '../src/views/web/metrics/metric-families.js';
import { metricsRow } from '../src/views/web/metrics/metrics-row.js';
import { prometheusText } from '../src/views/web/metrics/prometheus-text.js';
import { readMetrics } from './support/metrics-text.js';
import { recordedRun } from './support/recorded-run.js';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const METRIC = /\bpawl_runs?(?:_[a-z]+)*\b/g;
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const namedIn = (text: string) => [...new Set([...text.matchAll(METRIC)].map(([name]) => name))].toSorted();

const place = { runId: 'loop_01K8T6Q2N5DEM0RVNR0MANNVMS', project: '~/x', status: 'waiting', isLive: true };
const counts = { approved: 1, rejected: 1, failed: 1, left: 1, attempts: 4, consecutiveFails: 0 };
const row = {
  ...metricsRow(place, reduceAll(recordedRun())),
  contextRatio: 0.5,
  waitingFor: 'approval',
  items: { ...counts, retryRatio: 0, rejectRatio: 0 },
};
/** Of a run of which everything is known. */
const families = readMetrics(prometheusText([row], 0));
const metrics = families.map(({ name }) => name).toSorted();
const labels = new Set(families.flatMap(({ samples }) => samples.flatMap((sample) => Object.keys(sample.labels))));

const guide = read('docs/guide/metrics.md');
const dashboard = JSON.parse(read('examples/grafana/pawl-dashboard.json')) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => panel.targets);

it('everything there is has been put out', () => {
  expect(RUN_FAMILIES.map(({ name }) => name).filter((name) => !metrics.includes(name))).toEqual([]);
});

it('the guide names every metric, with its type and its labels, and no other', () => {
  expect(namedIn(guide)).toEqual(metrics);
  const own = new Set(['run', 'project', 'agent', 'kind']);
  for (const { name, type, samples } of families) {
    const line = guide.split('\n').find((one) => one.startsWith(`| \`${name}\` | ${type} |`)) ?? '';
    const more = samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => !own.has(label));
    expect({ name, missing: more.filter((label) => !line.includes(`\`${label}\``)) }).toEqual({ name, missing: [] });
    expect(line).not.toBe('');
  }
});

it('the dashboard names only metrics and labels that there are', () => {
  const named = namedIn(JSON.stringify(dashboard));
  expect(named.filter((name) => !metrics.includes(name))).toEqual([]);
  const used = targets.flatMap(({ expr, legendFormat }) => [
    ...[...expr.matchAll(/(\w+)(?:=~?)"/g)].map(([, label]) => label),
    ...[...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, ?/)),
    ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label),
  ]);
  expect([...new Set(used)].filter((label) => !labels.has(label ?? ''))).toEqual([]);
});

it('the dashboard has its variables, and panels that do not lie on each other', () => {
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'project', 'agent', 'run']);
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const squares = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(squares).size).toBe(squares.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});

it('a counter is not shown as it is where a rate is meant, and a gauge has no rate', () => {
  const counters = families.filter(({ type }) => type === 'counter').map(({ name }) => name);
  for (const { expr } of targets) {
    for (const [, name = ''] of expr.matchAll(/\b(?:rate|increase)\((\w+)/g)) expect(counters).toContain(name);
  }
});

it('the scrape config and the alerts of the guide can be read', () => {
  const scrape = parse(read('examples/grafana/prometheus.yml')) as { scrape_configs: readonly object[] };
  expect(scrape.scrape_configs).toMatchObject([{ metrics_path: '/metrics', authorization: { type: 'Bearer' } }]);
  const [, alerts = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  const { groups } = parse(alerts) as { groups: readonly { rules: readonly { expr: string }[] }[] };
  expect(groups[0]?.rules.length).toBeGreaterThan(2);
});
