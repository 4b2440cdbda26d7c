import { ADVERSARY_EXPECTED } from './expected/adversary/index.js';
import type { Expectation, Expectations } from './expected/expectation.js';
import { FURTHER_EXPECTED } from './expected/further/index.js';
import { LATER_EXPECTED } from './expected/later/index.js';
import { NIGHTS_EXPECTED } from './expected/nights/index.js';
import { RECORDED_EXPECTED } from './expected/recorded/index.js';
import { UNSEEN_EXPECTED } from './expected/unseen/index.js';
import type { Outcome } from './judge.js';
import { row, shown, wanted } from './page-cells.js';
import type { Results } from './results-file.js';
import { ADVERSARY_FAMILIES } from './scenarios/adversary/index.js';
import { FURTHER_FAMILIES } from './scenarios/further/index.js';
import { LATER_FAMILIES } from './scenarios/later/index.js';
import { NIGHTS_FAMILIES } from './scenarios/nights/index.js';
import { RECORDED_FAMILIES } from './scenarios/recorded/index.js';
import type { Family } from './scenarios/steps.js';
import { UNSEEN_FAMILIES } from './scenarios/unseen/index.js';

/** A set that only Pawl plays, and the words of its page. */
interface PawlOnlySet {
  readonly families: Readonly<Record<string, Family>>;
  readonly expected: Expectations;
  readonly title: string;
  readonly about: readonly string[];
  /** What the recorded first outcome of a scenario is called. */
  readonly before: string;
}

const countOf = (families: PawlOnlySet['families']) => Object.values(families).flat().length;

/** What Pawl did before the rules that the set is about, and what it does now. */
export const renderLater = (results: Results) =>
  renderSet(results, {
    families: LATER_FAMILIES,
    expected: LATER_EXPECTED,
    title: 'the later set',
    about: [
      `${countOf(LATER_FAMILIES)} scripted scenarios. What a person wants of each was written and committed before the rules that they are about`,
      '([expected](../expected/README.md)). Right: stopped there, with the right reason. Before: Pawl without these rules.',
    ],
    before: 'before',
  });

/** What Pawl did when it first saw the set, and what it does now. */
export const renderUnseen = (results: Results) =>
  renderSet(results, {
    families: UNSEEN_FAMILIES,
    expected: UNSEEN_EXPECTED,
    title: 'written without sight of the rules',
    about: [
      `${countOf(UNSEEN_FAMILIES)} scripted scenarios. Their author had not read the rules; what a person wants of each was committed before the`,
      'first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: 'at first play',
  });

export const renderFurther = (results: Results) =>
  renderSet(results, {
    families: FURTHER_FAMILIES,
    expected: FURTHER_EXPECTED,
    title: 'a second set written without sight of the rules',
    about: [
      `${countOf(FURTHER_FAMILIES)} scripted scenarios. Their author had not read the rules; what a person wants of each was committed before the`,
      'first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: 'at first play',
  });

/** What Pawl did when it first saw the set, and what it does now. */
export const renderAdversary = (results: Results) =>
  renderSet(results, {
    families: ADVERSARY_FAMILIES,
    expected: ADVERSARY_EXPECTED,
    title: 'written to make the rules fail',
    about: [
      `${countOf(ADVERSARY_FAMILIES)} scripted scenarios. Their author had read the guide and looked for runs that the rules get wrong; what a person`,
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: 'at first play',
  });

/** What Pawl did when it first saw the set, and what it does now. */
export const renderNights = (results: Results) =>
  renderSet(results, {
    families: NIGHTS_FAMILIES,
    expected: NIGHTS_EXPECTED,
    title: 'nights as people have them',
    about: [
      `${countOf(NIGHTS_FAMILIES)} scripted scenarios. Their author knew the guide, but not the code of the rules; what a person`,
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: 'at first play',
  });

/** What Pawl did when it first saw the set, and what it does now. */
export const renderRecorded = (results: Results) =>
  renderSet(results, {
    families: RECORDED_FAMILIES,
    expected: RECORDED_EXPECTED,
    title: 'after recorded sessions',
    about: [
      `${countOf(RECORDED_FAMILIES)} scripted scenarios after what agents do in recorded sessions. Their author knew the rules; what a person`,
      'wants of each was committed before the first play ([expected](../expected/README.md)). Right: stopped there, with the right reason.',
    ],
    before: 'at first play',
  });

function renderSet(results: Results, set: PawlOnlySet): string {
  return [
    `# Where Pawl stops: ${set.title}`,
    '',
    ...set.about,
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
