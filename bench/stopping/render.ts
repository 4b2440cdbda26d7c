import { median } from '../measure.js';
import { CHANGED } from './changed.js';
import { EXPECTED } from './expected/index.js';
import type { Outcome } from './judge.js';
import { row, shown, wanted } from './page-cells.js';
import { compared, REVIEWED, type Results, type RunnerInfo } from './results-file.js';
import { FAMILIES } from './scenarios/index.js';
import type { Scenario } from './scenarios/scenario.js';
import { sinceFirstRun } from './since-first-run.js';

/** The published page: a summary, Pawl's misses with their reasons, a table for each family. */
export function render(results: Results): string {
  return [
    '# Where the runs stopped',
    '',
    `${Object.values(FAMILIES).flat().length} scripted scenarios. What a person wants of each was written and committed before the first run`,
    '([expected](../expected/README.md)). Right: stopped there, and said rightly what it was.',
    '',
    `Measured on ${results.machine}.`,
    '',
    ...summary(compared(results)),
    '',
    ...misses(compared(results)),
    '',
    ...reviewed(results),
    ...Object.entries(FAMILIES).flatMap(([name, family]) => [...familyTable(name, family, results), '']),
    ...sinceFirstRun(results),
    ...changes(),
  ].join('\n');
}

const of = ({ outcomes }: Results, runner: RunnerInfo) => outcomes.filter((outcome) => outcome.runner === runner.name);
const count = (outcomes: readonly Outcome[], test: (outcome: Outcome) => boolean) =>
  String(outcomes.filter(test).length);
const dollars = (usd: number) => `$${usd.toFixed(2)}`;

function summary(results: Results): readonly string[] {
  const head = [
    'runner',
    'right',
    'right place',
    'too early',
    'too late',
    'never',
    'wrong reason',
    'over, median',
    'over, most',
    'iterations over, all',
    'trigger to death',
    'as predicted',
  ];
  const rows = results.runners.map((runner) => {
    const all = of(results, runner);
    const over = all.map(({ overshootUsd }) => overshootUsd).filter((usd) => usd > 0);
    return row([
      runner.version === undefined ? runner.name : `${runner.name} ${runner.version}`,
      `${count(all, ({ isRight }) => isRight)} of ${all.length}`,
      count(all, ({ place }) => place === 'right'),
      count(all, ({ place }) => place === 'early'),
      count(all, ({ place }) => place === 'late'),
      count(all, ({ place }) => place === 'never'),
      count(all, ({ place, isRight }) => place === 'right' && !isRight),
      over.length === 0 ? '$0.00' : dollars(median(over)),
      dollars(Math.max(0, ...over)),
      String(all.reduce((sum, { overshootCalls }) => sum + overshootCalls, 0)),
      killTime(all),
      count(all, ({ isPredicted }) => isPredicted),
    ]);
  });
  return [
    '## All of them',
    '',
    row(head),
    row(head.map(() => '---')),
    ...rows,
    '',
    'Over: what was spent after the point at which a person would have stopped it, over the runs in which that is anything.',
    'Trigger to death: from the request that crosses the budget, or the second that is the last, until the agent and all that it',
    'started are gone; the median, where the run had to be stopped in the middle of a call and was.',
  ];
}

/** Of those that had to be stopped in the middle of a call, by money or time. */
function killTime(outcomes: readonly Outcome[]): string {
  const times = outcomes
    .filter(
      ({ scenario, place }) =>
        EXPECTED[scenario]?.ends === 'out of budget' && EXPECTED[scenario].isWithin === true && place !== 'never',
    )
    .flatMap(({ killMs }) => killMs ?? []);
  return times.length === 0 ? 'never' : `${median(times).toFixed(0)} ms`;
}

