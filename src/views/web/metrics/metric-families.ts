import type { MetricsRow } from './metrics-row.js';

export interface Sample {
  readonly labels?: Readonly<Record<string, string | undefined>> | undefined;
  /** Not known: the sample is left out. */
  readonly value: number | undefined;
}

/** One metric of a run. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: (row: MetricsRow) => readonly Sample[];
}

/** What is told of each run that is shown, in base units. Every sample also has the labels that name its run. */
export const RUN_FAMILIES: readonly MetricFamily[] = [
  gauge('pawl_run_info', 'Always 1; its labels say what the run is.', ({ model, status }) => [
    { labels: { model, status }, value: 1 },
  ]),
  gauge('pawl_run_live', '1 while a process works on the run, otherwise 0.', (row) => one(Number(row.isLive))),
  gauge('pawl_run_started_timestamp_seconds', 'When the run began, in Unix time.', (row) =>
    one(seconds(row.startedAtMs)),
  ),
  gauge('pawl_run_last_event_timestamp_seconds', 'When something was last recorded, in Unix time.', (row) =>
    one(seconds(row.atMs)),
  ),
  counter('pawl_run_iterations_total', 'Iterations that have ended, by outcome.', ({ iterations }) =>
    by('outcome', iterations),
  ),
  counter('pawl_run_cost_usd_total', 'US dollars spent, as far as the agent reported them.', (row) => one(row.costUsd)),
  gauge('pawl_run_cost_complete', '1 when the whole cost is known, 0 when part of it is not.', (row) =>
    one(Number(row.isCostWhole)),
  ),
  counter(
    'pawl_run_tokens_total',
    'Tokens used. The cache types are parts of input, reasoning is a part of output.',
    ({ tokens }) =>
      by('type', {
        input: tokens.inputTokens,
        output: tokens.outputTokens,
        cache_read: tokens.cacheReadTokens,
        cache_write: tokens.cacheWriteTokens,
        reasoning: tokens.reasoningTokens,
      }),
  ),
  counter('pawl_run_active_seconds_total', 'Active time: no pauses, no waiting, no downtime.', (row) =>
    one(seconds(row.activeMs)),
  ),
  gauge('pawl_run_context_ratio', 'Share of the context window that is used, from 0 to 1.', (row) =>
    one(row.contextRatio),
  ),
  gauge('pawl_run_tests', 'Tests by result, as they were last seen.', ({ tests }) =>
    by('result', { passed: tests?.passed, failed: tests?.failed, skipped: tests?.skipped }),
  ),
  gauge('pawl_run_streak', 'How often in a row something has happened.', ({ streaks, items }) =>
    by('streak', {
      test_failures: streaks.testFailures,
      no_progress: streaks.withoutProgress,
      failures: streaks.failures,
      same_error: streaks.sameError,
      denials: streaks.denials,
      oscillations: streaks.oscillations,
      item_fails: items?.consecutiveFails,
    }),
  ),
  gauge('pawl_run_condition_progress_ratio', 'How close each stop condition is, from 0 to 1.', ({ conditions }) =>
    conditions.map(({ path, type, class: stopClass, progress }) => ({
      labels: { class: stopClass, condition: type, path },
      value: progress,
    })),
  ),
  counter('pawl_run_reboots_total', 'Sessions that were replaced by a new one.', (row) => one(row.reboots)),
  gauge('pawl_run_waiting', '1 while the run waits, with what it waits for.', ({ waitingFor }) =>
    waitingFor === undefined ? [] : [{ labels: { for: waitingFor }, value: 1 }],
  ),
  gauge('pawl_run_items', 'Items of a pipeline by status.', ({ items }) =>
    by('status', { approved: items?.approved, rejected: items?.rejected, failed: items?.failed, left: items?.left }),
  ),
  counter('pawl_run_attempts_total', 'Attempts at the items of a pipeline.', ({ items }) => one(items?.attempts)),
  gauge('pawl_run_retry_ratio', 'Share of the final items that took more than one attempt.', ({ items }) =>
    one(items?.retryRatio),
  ),
  gauge('pawl_run_reject_ratio', 'Share of the final items that were not approved.', ({ items }) =>
    one(items?.rejectRatio),
  ),
];

function gauge(name: string, help: string, samples: MetricFamily['samples']): MetricFamily {
  return { name, type: 'gauge', help, samples };
}

function counter(name: string, help: string, samples: MetricFamily['samples']): MetricFamily {
  return { name, type: 'counter', help, samples };
}

function one(value: number | undefined): readonly Sample[] {
  return [{ value }];
}

function by(label: string, values: Readonly<Record<string, number | undefined>>): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
