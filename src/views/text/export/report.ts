import { CLAIM_WORDS } from '../../../model/claim.js';
import { formatDuration } from '../../../model/duration.js';
import { policyEntries } from '../../../model/policy.js';
import type { EventOf, RunEvent } from '../../../model/run-event.js';
import { describe } from '../../../stop/judge.js';
import { count, plural, usd } from '../../../model/figures.js';
import type { ReportSummary } from './make-export.js';
import { eventWords, reviewWords, toolInput } from '../../../words/event-words.js';
import { shortId } from '../../../words/short-id.js';
import type { ExportedItem, ExportedIteration, ExportedTests, RunExport } from './run-export.js';

/** A text in a report. What is `foreign` may hold the words of others. */
export type ReportText = string | { readonly foreign: string };

export interface ReportTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ReportText[])[];
  /** What is left out of the middle, in words, and after how many rows. */
  readonly leftOut?: { readonly after: number; readonly words: string } | undefined;
}

/** A run for people who were not there, before it is written in one form or another. */
export interface Report {
  readonly title: string;
  readonly outcome: string;
  /** What happened and why, then what the agent said and did. */
  readonly sentences: readonly ReportText[];
  readonly warnings: readonly ReportText[];
  readonly facts: readonly (readonly [string, ...ReportText[]])[];
  readonly conditions: ReportTable;
  readonly work: ReportTable & { readonly title: string };
  /** What the reviews said, and what each cost. */
  readonly reviews: ReportTable;
  readonly output?: { readonly entries: readonly ReportText[]; readonly omitted: number } | undefined;
  readonly footer: readonly ReportText[];
}

const FIRST_ROWS = 10;

export function reportOf(exported: RunExport, summary: ReportSummary, mostRows: number): Report {
  const { run, outcome, conditions, items, iterations, omitted } = exported;
  const others = outcome.reasons.slice(1);
  const words = new Map(
    policyEntries(run.policy).map(({ path, condition }) => [
      path,
      describe(condition, run.kind === 'pipeline' ? 'attempt' : 'iteration'),
    ]),
  );
  return {
    title: `${run.kind === 'pipeline' ? 'Pipeline' : 'Run'} ${shortId(run.id)}`,
    outcome: summary.outcome.word,
    sentences: [summary.sentence, ...summary.notes].map(foreign),
    warnings: warningsOf(exported),
    facts: [...others.map(({ message }) => ['Also', foreign(message)] as const), ...factsOf(exported, summary)],
    conditions: {
      columns: ['Class', 'Stops', 'State', 'How far'],
      rows: conditions.map(({ path, class: stopClass, status, sentence, progress }) => [
        stopClass,
        foreign(words.get(path) ?? path),
        status === 'not-met' ? 'not met' : status,
        foreign(`${sentence}${progress === undefined ? '' : ` (${Math.floor(progress * 100)}%)`}`),
      ]),
    },
    work:
      items === undefined
        ? { title: 'Iterations', ...iterationTable(iterations, mostRows) }
        : { title: 'Items', ...itemTable(items, mostRows) },
    reviews: reviewTable(exported, mostRows),
    output:
      exported.output === undefined
        ? undefined
        : { entries: exported.output.flatMap(entryOf), omitted: omitted.output },
    footer: [`Exported by Pawl ${exported.pawl} at ${exported.exportedAt} from`, foreign(run.id)],
  };
}

function foreign(text: string): ReportText {
  return { foreign: text };
}

function warningsOf({ outcome, exportedAt }: RunExport): readonly ReportText[] {
  return [
    ...(outcome.isLive ? [`The run continues: this is how it was at ${exportedAt}.`] : []),
    ...(outcome.isDamaged ? ['Not all of the record could be read:'] : []),
    ...(outcome.problem === undefined ? [] : [foreign(outcome.problem)]),
  ];
}

function factsOf(
  { run, outcome, figures }: RunExport,
  { name, outcome: { word } }: ReportSummary,
): readonly (readonly [string, ...ReportText[]])[] {
  const { class: stopClass, exitCode } = outcome;
  const agent = [run.agent, run.model].filter((text) => text !== undefined).join(' ');
  const { items, tests } = figures;
  const facts: readonly (readonly [string, ReportText | undefined])[] = [
    ['Outcome', stopClass === undefined ? undefined : `${word} (exit code ${exitCode ?? 'unknown'})`],
    ['Task', foreign(name)],
    ['Project', foreign(run.project)],
    ['Branch', run.branch === undefined ? undefined : foreign(run.branch)],
    ['Agent', agent === '' ? undefined : foreign(agent)],
    ['Began', run.startedAt],
    ['Ended', run.endedAt],
    [
      'Items',
      items && `${count(items.total)}: ${items.approved} approved, ${items.rejected} rejected, ${items.failed} failed`,
    ],
    ['Attempts', items && count(items.attempts)],
    ['Iterations', items === undefined ? count(figures.iterations) : undefined],
    ['Active time', formatDuration(figures.activeMs)],
    ['Cost', costText(figures)],
    ['Tokens', figures.tokens.total === undefined ? undefined : count(figures.tokens.total)],
    ['Tests before', testsText(tests.before)],
    ['Tests after', testsText(tests.after)],
  ];
  return facts.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const]));
}

