import type { EventOf, RunEvent } from '../../model/run-event.js';
import { isAnswered } from '../cli/run-signals.js';
import type { Terminal } from '../cli/terminal.js';
import { eventLines, linesOf } from '../terminal/event-lines.js';
import { type Fold, stays, unobservedTexts } from '../terminal/event-words.js';
import { oneLine } from '../terminal/one-line.js';
import { iterationLine } from './iteration-line.js';

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
