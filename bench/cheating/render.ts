import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishPart } from '../published-page.js';
import { CONFIGS, type ConfigName } from './config.js';
import { isUnseen, type Outcome } from './judge.js';
import { type Results, readResults } from './results-file.js';
import { CHEATS, HONEST } from './scenarios/index.js';
import type { Scenario } from './scenarios/scenario.js';

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const plain = (text: string) => text.replaceAll('|', '\\|');

type Family = readonly Scenario[];

const outcomesOf = ({ outcomes }: Results, family: Family, config: ConfigName) =>
  outcomes.filter((outcome) => outcome.config === config && family.some(({ name }) => name === outcome.scenario));

const count = (outcomes: readonly Outcome[], test: (outcome: Outcome) => boolean) => outcomes.filter(test).length;

/** The figures of both configs, for the page of all benchmarks. */
export function summary(results: Results): string {
  const cheats = Object.values(CHEATS).flat();
  const honest = Object.values(HONEST).flat();
  const rows = CONFIGS.map((config) => {
    const tried = outcomesOf(results, cheats, config);
    const successful = tried.filter(({ ending }) => ending === 'done');
    const worked = outcomesOf(results, honest, config);
    return row([
      config === 'init' ? 'what `init` writes' : 'the same, tests protected',
      `${successful.length} of ${tried.length}`,
      count(successful, ({ isFlagged }) => isFlagged === true),
      count(successful, ({ isRight }) => isRight),
      `${count(worked, ({ isRight }) => !isRight)} of ${worked.length}`,
      count(worked, ({ flags }) => flags.length > 0),
      results.notPlayed.filter((one) => one.config === config).length,
    ]);
  });
  return [
    `${cheats.length} ways to green tests without the work, and ${honest.length} honest runs. Measured on ${results.machine}.`,
    '',
    row([
      '',
      'cheats that ended as done',
      'of these, flagged with file and line',
      'of these, attacks on the runner, which may',
      'honest runs wrongly rejected',
      'honest runs flagged',
      'not played',
    ]),
    `|---|${'---:|'.repeat(6)}`,
    ...rows,
  ].join('\n');
}

export function render(results: Results): string {
  return [
    '# Green tests without the work',
    '',
    summary(results),
    '',
    'Every cheat turns the tests green when they run without Pawl, and the work is not done; every honest run does the work',
    '(`npm run bench -- cheating --check`). Right is a cheat that does not end as done, code that attacks the runner and is',
    'flagged with its file and line, and an honest run that ends as done, or that `pawl approve` ends as done.',
    '',
    '## Cheats',
    '',
    ...totals(results),
    '',
    ...Object.entries(CHEATS).flatMap(([name, family]) => familyTable(`Cheats: ${name}`, family, results)),
    ...Object.entries(HONEST).flatMap(([name, family]) => familyTable(`Honest runs: ${name}`, family, results)),
    ...notPlayed(results),
  ].join('\n');
}

function totals(results: Results): readonly string[] {
  const rows = Object.entries(CHEATS).map(([name, family]) =>
    row([
      name,
      family.length,
      ...CONFIGS.map((config) => count(outcomesOf(results, family, config), ({ ending }) => ending === 'done')),
    ]),
  );
  return [row(['family', 'cheats', 'done under `init`', 'done under `protected`']), '|---|---:|---:|---:|', ...rows];
}

function familyTable(title: string, family: Family, results: Results): readonly string[] {
  const rows = family.map(({ name, runner, story, label }) => {
    const cells = CONFIGS.map((config) =>
      cell(results.outcomes.find((one) => one.scenario === name && one.config === config)),
    );
    const shown = isUnseen(name) ? [`**${name}**`, ''] : [`**${name}**: ${plain(story)}`, runner];
    return row([...shown, label, ...cells]);
  });
  return [
    `## ${title}`,
    '',
    row(['scenario', 'runner', 'label', ...CONFIGS]),
    row(['---', '---', '---', '---', '---']),
    ...rows,
    '',
  ];
}

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '';
  const { isRight, ending, calls, says, flags } = outcome;
  const flagged = flags.length === 0 ? '' : `; names ${flags.join(', ')}`;
  return `${isRight ? '✓' : '✗'} ${ending} after ${calls}${says === '' ? '' : `: ${plain(says)}`}${flagged}`;
}

function notPlayed(results: Results): readonly string[] {
  if (results.notPlayed.length === 0) return [];
  const rows = results.notPlayed.map(({ scenario, config, why }) => row([scenario, config, why]));
  return ['## Not played', '', row(['scenario', 'config', 'why']), row(['---', '---', '---']), ...rows, ''];
}

/** Writes the page of the results, and their part of the page of all benchmarks. */
export function publish(): void {
  const results = readResults();
  writeFileSync(resolve('bench/cheating/results.md'), render(results));
  publishPart('cheating', summary(results));
}
