import type { Judgement } from '../../model/verdict.js';
import { type Terminal, wrap } from '../cli/terminal.js';
import { printable } from './printable.js';

const BAR_CELLS = 16;

/** How far a condition is, with its sentence. */
export function judgementLines(judgement: Judgement, terminal: Terminal): readonly string[] {
  const { progress, sentence, class: stopClass, status } = judgement;
  const cells = progress === undefined || !Number.isFinite(progress) ? 0 : Math.min(1, Math.max(0, progress));
  const filled = Math.round(cells * BAR_CELLS);
  const gauge = progress === undefined ? ' '.repeat(BAR_CELLS) : '█'.repeat(filled).padEnd(BAR_CELLS, '░');
  const text = status === 'met' ? `${sentence} (met)` : sentence;
  const [first = '', ...rest] = wrap(printable(text), terminal.columns - BAR_CELLS - 13);
  const colour = stopClass === 'goal' ? 'green' : 'cyan';
  return [
    `  ${terminal.style('dim', stopClass.padEnd(8))} ${terminal.style(colour, gauge)} ${first}`,
    ...rest.map((line) => `${' '.repeat(BAR_CELLS + 12)}${line}`),
  ];
}
