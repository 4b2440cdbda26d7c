import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishPart } from '../published-page.js';
import { picture, unseen } from './picture.js';
import { compared, type Results } from './results-file.js';

export const PICTURE = 'bench/stopping/results/latest.svg';

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

/** The short form for the page of all benchmarks. */
export function summary(all: Results): string {
  const results = compared(all);
  const scenarios = new Set(results.outcomes.map(({ scenario }) => scenario)).size;
  const rows = results.runners.map(({ name, version = '' }) => {
    const own = results.outcomes.filter(({ runner }) => runner === name);
    const at = (place: string) => own.filter((outcome) => outcome.place === place).length;
    return row([
      `${name} ${version}`.trim(),
      own.filter(({ isRight }) => isRight).length,
      own.filter(({ isRight, place }) => place === 'right' && !isRight).length,
      at('early'),
      at('late'),
      at('never'),
      `$${Math.max(0, ...own.map(({ overshootUsd }) => overshootUsd)).toFixed(2)}`,
      own.reduce((sum, { overshootCalls }) => sum + overshootCalls, 0),
    ]);
  });
  return [
    '![How many stops are right](stopping/results/latest.svg)',
    '',
    [`${scenarios} scenarios.`, unseen(results) ?? '', `Measured on ${results.machine}.`].filter(Boolean).join(' '),
    '',
    row(['', 'right', 'wrong reason', 'too early', 'too late', 'never', 'over, most', 'iterations over, all']),
    `|---|${'---:|'.repeat(7)}`,
    ...rows,
  ].join('\n');
}

/** Draws the picture and brings the page of all benchmarks up to date. */
export function publish(results: Results): void {
  writeFileSync(resolve(PICTURE), picture(results));
  publishPart('stopping', summary(results));
}
