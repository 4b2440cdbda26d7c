import type { Judgement } from '../../model/verdict.js';
import { type Terminal, wrap } from '../cli/terminal.js';
import { printable } from './printable.js';

const WIDE_BAR_CELLS = 16;
const NARROW_BAR_CELLS = 8;
const NARROW_COLUMNS = 60;

/** How far a condition is, with its sentence. */
export function judgementLines(judgement: Judgement, terminal: Terminal): readonly string[] {
  const { progress, sentence, class: stopClass, status } = judgement;
  const barCells = terminal.columns < NARROW_COLUMNS ? NARROW_BAR_CELLS : WIDE_BAR_CELLS;
  const cells = progress === undefined || !Number.isFinite(progress) ? 0 : Math.min(1, Math.max(0, progress));
  const filled = Math.round(cells * barCells);
  const gauge = progress === undefined ? ' '.repeat(barCells) : '█'.repeat(filled).padEnd(barCells, '░');
  const text = status === 'met' ? `${sentence} (met)` : sentence;
  const [first = '', ...rest] = wrap(printable(text), terminal.columns - barCells - 13);
  const colour = stopClass === 'goal' ? 'green' : 'cyan';
  return [
    `  ${terminal.style('dim', stopClass.padEnd(8))} ${terminal.style(colour, gauge)} ${first}`,
    ...rest.map((line) => `${' '.repeat(barCells + 12)}${line}`),
  ];
}
