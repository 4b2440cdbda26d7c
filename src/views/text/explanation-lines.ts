import { resumedText, unitOf } from '../../app/past-summary.js';
import type { EarlierStop } from '../../replay/earlier-stops.js';
import type { ExplainedCondition, Explanation } from '../../replay/explain.js';
import { plural, type Unit } from '../../model/figures.js';
import { PROCESS_GONE, type RunSummary, stopSentence } from '../../stop/run-summary.js';
import { type Terminal, wrap } from './terminal.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { outcomeOf, shownClass, wordOf } from '../../model/outcome.js';
import type { RunState } from '../../model/run-state.js';
import { judgementLines } from './judgement-lines.js';
import { oneLine, printable } from '../../words/printable.js';
import { sentenceWhileOpen } from '../../words/spend-text.js';
import { summaryLines } from './end-report.js';

const MARKS = { met: '✓', 'not-met': '✗', unknown: '?' } as const;
/** Where what belongs to a condition stands, and each step into it. */
const INDENT = 15;
const STEP = 2;

export interface ExplainedRun {
  readonly explanation: Explanation;
  /** What happened at the moment that is explained. */
  readonly summary: RunSummary;
  /** It continues: what it takes still can come. */
  readonly isLive: boolean;
  /** It has no end, and no process runs it. */
  readonly isInterrupted?: boolean | undefined;
  /** The state now, unless an earlier moment is explained: an open iteration is not counted yet. */
  readonly state?: RunState | undefined;
}

/** Why a run stopped, or continues: first what decided, then everything else with how close it came. */
export function explanationLines(run: ExplainedRun, terminal: Terminal): readonly string[] {
  const { explanation } = run;
  const { conditions, stop } = explanation;
  const decided = conditions.filter(({ path }) => explanation.reasons.some((reason) => reason.path === path));
  const others = inOrder(conditions, explanation).filter((condition) => !decided.includes(condition));
  const shown = others.filter((condition) => !isAtZero(condition));
  return [
    ...headlines(run, terminal),
    ...section(stop ? 'why it stopped' : 'met', decided, run, terminal),
    ...whyLines(run, stop && decided.length === 0, terminal),
    ...section(stop ? othersTitle(shown) : openTitle(shown), shown, run, terminal),
    ...hiddenLines(others.length - shown.length, terminal),
  ];
}

/** A goal may be met and not count. */
function othersTitle(conditions: readonly ExplainedCondition[]): string {
  return `other conditions${conditions.some(({ status }) => status === 'met') ? '' : ' (not met)'}`;
}

function openTitle(conditions: readonly ExplainedCondition[]): string {
  const [first] = conditions;
  return `stop conditions (${first?.class === 'goal' ? 'goal first, then nearest' : 'nearest first'})`;
}

/** What no condition of the policy has decided: a rule of every run, an error, or a process that is gone. */
function whyLines(
  { explanation: { reasons, error }, isInterrupted = false }: ExplainedRun,
  isUndecided: boolean,
  terminal: Terminal,
): readonly string[] {
  if (!isUndecided && !isInterrupted) return [];
  const [reason] = reasons;
  const isRule = isUndecided && error === undefined && reason !== undefined;
  const why = isUndecided ? (error ?? '') : PROCESS_GONE;
  return [
    '',
    terminal.style('dim', 'why it stopped'),
    ...(isRule
      ? judgementLines({ ...reason, status: 'met', progress: 1, sentence: reason.message }, terminal)
      : hanging(printable(systemErrorWords(why)), 2, terminal)),
  ];
}

/** Nothing has happened towards it. A goal is always shown: it is what the run is for. */
function isAtZero({ status, class: stopClass, progress = 0, closest }: ExplainedCondition): boolean {
  return stopClass !== 'goal' && status === 'not-met' && progress === 0 && (closest?.progress ?? 0) === 0;
}

function hiddenLines(hidden: number, terminal: Terminal): readonly string[] {
  if (hidden === 0) return [];
  const which = hidden === 1 ? '1 condition at zero is' : `${hidden} conditions at zero are`;
  return ['', terminal.style('dim', `${which} hidden (--json shows all)`)];
}

/** While it continues, the goal and then the closest first; afterwards in the order of writing. */
function inOrder(
  conditions: readonly ExplainedCondition[],
  { stop, next }: Explanation,
): readonly ExplainedCondition[] {
  if (stop) return conditions;
  const place = ({ path, class: stopClass }: ExplainedCondition) => {
    if (stopClass === 'goal') return -1;
    return next.includes(path) ? next.indexOf(path) : next.length;
  };
  return conditions.toSorted((a, b) => place(a) - place(b));
}

function headlines({ explanation, summary }: ExplainedRun, terminal: Terminal): readonly string[] {
  const { reasons, earlier } = explanation;
  const also = reasons.slice(1).map((reason) => {
    return `also: ${oneLine(reason.message, 400)} (${wordOf(reason.class, reason.condition)})`;
  });
  return [
    ...summaryLines(summary, terminal),
    ...also.flatMap((text) => hanging(text, 2, terminal)),
    ...earlier.flatMap((stop) => hanging(printable(`before: ${earlierText(stop, explanation)}`), 2, terminal)),
  ];
}

