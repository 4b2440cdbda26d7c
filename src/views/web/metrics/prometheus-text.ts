import { printable } from '../../../words/printable.js';
import { shortIds } from '../../../words/short-id.js';
import { type MetricFamily, RUN_FAMILIES, type Sample } from './metric-families.js';
import type { MetricsRow } from './metrics-row.js';

export type { MetricsRow } from './metrics-row.js';

/** Of the text format that this is written in. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A run that ended longer ago has no series of its own: each one costs the monitoring system memory. */
const SHOWN_AFTER_END_MS = 24 * 60 * 60 * 1000;
const MOST_RUNS = 500;
const MOST_LABEL_CHARACTERS = 200;
const MOST_DECIMALS = 9;

/** The figures of all runs in Prometheus' text format; live runs and those of the last day also one by one. */
export function prometheusText(rows: readonly MetricsRow[], now: number): string {
  const runs = distinct(rows);
  const recent = runs.filter((row) => isRecent(row, now)).toSorted(liveThenNewest);
  const shown = recent.slice(0, MOST_RUNS);
  const short = shortIds(shown.map(({ runId }) => runId));
  const named = shown.map((row) => ({ row, labels: labelsOf(row, short(row.runId)) }));
  const families = RUN_FAMILIES.map((family) =>
    familyText(
      family,
      named.flatMap(({ row, labels }) =>
        family.samples(row).map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
      ),
    ),
  );
  return [...totals(runs, recent.length - shown.length), ...families].join('');
}

/** A run that is known by two ways is one. */
function distinct(rows: readonly MetricsRow[]): readonly MetricsRow[] {
  const byId = new Map<string, MetricsRow>();
  for (const row of rows) {
    const id = row.runId.slice(row.runId.indexOf('_') + 1);
    if (!byId.has(id)) byId.set(id, row);
  }
  return [...byId.values()];
}

function isRecent({ isLive, atMs }: MetricsRow, now: number): boolean {
  return isLive || (atMs !== undefined && now - atMs <= SHOWN_AFTER_END_MS);
}

function liveThenNewest(a: MetricsRow, b: MetricsRow): number {
  return Number(b.isLive) - Number(a.isLive) || (b.atMs ?? 0) - (a.atMs ?? 0);
}

function labelsOf({ project, agent, kind }: MetricsRow, run: string): NonNullable<Sample['labels']> {
  return { run, project, agent, kind };
}

function totals(rows: readonly MetricsRow[], leftOut: number): readonly string[] {
  const statuses = new Map<string, number>();
  // Two that look the same are one series.
  for (const status of rows.map((row) => shown(row.status))) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const byStatus = [...statuses].map(([status, value]) => ({ labels: { status }, value }));
  const live = rows.filter(({ isLive }) => isLive).length;
  return [
    total('pawl_runs', 'All runs that are known, by status.', byStatus),
    total('pawl_runs_live', 'Runs that a process works on.', [{ value: live }]),
    total('pawl_runs_left_out', 'Live and recent runs beyond those that have series of their own.', [
      { value: leftOut },
    ]),
  ];
}

function total(name: string, help: string, samples: readonly Sample[]): string {
  return familyText({ name, type: 'gauge', help }, samples);
}

/** A metric of which nothing is known is left out. */
function familyText({ name, type, help }: Omit<MetricFamily, 'samples'>, samples: readonly Sample[]): string {
  const lines = samples.flatMap(({ labels, value }) =>
    value === undefined || !Number.isFinite(value) ? [] : [`${name}${labelText(labels)} ${rounded(value)}\n`],
  );
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Sums of cents have a tail of digits that mean nothing. */
function rounded(value: number): number {
  return Number(value.toFixed(MOST_DECIMALS));
}

/** A label without a value is the same as none. */
function labelText(labels: Sample['labels'] = {}): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}="${escaped(value)}"`],
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** A value as a label has it. */
function shown(value: string): string {
  const cut = printable(value).slice(0, MOST_LABEL_CHARACTERS);
  // A half of a character cannot be written in UTF-8.
  return Buffer.from(cut).toString();
}

function escaped(value: string): string {
  return shown(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
