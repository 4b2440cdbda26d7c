import { CLAIM_WORDS, type Claim } from '../../model/claim.js';
import { formatDuration } from '../../model/duration.js';
import type { FileChanges, Observation } from '../../model/observation.js';
import type { GreenSeen } from '../../model/phase.js';
import type { AgentEnding, EventOf } from '../../model/run-event.js';
import type { IterationSummary } from '../../model/run-state.js';
import type { Verdict } from '../../model/verdict.js';
import { count, list, plural, quote, usd } from '../../model/figures.js';
import { reviewWords } from '../../words/event-words.js';
import { clockText } from '../../words/clock-text.js';
import { greenRow } from './end-report.js';
import { outcomeText, failingTests, testsOutput, testsText, testWithError } from '../../words/iteration-text.js';
import { judgementLines } from './judgement-lines.js';
import { type LabelledRow, labelledRows } from './labelled-rows.js';
import type { TextContext } from './text-context.js';

const MOST_NAMES = 20;
const MOST_TEXT = 800;

const CAUSES: Readonly<Record<AgentEnding['cause'], string>> = {
  exit: 'it ended by itself',
  timeout: 'its time was up',
  idle: 'it was silent for too long',
  lingering: 'it was done and did not end',
  aborted: 'it was ended by Pawl',
  'not-started': 'it could not be started',
};

const LEADS_TO = {
  warn: 'a warning',
  block: 'the run is blocked',
  pause: 'the run pauses',
} as const;

/** Everything that the record has of one iteration. A later try of the same number takes its place. */
export interface ShownIteration {
  readonly started: EventOf<'iteration-started'>;
  readonly ended?: EventOf<'iteration-ended'> | undefined;
  readonly summary?: IterationSummary | undefined;
  readonly errors: readonly string[];
  readonly denied: readonly string[];
  /** What the agent said of its own work. */
  readonly claims: readonly Claim[];
  /** Those that failed. */
  readonly hooks: readonly EventOf<'hook-ran'>[];
  readonly reviews: readonly EventOf<'review-ended'>[];
  readonly verdict?: Verdict | undefined;
  /** What the facts give now, when that is something else. */
  readonly recomputed?: Verdict | undefined;
  readonly difference: readonly string[];
  /** When its tests were green, unless it ended so. */
  readonly green?: GreenSeen | undefined;
  /** What a command needs to find its run. */
  readonly wayTo?: { readonly runId: string; readonly place: string } | undefined;
  readonly prompt?: string | undefined;
}

/** Everything known of an iteration, for people. */
export function iterationDetails(shown: ShownIteration, context: TextContext): readonly string[] {
  const { terminal } = context;
  const { started, ended, summary, errors, denied, claims, hooks, reviews, verdict, difference, prompt } = shown;
  const observation = ended?.observation ?? {};
  const attempt = started.try > 1 ? `, try ${started.try}` : '';
  const outcome =
    ended === undefined ? 'has not ended' : `${outcomeText(ended)} in ${formatDuration(ended.durationMs)}`;
  const rows = labelledRows(
    [
      ['started', clockText(started.at, context.now())],
      ['prompt', prompt === undefined ? undefined : quote(prompt, MOST_TEXT)],
      ['process', ended === undefined ? undefined : endingText(observation, ended.ending)],
      ['summary', observation.summary === undefined ? undefined : quote(observation.summary, MOST_TEXT)],
      ['reported', ...claims.map(({ claim, evidence }) => `${CLAIM_WORDS[claim]}: ${quote(evidence, MOST_TEXT)}`)],
      ['spent', spentText(summary)],
      ['files', ...filesTexts(observation.files)],
      ['tests', ...testsTexts(observation)],
      ...greenRows(shown, context.now()),
      ['checks', ...Object.entries(observation.checks ?? {}).map(([name, check]) => `${name}: ${checkText(check)}`)],
      ['error', ended?.error, ...errors.filter((error) => error !== ended?.error)],
      ['denied', ...denied],
      ['hooks', ...hooks.flatMap(hookTexts)],
      ['review', ...reviews.map(reviewText)],
      ['unobserved', ...(observation.unobserved ?? [])],
    ],
    terminal,
  );
  return [
    terminal.style('bold', `iteration ${started.iteration}${attempt} ${outcome}`),
    ...rows,
    ...(verdict === undefined
      ? []
      : ['', terminal.style('bold', verdict.stop ? 'verdict: stop' : 'verdict: continue')]),
    ...(verdict?.judgements ?? []).flatMap((judgement) => judgementLines(judgement, terminal)),
    ...difference.map((line) => terminal.style('red', line)),
  ];
}

