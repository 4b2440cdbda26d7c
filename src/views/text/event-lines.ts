import { itemAt } from '../../model/item-state.js';
import { EVENT_TYPES, type EventOf, type EventType, type RunEvent } from '../../model/run-event.js';
import { type Terminal, wrap, hangingLines } from './terminal.js';
import { clockText } from '../../words/clock-text.js';
import { type Fold, type TerminalText, terminalTexts } from '../../words/event-words.js';
import { attemptLine, itemLine } from './item-lines.js';
import { printable, oneLine, textWidth } from '../../words/printable.js';

const MOST_LINES_OF_TEXT = 2;
const INDENT = '  ';
const MOST_TELLER_COLUMNS = 24;

type Render<T extends EventType> = (event: EventOf<T>, fold: Fold, terminal: Terminal) => readonly string[];

/** Events whose lines are laid out by the width of the terminal. All others are texts: see `event-words.ts`. */
const LAID_OUT: { readonly [T in EventType]?: Render<T> } = {
  'iteration-started': ({ iteration, try: attempt, at, session }, _, terminal) => {
    const again = attempt > 1 ? `, try ${attempt}` : '';
    const continued = session === undefined ? '' : ', same session';
    const when = `${clockText(at, Date.parse(at))}${again}${continued}`;
    return ['', `${terminal.style('bold', `iteration ${iteration}`)} ${terminal.style('dim', when)}`];
  },
  'agent-said': ({ text }, _, terminal) => shortened(text, terminal).map((line) => `${INDENT}${line}`),
  'attempt-ended': (event, { after }, terminal) =>
    event.outcome === 'approved' ? [] : [attemptLine(event, after, terminal)],
  'item-ended': (event, { after }, terminal) => [itemLine(event, after, terminal)],
};

/** The lines of one event, for a person who watches. */
export function eventLines(event: RunEvent, fold: Fold, terminal: Terminal): readonly string[] {
  const layOut = LAID_OUT[event.type] as Render<EventType> | undefined;
  return labelled(layOut ?? ((_event, _fold, to) => linesOf(terminalTexts(event, fold), to)), event, fold, terminal);
}

/** The same with all that the agent said, for a person who reads up. */
export function wholeEventLines(event: RunEvent, fold: Fold, terminal: Terminal): readonly string[] {
  if (event.type !== 'agent-said') return eventLines(event, fold, terminal);
  const { text } = event;
  return labelled((_event, _fold, to) => whole(text, to), event, fold, terminal);
}

/** Of attempts side by side each line says whose it is. */
function labelled(render: Render<EventType>, event: RunEvent, fold: Fold, terminal: Terminal): readonly string[] {
  const item = itemOf(event, fold);
  if (item === undefined) return render(event, fold, terminal);
  const label = oneLine(item, MOST_TELLER_COLUMNS);
  const lines = render(event, fold, { ...terminal, columns: terminal.columns - textWidth(label) });
  return lines.map((each) => `${terminal.style('dim', label)}${each}`);
}

/** The item whose attempt an agent works on. What it says and does is shown indented. */
function itemOf(event: RunEvent, { after }: Fold): string | undefined {
  if (EVENT_TYPES[event.type].listed !== 'agent' || !('index' in event) || event.index === undefined) return undefined;
  return itemAt(after.pipeline?.states, event.index)?.item;
}

export function linesOf(texts: readonly TerminalText[], terminal: Terminal): readonly string[] {
  return texts.flatMap(({ layout, style, text }) => {
    if (layout === 'line') {
      return [`${INDENT}${terminal.style(style, oneLine(text, terminal.columns - INDENT.length))}`];
    }
    const lines = layout === 'indented' ? indented(text, terminal) : sentence(text, terminal);
    return lines.map((each) => terminal.style(style, each));
  });
}

/** All of a text, for what a person has to do something about. */
function indented(text: string, { columns }: Terminal): readonly string[] {
  const [first = '', ...rest] = wrap(oneLine(text, 600), columns - INDENT.length * 2);
  return [`${INDENT}${first}`, ...rest.map((each) => `${INDENT}${INDENT}${each}`)];
}

function sentence(text: string, { columns }: Terminal): readonly string[] {
  const line = oneLine(text, 600);
  const [first = '', ...rest] = line.length <= columns ? [line] : wrap(line, columns - INDENT.length);
  return [first, ...rest.map((each) => `${INDENT}${each}`)];
}

/** A message of the agent's in its own lines, which are wrapped on a screen. */
function whole(text: string, { isScreen, columns }: Terminal): readonly string[] {
  const width = columns - INDENT.length;
  const lines = printable(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .filter((each) => each.trim() !== '');
  const shown = isScreen ? lines.flatMap((each) => hangingLines(each.replaceAll('\t', '    '), width)) : lines;
  return shown.map((each) => `${INDENT}${each}`);
}

/** A message of the agent's, as far as it fits into two lines. */
function shortened(text: string, terminal: Terminal): readonly string[] {
  const width = terminal.columns - INDENT.length;
  const lines = wrap(oneLine(text, width * MOST_LINES_OF_TEXT), width).filter((each) => each !== '');
  return lines.slice(0, MOST_LINES_OF_TEXT).map((each, index) => {
    const isCut = index === MOST_LINES_OF_TEXT - 1 && lines.length > MOST_LINES_OF_TEXT;
    return isCut ? oneLine(`${each} ${lines[index + 1] ?? ''}`, width) : oneLine(each, width);
  });
}

/** The record of a stop by a signal of this process: anyone who sent it has been answered already. */
export function isAnswered(event: RunEvent): boolean {
  if (event.type !== 'command-received' || event.refused !== undefined) return false;
  return event.command.type === 'stop' && (event.by === 'Ctrl-C' || event.by === 'SIGTERM');
}
