import type { Expectation } from './expected/expectation.js';
import type { Outcome } from './judge.js';
import { row, shown, wanted } from './page-cells.js';
import { PAWL_ONLY_SETS, type PawlOnlyName, type PawlOnlySet } from './pawl-only-sets.js';
import type { Results } from './results-file.js';
import type { Family } from './scenarios/steps.js';

/** What Pawl did when it first saw a set, or before the rules that it is about, and what it does now. */
export function renderPawlOnly(name: PawlOnlyName, results: Results): string {
  const set = PAWL_ONLY_SETS[name];
  const count = Object.values(set.families).flat().length;
  return [
    `# Where Pawl stops: ${set.title}`,
    '',
    `${count} scripted scenarios${set.about[0]}`,
    set.about[1],
    '',
    `Measured on ${results.machine}.`,
    '',
    ...totals(results, set),
    '',
    ...Object.entries(set.families).flatMap(([name, family]) => [...familyTable(name, family, results, set), '']),
  ].join('\n');
}

function totals(results: Results, set: PawlOnlySet): readonly string[] {
  const head = ['family', 'scenarios', `right ${set.before}`, 'right now', 'too early', 'too late', 'wrong reason'];
  const families: readonly (readonly [string, Family])[] = [
    ...Object.entries(set.families),
    ['**all**', Object.values(set.families).flat()],
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

function familyTable(
  name: string,
  family: Family,
  { before = [], outcomes }: Results,
  set: PawlOnlySet,
): readonly string[] {
  const head = ['scenario', 'a person', set.before, 'now', 'what Pawl says now'];
  const rows = family.map((scenario) => {
    const isSame = (outcome: Outcome) => outcome.scenario === scenario.name;
    const expected: Expectation | undefined = set.expected[scenario.name];
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