function misses(results: Results): readonly string[] {
  const pawl = results.outcomes.filter(({ runner, isRight }) => runner === 'Pawl' && !isRight);
  const head = ['scenario', 'a person', 'Pawl', 'expected to miss', 'who was right'];
  return [
    '## Where Pawl is wrong',
    '',
    row(head),
    row(head.map(() => '---')),
    ...pawl.map((outcome) => {
      const right = results.outcomes.filter(({ scenario, isRight }) => scenario === outcome.scenario && isRight);
      const expected = EXPECTED[outcome.scenario];
      return row([
        outcome.scenario,
        `${wanted(expected)}: ${expected?.because ?? ''}`,
        `${shown(outcome)}${outcome.says === undefined ? '' : ` (${outcome.says})`}`,
        outcome.isPredicted ? 'yes' : 'no',
        right.map(({ runner }) => runner).join(', ') || 'nobody',
      ]);
    }),
  ];
}

/** What Pawl makes of the answers of a reviewer that always answers as a person expects. */
function reviewed({ outcomes }: Results): readonly string[] {
  const own = outcomes.filter(({ runner }) => runner === REVIEWED);
  if (own.length === 0) return [];
  const before = new Map(
    outcomes.filter(({ runner }) => runner === 'Pawl').map((outcome) => [outcome.scenario, outcome] as const),
  );
  const turned = own.filter(({ scenario, isRight }) => isRight !== before.get(scenario)?.isRight);
  const alone = own.filter(({ scenario }) => before.get(scenario)?.isRight);
  return [
    '## With a scripted reviewer: plumbing, not judgement',
    '',
    `The column "${REVIEWED}" is Pawl with a \`review\` (\`every: 1\`) whose answers are taken from what is expected of the scenario.`,
    'It reads nothing of the work. It shows what Pawl makes of an answer, where an answer has no say (money, time, the provider, a',
    'streak that is used up), and nothing about how often a model would answer rightly. It is compared with no runner.',
    '',
    `${count(own, ({ isRight }) => isRight)} of ${own.length} right; without it, Pawl was right in ${alone.length} of these. What it turned:`,
    '',
    row(['scenario', 'a person', 'without', 'with']),
    row(['---', '---', '---', '---']),
    ...turned.map((outcome) => {
      const { scenario } = outcome;
      return row([scenario, wanted(EXPECTED[scenario]), cellOf(before.get(scenario)), cell(outcome)]);
    }),
    '',
  ];
}

const cellOf = (outcome: Outcome | undefined) => (outcome === undefined ? '' : cell(outcome));

function familyTable(name: string, family: readonly Scenario[], results: Results): readonly string[] {
  const head = [
    'scenario',
    'a person',
    ...results.runners.map(({ name }) => (name === REVIEWED ? `${name} (plumbing)` : name)),
  ];
  const rows = family.map((scenario) => {
    const cells = results.runners.map((runner) => {
      const outcome = of(results, runner).find((one) => one.scenario === scenario.name);
      return cellOf(outcome);
    });
    return row([`**${scenario.name}**: ${scenario.story}`, wanted(EXPECTED[scenario.name]), ...cells]);
  });
  return [`## ${name[0]?.toUpperCase()}${name.slice(1)}`, '', row(head), row(head.map(() => '---')), ...rows];
}

function cell(outcome: Outcome): string {
  const parts = [
    `${outcome.isRight ? '✓' : '✗'} ${shown(outcome)}`,
    ...(outcome.overshootUsd > 0 ? [`${dollars(outcome.overshootUsd)} over`] : []),
    ...(outcome.killMs === undefined ? [] : [`gone after ${(outcome.killMs / 1000).toFixed(1)} s`]),
    ...(outcome.left > 0 ? [`${outcome.left} left behind`] : []),
  ];
  return parts.join('; ');
}

function changes(): readonly string[] {
  if (CHANGED.length === 0) return ['No scenario was changed after the first run.', ''];
  return ['## Changed after the first run', '', ...CHANGED.map(({ what, why }) => `- ${what}: ${why}`), ''];
}
