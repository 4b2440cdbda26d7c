import { formatDuration } from '../../model/duration.js';
import type { EventOf } from '../../model/run-event.js';
import type { Fold } from '../terminal/event-words.js';
import { filesText, outcomeText } from '../terminal/iteration-text.js';
import { costSoFar } from '../terminal/spend-text.js';
import { testsPassedSoFar, testsText } from '../terminal/tests-text.js';
import type { Terminal } from '../cli/terminal.js';

/** Below this the columns do not fit beside each other. */
const TABLE_COLUMNS = 78;

/** An iteration that has ended, on one line. */
export function iterationLine(event: EventOf<'iteration-ended'>, { before, after }: Fold, terminal: Terminal): string {
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