function greenRows({ started, green, wayTo }: ShownIteration, nowMs: number): readonly LabelledRow[] {
  if (green === undefined || wayTo === undefined) return [];
  return [greenRow({ ...green, iteration: started.iteration }, { ...wayTo, nowMs })];
}

function endingText({ exitCode, signal }: Observation, ending: AgentEnding | undefined): string | undefined {
  const { stragglers = 0, survivors = 0 } = ending ?? {};
  const parts = [
    ending === undefined ? undefined : CAUSES[ending.cause],
    exitCode === undefined ? undefined : `exit code ${exitCode}`,
    signal === undefined ? undefined : `by ${signal}`,
    ending?.spentOn === true ? 'because it kept spending after it was asked to end' : undefined,
    stragglers === 0 ? undefined : stragglersText(stragglers, ending?.cause),
    survivors === 0 ? undefined : `${processes(survivors)} that could not be ended`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function stragglersText(number: number, cause: AgentEnding['cause'] | undefined): string {
  const isLeft = cause === 'exit' || cause === 'lingering';
  return isLeft ? `${processes(number)} left behind and ended` : `${count(number)} more of its processes ended`;
}

function processes(number: number): string {
  return number === 1 ? '1 process' : `${count(number)} processes`;
}

function spentText(summary: IterationSummary | undefined): string | undefined {
  if (summary === undefined) return undefined;
  const { costUsd, totalTokens } = summary.spend;
  if (costUsd === undefined && totalTokens === undefined) return 'not reported';
  const cost = costUsd === undefined ? 'cost unknown' : usd(costUsd);
  const tokens = totalTokens === undefined ? 'tokens unknown' : plural(totalTokens, 'token');
  return `${cost}, ${tokens}${summary.estimated ? ' (estimated)' : ''}`;
}

function filesTexts(files: FileChanges | undefined): readonly string[] {
  if (files === undefined) return [];
  if (files.changedFiles === 0) return ['no file changed'];
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what} ${list(names, MOST_NAMES)}`];
  return [
    `${plural(files.changedFiles, 'file')}, ${plural(files.changedLines, 'line')} changed`,
    ...named('created', files.created),
    ...named('modified', files.modified),
    ...named('deleted', files.deleted),
    ...named('could not read', files.incomplete ?? []),
  ];
}

function testsTexts(observation: Observation): readonly string[] {
  const { tests } = observation;
  if (tests === undefined) return [];
  const failing = failingTests(observation);
  const more = failing.length - MOST_NAMES;
  return [
    testsText(tests),
    ...failing.slice(0, MOST_NAMES).map((test) => `failing: ${testWithError(test)}`),
    ...(more > 0 ? [`and ${count(more)} more`] : []),
    ...testsOutput(tests),
  ];
}

/** Its last line is in the message; what it said before that is reported, too. */
function hookTexts({ failure, output = '' }: EventOf<'hook-ran'>): readonly string[] {
  if (failure === undefined) return [];
  const isMore = output.includes('\n');
  return [`${failure.message} (${LEADS_TO[failure.leadsTo]})`, ...(isMore ? [quote(output, MOST_TEXT)] : [])];
}

function checkText({ passed, exitCode }: NonNullable<Observation['checks']>[string]): string {
  const how = passed === undefined ? 'unknown' : passed ? 'passed' : 'failed';
  return exitCode === undefined ? how : `${how}, exit code ${exitCode}`;
}

function reviewText(event: EventOf<'review-ended'>): string {
  const { label, text = '' } = reviewWords(event);
  return text === '' ? label : `${label}: ${text}`;
}
