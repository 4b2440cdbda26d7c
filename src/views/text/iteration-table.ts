import { CLAIM_WORDS } from '../../model/claim.js';
import { formatDuration } from '../../model/duration.js';
import { canonicalJson } from '../../model/json.js';
import { openIteration } from '../../model/phase.js';
import type { EventOf, RunEvent } from '../../model/run-event.js';
import type { RunState } from '../../model/run-state.js';
import type { Verdict } from '../../model/verdict.js';
import { decisionOf } from '../../replay/replay.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';
import { type Terminal, wrap } from './terminal.js';
import { filesText, iterationText, outcomeText, testsPassedSoFar, testsText } from '../../words/iteration-text.js';
import { oneLine, printable } from '../../words/printable.js';
import { restoredText } from '../../words/restored-text.js';
import { costSoFar } from '../../words/spend-text.js';

const WIDTHS = [11, 9, 26, 10];
/** What a row takes; where there is less, each iteration is a sentence. */
const TABLE_COLUMNS = 78;

/** The names of the columns, where there are any. */
export function tableHead(terminal: Terminal): readonly string[] {
  if (terminal.columns < TABLE_COLUMNS) return [];
  return [terminal.style('dim', columnsOf(['', 'outcome', 'took', 'tests', 'changed', 'cost so far']))];
}

/** One row per iteration, and what else a reader should know. */
export function tableLines(event: RunEvent, before: RunState, after: RunState, terminal: Terminal): readonly string[] {
  const isNarrow = terminal.columns < TABLE_COLUMNS;
  switch (event.type) {
    case 'baseline-observed': {
      const { tests } = event.observation;
      if (tests === undefined) return [];
      const lines = isNarrow
        ? hanging(`before: ${testsText(tests)}`, terminal)
        : [columnsOf(['', 'before', '', testsText(tests)])];
      return lines.map((line) => terminal.style('dim', line));
    }
    case 'iteration-ended':
      return isNarrow ? hanging(iterationText(event, before, after), terminal) : [iterationRow(event, before, after)];
    case 'claim-made':
      return claimLines(event, openIteration(before)?.iteration, terminal);
    case 'tree-restored':
      return [terminal.style('dim', restoredText(event))];
    case 'run-resumed':
      return [terminal.style('dim', event.cause === 'crash' ? 'resumed after an interruption' : 'resumed')];
    case 'verdict-reached':
      return verdictDifference(event.verdict, before).map((line) => terminal.style('red', `      ${line}`));
    default:
      return [];
  }
}

/** Next to the number of its iteration, whose row follows when it has ended. */
function claimLines(
  { claim, evidence }: EventOf<'claim-made'>,
  iteration: number | undefined,
  terminal: Terminal,
): readonly string[] {
  // The usual: the next iteration shows it.
  if (claim === 'continue') return [];
  const text = `says ${CLAIM_WORDS[claim]}: ${oneLine(evidence, 200)}`;
  const lines = wrap(printable(text), terminal.columns - INDENT.length);
  return lines.map((line, index) => {
    const before = index === 0 ? `${String(iteration ?? '').padStart(INDENT.length - 1)} ` : INDENT;
    return terminal.style('dim', `${before}${line}`);
  });
}

/** As wide as the number of an iteration. */
const INDENT = ' '.repeat(6);

function iterationRow(event: EventOf<'iteration-ended'>, before: RunState, after: RunState): string {
  const { tests } = event.observation;
  return columnsOf([
    String(event.iteration),
    outcomeText({ outcome: event.outcome }),
    formatDuration(event.durationMs),
    tests === undefined ? '' : shortened(testsText(tests, testsPassedSoFar(before))),
    filesText(event) ?? '',
    costSoFar(after) ?? '',
  ]);
}

/** What fits into a cell of the table. */
function shortened(text: string): string {
  return text.replace(', says the agent', ' said').replace('the tests cannot be run (exit code', 'cannot be run (exit');
}

function columnsOf([number = '', ...cells]: readonly string[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0));
  return [number.padStart(5), ...padded].join(' ').trimEnd();
}

function hanging(text: string, { columns }: Terminal): readonly string[] {
  const [first = '', ...rest] = wrap(printable(text), columns - 2);
  return [first, ...rest.map((line) => `  ${line}`)];
}

/** The recorded verdict is recomputed from the facts before it; a difference is shown, never hidden. */
export function verdictDifference(recorded: Verdict, before: RunState): readonly string[] {
  const recomputed = evaluateRun(before);
  // An earlier version may have said the same in other words.
  if (canonicalJson(decisionOf(recorded)) === canonicalJson(decisionOf(recomputed))) return [];
  return [
    'the recorded verdict differs from what its facts give now:',
    `recorded: ${inWords(recorded)}`,
    `now: ${inWords(recomputed)}`,
  ];
}

function inWords({ stop, reasons, judgements }: Verdict): string {
  const sentences = stop ? reasons.map(({ message }) => message) : judgements.map(({ sentence }) => sentence);
  return `${stop ? 'stop' : 'continue'}: ${sentences.join('; ')}`;
}