function costText({ costUsd, knownCostUsd, isEstimated, isNotional }: RunExport['figures']): string {
  const amount =
    costUsd === undefined ? (knownCostUsd > 0 ? `at least ${usd(knownCostUsd)}` : 'unknown') : usd(costUsd);
  const doubts = [isEstimated ? 'partly estimated' : '', isNotional ? 'a subscription pays' : ''];
  const told = doubts.filter((doubt) => doubt !== '').join(', ');
  return told === '' ? amount : `${amount} (${told})`;
}

function testsText(tests: ExportedTests | undefined): string | undefined {
  if (tests === undefined) return undefined;
  const { passed, failed, exitCode, source } = tests;
  const counted = passed === undefined || failed === undefined ? undefined : `${passed} passed, ${failed} failed`;
  const text = counted ?? (exitCode === undefined ? 'not counted' : `exit code ${exitCode}`);
  return source === 'agent' ? `${text}, says the agent` : text;
}

function iterationTable(iterations: readonly ExportedIteration[], most: number): ReportTable {
  const { shown, leftOut } = ends(iterations, most, 'iteration');
  return {
    columns: ['No.', 'Outcome', 'Time', 'Cost', 'Tests', 'Files', 'Words'],
    leftOut,
    rows: shown.map((row) => [
      row.try > 1 ? `${row.iteration} (try ${row.try})` : String(row.iteration),
      [
        ...(row.interruption === undefined ? [row.outcome] : [`${row.outcome} (${row.interruption})`]),
        ...row.claims.map((claim) => `reported ${claim}`),
      ].join(', '),
      formatDuration(row.durationMs),
      row.costUsd === undefined ? '' : `${usd(row.costUsd)}${row.isEstimated ? ' estimated' : ''}`,
      row.testsPassed === undefined ? '' : `${row.testsPassed} passed, ${row.testsFailed ?? 'some'} failed`,
      row.changedFiles === undefined ? '' : count(row.changedFiles),
      foreign(row.error ?? row.summary ?? ''),
    ]),
  };
}

function itemTable(items: readonly ExportedItem[], most: number): ReportTable {
  const { shown, leftOut } = ends(items, most, 'item');
  return {
    columns: ['Item', 'Status', 'Attempts', 'Time', 'Reasons', 'Words'],
    leftOut,
    rows: shown.map((row) => [
      foreign(row.item),
      row.status.replace('_', ' '),
      count(row.attempts.length),
      formatDuration(row.durationMs),
      foreign(row.attempts.at(-1)?.reasons?.join(', ') ?? ''),
      foreign(row.message ?? ''),
    ]),
  };
}

function reviewTable({ marks, items = [] }: RunExport, most: number): ReportTable {
  const ended = marks.filter(({ type }) => type === 'review-ended') as unknown as readonly EventOf<'review-ended'>[];
  const { shown, leftOut } = ends(ended, most, 'review', 'json');
  return {
    columns: ['After', 'Answer', 'Cost', 'Words'],
    leftOut,
    rows: shown.map(({ index, iteration, opinion, problem, costUsd }) => {
      const item = items.find((one) => one.index === index)?.item;
      const { label, text = '' } = reviewWords({ opinion, problem });
      return [
        item === undefined ? String(iteration) : foreign(item),
        label,
        costUsd === undefined ? '' : usd(costUsd),
        foreign(text),
      ];
    }),
  };
}

/** The first few and the last of many. */
function ends<T>(
  rows: readonly T[],
  most: number,
  noun: string,
  format: 'csv' | 'json' = 'csv',
): { shown: readonly T[]; leftOut?: ReportTable['leftOut'] } {
  if (rows.length <= most) return { shown: rows };
  const first = Math.min(FIRST_ROWS, most);
  const shown = [...rows.slice(0, first), ...rows.slice(rows.length - (most - first))];
  const words = `${plural(rows.length - shown.length, noun)} left out; pawl export --format ${format} has all of them`;
  return { shown, leftOut: { after: first, words } };
}

function entryOf(event: RunEvent): readonly ReportText[] {
  switch (event.type) {
    case 'iteration-started':
      return [`Iteration ${event.iteration}${event.try > 1 ? `, try ${event.try}` : ''}`];
    case 'attempt-started':
      return [`Attempt ${event.attempt} at`, foreign(event.item)];
    case 'agent-said':
      return [foreign(event.text ?? '')];
    case 'tool-called':
      return [foreign(`${event.name} ${event.input ?? ''}`.trim())];
    case 'tool-answered':
      return event.output === undefined ? [] : [foreign(event.output)];
    case 'error-seen':
    case 'limit-hit':
      return [foreign(event.message ?? event.kind)];
    case 'claim-made':
      return [foreign(`says ${CLAIM_WORDS[event.claim]}: ${event.evidence ?? ''}`)];
    case 'permission-denied':
      return [foreign(`${event.tool} was denied${event.detail === undefined ? '' : `: ${toolInput(event.detail)}`}`)];
    case 'agent-finished':
      return [];
    default: {
      const { label, text } = eventWords(event);
      return [foreign(text === undefined ? label : `${label}: ${text}`)];
    }
  }
}
