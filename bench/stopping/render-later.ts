import { LATER_EXPECTED } from './expected/later/index.js';
import type { Outcome } from './judge.js';
import { row, shown, wanted } from './page-cells.js';
import type { Results } from './results-file.js';
import { LATER_FAMILIES } from './scenarios/later/index.js';
import type { Family } from './scenarios/steps.js';

/** The page of the later set: what Pawl did before the rules that it is about, and what it does now. */
export function renderLater(results: Results): string {
  return [
    '# Where Pawl stops: the later set',
    '',
    `${Object.values(LATER_FAMILIES).flat().length} scripted scenarios. What a person wants of each was written and committed before the rules that they are about`,
    '([expected](../expected/README.md)). Right: stopped there, with the right reason. Before: Pawl without these rules.',
    '',
    `Measured on ${results.machine}.`,
    '',
    ...totals(results),
    '',
    ...Object.entries(LATER_FAMILIES).flatMap(([name, family]) => [...familyTable(name, family, results), '']),
  ].join('\n');
}

function totals(results: Results): readonly string[] {
  const head = ['family', 'scenarios', 'right before', 'right now', 'too early', 'too late', 'wrong reason'];
  const families: readonly (readonly [string, Family])[] = [
    ...Object.entries(LATER_FAMILIES),
    ['**all**', Object.values(LATER_FAMILIES).flat()],
  ];
  const rows = families.map(([name, family]) => {
    const names = new Set(family.map((scenario) => scenario.name));
    const before = (results.before ?? []).filter(({ scenario }) => names.has(scenario));
    const now = results.outcomes.filter(({ scenario }) => names.has(scenario));
    const count = (outcomes: readonly Outcome[], test: (outcome: Outcome) => boolean) =>
      String(outcomes.filter(test).length);
    return row([
      name,
      String(family.length),
      count(before, ({ isRight }) => isRight),
      count(now, ({ isRight }) => isRight),
      count(now, ({ place }) => place === 'early'),
      count(now, ({ place }) => place === 'late' || place === 'never'),
      count(now, ({ place, isRight }) => place === 'right' && !isRight),
    ]);
  });
  return ['## All of them', '', row(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows];
}

function familyTable(name: string, family: Family, { before = [], outcomes }: Results): readonly string[] {
  const head = ['scenario', 'a person', 'before', 'now', 'what Pawl says now'];
  const rows = family.map((scenario) => {
    const isSame = (outcome: Outcome) => outcome.scenario === scenario.name;
    const expected = LATER_EXPECTED[scenario.name];
    const now = outcomes.find(isSame);
    return row([
      `**${scenario.name}**: ${scenario.story}`,
      `${wanted(expected)}: ${expected?.because}`,
      cell(before.find(isSame)),
      cell(now),
      now?.says ?? '',
    ]);
  });
  return [`## ${name[0]?.toUpperCase()}${name.slice(1)}`, '', row(head), row(head.map(() => '---')), ...rows];
}

function cell(outcome: Outcome | undefined): string {
  return outcome === undefined ? '' : `${outcome.isRight ? '✓' : '✗'} ${shown(outcome)}`;
}
