import { CONDITION_WORDS } from '../../model/outcome.js';
import type { Judgement } from '../../model/verdict.js';
import { type Terminal, wrap } from './terminal.js';
import { printable } from '../../words/printable.js';

const WIDE_BAR_CELLS = 16;
const NARROW_BAR_CELLS = 8;
const NARROW_COLUMNS = 60;
const WIDE_LABEL_CELLS = 10;
const NARROW_LABEL_CELLS = 8;

/** How far a condition is, with its sentence. */
export function judgementLines(judgement: Judgement, terminal: Terminal): readonly string[] {
  const { progress, sentence, class: stopClass, status } = judgement;
  const barCells = terminal.columns < NARROW_COLUMNS ? NARROW_BAR_CELLS : WIDE_BAR_CELLS;
  const labelCells = terminal.columns < NARROW_COLUMNS ? NARROW_LABEL_CELLS : WIDE_LABEL_CELLS;
  const cells = progress === undefined || !Number.isFinite(progress) ? 0 : Math.min(1, Math.max(0, progress));
  const filled = Math.round(cells * barCells);
  const gauge = progress === undefined ? ' '.repeat(barCells) : '█'.repeat(filled).padEnd(barCells, '░');
  const text = status === 'met' ? `${sentence} (met)` : sentence;
  const [first = '', ...rest] = wrap(printable(text), terminal.columns - barCells - labelCells - 5);
  const colour = stopClass === 'goal' ? 'green' : 'cyan';
  return [
    `  ${terminal.style('dim', CONDITION_WORDS[stopClass].padEnd(labelCells))} ${terminal.style(colour, gauge)} ${first}`,
    ...rest.map((line) => `${' '.repeat(barCells + labelCells + 4)}${line}`),
  ];
}
