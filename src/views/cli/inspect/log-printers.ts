import { itemAt } from '../../../model/item-state.js';
import type { RunEvent } from '../../../model/run-event.js';
import { wholeEventLines } from '../../text/event-lines.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine } from '../../../words/printable.js';
import type { Reader } from '../../../app/read-record.js';
import type { Terminal } from '../../text/terminal.js';

const MOST_WAITING_BYTES = 1024 * 1024;

/** Prints what is asked for, no faster than it is read. */
export interface LogPrinter {
  readonly show: Reader;
  readonly hasShown: () => boolean;
}

/** What a loop's agent said and did, in one iteration or in all. */
export function iterationPrinter(
  {
    iteration: wanted,
    json,
    isOfFleet,
  }: { readonly iteration?: number | undefined; readonly json: boolean; readonly isOfFleet: boolean },
  terminal: Terminal,
): LogPrinter {
  let current = 0;
  let isFound = false;
  let hasBegun = false;
  const say = (line: string) => {
    // What sets an iteration apart from the one before has no place at the top.
    if (hasBegun || line !== '') terminal.say(line);
    hasBegun = true;
  };
  const show: Reader = (event, before, after) => {
    if (event.type === 'iteration-started') current = event.iteration;
    isFound ||= current === wanted;
    if (wanted !== undefined && (current !== wanted || isBetween(event))) return undefined;
    if (json) terminal.raw(`${jsonText(event)}\n`);
    else for (const line of wholeEventLines(event, { before, after, isOfFleet }, terminal)) say(line);
    return untilRead(terminal);
  };
  return { show, hasShown: () => isFound };
}

/** What came of the attempts of a pipeline, with what was printed where one was not approved; of one item or of all. */
export function itemPrinter(
  { item: wanted, json = false }: { readonly item?: string; readonly json?: boolean },
  terminal: Terminal,
): LogPrinter {
  let isFound = wanted === undefined;
  const show: Reader = (event, before, after) => {
    const index = 'index' in event ? event.index : undefined;
    const item = index === undefined ? undefined : itemAt(after.pipeline?.states, index)?.item;
    if (wanted !== undefined && item !== wanted) return undefined;
    isFound = true;
    if (json) terminal.raw(`${jsonText(event)}\n`);
    else {
      const lines = [...wholeEventLines(event, { before, after }, terminal), ...printedLines(event, terminal)];
      for (const line of lines) terminal.say(line);
    }
    return untilRead(terminal);
  };
  return { show, hasShown: () => isFound };
}

/** The end of what the audit, or a generator that failed, printed. */
function printedLines(event: RunEvent, terminal: Terminal): readonly string[] {
  if (event.type !== 'attempt-ended' || event.output === undefined) return [];
  const lines = event.output.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => `    ${terminal.style('dim', `| ${oneLine(line, terminal.columns - 6)}`)}`);
}

function untilRead({ outlet }: Terminal): Promise<void> | undefined {
  return (outlet?.backlogBytes() ?? 0) > MOST_WAITING_BYTES ? outlet?.drained() : undefined;
}

/** What belongs to the run and not to the iteration before it. */
function isBetween({ type }: RunEvent): boolean {
  return type === 'run-ended' || type === 'run-resumed' || type === 'limit-extended';
}