function earlierText(stop: EarlierStop, explanation: Explanation): string {
  const { iteration, class: stopClass, error, reasons } = stop;
  const status = stopClass === undefined || error !== undefined ? 'error' : 'stopped';
  const unit = unitOf(explanation);
  const outcome = outcomeOf({ status, ended: { class: stopClass, reasons, error } });
  const why = oneLine(error ?? reasons[0]?.message ?? '', 200);
  return stopSentence(outcome, { done: iteration, unit, why, followedBy: resumedText(stop, 'resumed', unit) });
}

function section(
  title: string,
  conditions: readonly ExplainedCondition[],
  run: ExplainedRun,
  terminal: Terminal,
): readonly string[] {
  if (conditions.length === 0) return [];
  return [
    '',
    terminal.style('dim', title),
    ...conditions.flatMap((condition) => conditionLines(condition, run, terminal)),
  ];
}

function conditionLines(condition: ExplainedCondition, run: ExplainedRun, terminal: Terminal): readonly string[] {
  const { path, class: stopClass = 'limit', status, progress, children, description } = condition;
  const isComposite = children.length > 0;
  // The word before it is what happens then: `done`, `gives up`.
  const sentence = isComposite ? description : sentenceNow(condition, run);
  return [
    ...judgementLines(
      { path, class: shownClass(stopClass, condition.condition), status, progress, sentence },
      terminal,
    ),
    ...children.flatMap((child) => treeLines(child, 1, unitOf(run.explanation), terminal)),
    ...noteLines(condition, run, terminal),
  ];
}

function treeLines(condition: ExplainedCondition, depth: number, unit: Unit, terminal: Terminal): readonly string[] {
  const { status, children, sentence, progress } = condition;
  const isPart = status !== 'met' && progress !== undefined && progress > 0;
  const part = isPart ? ` (${Math.floor(progress * 100)}%)` : '';
  const text = `${children.length > 0 ? compositeWords(condition, unit) : sentence}${part}`;
  const indent = INDENT + (depth - 1) * STEP;
  return [
    ...hanging(`${MARKS[status]} ${printable(text)}`, indent, terminal),
    ...children.flatMap((child) => treeLines(child, depth + 1, unit, terminal)),
  ];
}

function compositeWords({ condition }: ExplainedCondition, unit: Unit): string {
  switch (condition.type) {
    case 'all':
      return 'all of these';
    case 'any':
      return 'one of these';
    case 'for':
      return `for ${plural(condition.iterations, unit)} in a row`;
    default:
      return condition.type;
  }
}

function sentenceNow({ condition, sentence, progress }: ExplainedCondition, { state, isInterrupted }: ExplainedRun) {
  return state === undefined || progress === undefined
    ? sentence
    : sentenceWhileOpen(condition, sentence, state, isInterrupted !== true);
}

/** By which rule it stopped the run, or how close it came before and what it would take. */
function noteLines(condition: ExplainedCondition, run: ExplainedRun, terminal: Terminal): readonly string[] {
  const { explanation } = run;
  return [ruleText(condition), closestText(condition, explanation), takesText(condition, run)]
    .filter((note) => note !== undefined)
    .flatMap((note) => hanging(printable(note), INDENT, terminal))
    .map((line) => terminal.style('dim', line));
}

/** As it is set, where its sentence has other figures, or none. Of a goal or a limit both say the same. */
function ruleText({ status, class: stopClass, description, children }: ExplainedCondition): string | undefined {
  const isStreak = status === 'met' && stopClass === 'failure' && children.length === 0;
  const isUnknown = status === 'unknown' && stopClass !== 'goal';
  return isStreak || isUnknown ? `rule: ${description}` : undefined;
}

function takesText(condition: ExplainedCondition, run: ExplainedRun): string | undefined {
  const { needed, expected, class: stopClass, status, children, progress } = condition;
  const { isLive, explanation } = run;
  const pace =
    expected === undefined || !isLive ? undefined : `at this pace in ${unitOf(explanation)} ${expected.iteration}`;
  if (needed === undefined || (status === 'unknown' && stopClass !== 'goal')) return undefined;
  // The sentence has both figures: `1 of 25 iterations`.
  if (stopClass === 'limit' && children.length === 0 && progress !== undefined) return pace;
  const verb = stopClass === 'goal' ? 'needs' : explanation.stop ? 'would have taken' : 'would take';
  return [`${verb} ${needed}`, pace].filter((part) => part !== undefined).join('; ');
}

/** What was not closer before needs no word, and neither does how close it was before it was met. */
function closestText(
  { closest, status, progress = 0 }: ExplainedCondition,
  explanation: Explanation,
): string | undefined {
  // What was before the first iteration is nothing that the agent came close to.
  if (closest === undefined || (status === 'met' && closest.iteration === 0)) return undefined;
  const noun = unitOf(explanation);
  const when = closest.iteration === 0 ? `before the first ${noun}` : `after ${noun} ${closest.iteration}`;
  if (closest.status === 'met') return `was met ${when}: ${closest.sentence}`;
  return status !== 'met' && (closest.progress ?? 0) > progress
    ? `came closest ${when}: ${closest.sentence}`
    : undefined;
}

function hanging(text: string, indent: number, { columns }: Terminal): readonly string[] {
  return wrap(text, columns - indent - 2).map((line, index) => `${' '.repeat(indent + (index === 0 ? 0 : 2))}${line}`);
}
