import type { EventOf, RunEvent } from '../../model/run-event.js';
import { isAnswered, eventLines, linesOf } from './event-lines.js';
import type { Terminal } from './terminal.js';
import { type Fold, stays, unobservedTexts } from '../../words/event-words.js';
import { oneLine } from '../../words/printable.js';
import { formatDuration } from '../../model/duration.js';
import { filesText, outcomeText, testsPassedSoFar, testsText } from '../../words/iteration-text.js';
import { costSoFar } from '../../words/spend-text.js';

/** The lines of an event that scroll up above the live part: one per iteration or item, and what else a reader should know. */
export function finishedLines(event: RunEvent, fold: Fold, terminal: Terminal): readonly string[] {
  if (event.type === 'iteration-ended') return endedLines(event, fold, terminal);
  return stays(event) && !isAnswered(event) ? eventLines(event, fold, terminal) : [];
}

function endedLines(event: EventOf<'iteration-ended'>, fold: Fold, terminal: Terminal): readonly string[] {
  const { error, ending, observation } = event;
  const said = fold.before.latest.errors.some(({ message }) => message === error);
  const survivors = ending?.survivors ?? 0;
  const below = (text: string) => `      ${oneLine(text, terminal.columns - 6)}`;
  return [
    iterationLine(event, fold, terminal),
    ...(error === undefined || said ? [] : [terminal.style('red', below(error))]),
    ...(survivors === 0 ? [] : [terminal.style('red', below(`${survivors} of its processes could not be ended`))]),
    ...linesOf(unobservedTexts(observation, fold.before), terminal),
  ];
}

/** Below this the columns do not fit next to each other. */
const TABLE_COLUMNS = 78;

/** An iteration that has ended, on one line. */
function iterationLine(event: EventOf<'iteration-ended'>, { before, after }: Fold, terminal: Terminal): string {
  const { iteration, durationMs, observation, outcome } = event;
  const isGood = outcome === 'completed';
  const mark = terminal.style(isGood ? 'green' : 'yellow', isGood ? '✓' : '✗');
  const tests = observation.tests === undefined ? '' : testsText(observation.tests, testsPassedSoFar(before));
  const took = formatDuration(durationMs);
  const [files = '', cost] = [filesText(event), costSoFar(after)];
  const spent = cost === undefined ? '' : cost.startsWith('$') ? `${cost} so far` : cost;
  const isWide = terminal.columns >= TABLE_COLUMNS;
  const cells = isWide
    ? [
        outcomeText({ outcome }).padEnd(11),
        took.padEnd(8),
        tests.replace(', says the agent', ' (said)').padEnd(26),
        files.padEnd(9),
        spent,
      ]
    : [outcomeText({ outcome }), took, tests.replace(' tests', ''), cost ?? ''].filter((cell) => cell !== '');
  const number = isWide ? String(iteration).padStart(3) : String(iteration);
  return `${mark} ${terminal.style('bold', number)} ${cells.join(isWide ? ' ' : ', ').trimEnd()}`;
}
