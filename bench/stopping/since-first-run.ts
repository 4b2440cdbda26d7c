import { EXPECTED } from './expected/index.js';
import type { Results } from './results-file.js';

/** What was right before Pawl was changed with these scenarios in view. Not changed afterwards. */
export const FIRST = { unseen: 47, right: 48, all: 72 };
/** All others were right or wrong as predicted. */
const WRONG_AGAINST_PREDICTION: ReadonlySet<string> = new Set(['two-bad-starts']);

/** What was changed in Pawl with these scenarios in view, and which of them it is about. */
export const PAWL_CHANGES: readonly { readonly what: string; readonly about: readonly string[] }[] = [
  {
    what: 'An agent that makes another request after a budget has told it to end is killed at once; before, it had its three seconds of grace',
    about: ['deaf-spender'],
  },
  {
    what: 'A call that fails by itself and says why, before any answer of its model, is taken as having cost nothing; before, one such call at the start of a run blocked it under a budget',
    about: ['two-bad-starts'],
  },
  {
    what: '`test_failure_streak` is 5 by default; before, it was 3. What is hopeless over red tests is given up two calls later, in `asks-a-question` and `tests-that-cannot-be-read`, too, which stay wrong',
    about: ['one-gain-in-four'],
  },
  {
    what: '`permission_denied: 6` is a default; before, denials stopped nothing unless somebody wrote it',
    about: ['denied-always'],
  },
  {
    what: "A plain 429 of Claude Code's is waited for like an overload; before, it was an iteration that failed",
    about: ['too-many-requests-once'],
  },
];

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** What became right or wrong since, and by which change. The expectations are those of the beginning. */
export function sinceFirstRun({ outcomes }: Results): readonly string[] {
  const own = outcomes.filter(({ runner }) => runner === 'Pawl');
  const turned = own.filter(({ scenario, isRight }) => isRight !== wasRight(scenario));
  return [
    '## What changed in Pawl after the first run',
    '',
    `At first ${FIRST.unseen} of ${FIRST.all} were right, and ${FIRST.right} when a bug was repaired that a scenario had shown. Then Pawl was changed by somebody`,
    `who knew these scenarios and what is expected of them: ${own.filter(({ isRight }) => isRight).length} of ${own.length} is no figure about unseen stories, ${FIRST.unseen} is.`,
    '',
    ...PAWL_CHANGES.map(
      ({ what, about }, index) => `${index + 1}. ${what} (${about.map((name) => `\`${name}\``).join(', ')}).`,
    ),
    '',
    row(['scenario', 'predicted', 'at first', 'now']),
    row(['---', '---', '---', '---']),
    ...turned.map(({ scenario, isRight }) =>
      row([scenario, word(isPredicted(scenario)), word(wasRight(scenario)), `${word(isRight)}${reason(scenario)}`]),
    ),
    '',
  ];
}

function isPredicted(scenario: string): boolean {
  return EXPECTED[scenario]?.right.includes('pawl') === true;
}

function wasRight(scenario: string): boolean {
  return isPredicted(scenario) !== WRONG_AGAINST_PREDICTION.has(scenario);
}

function word(isRight: boolean): string {
  return isRight ? 'right' : 'wrong';
}

function reason(scenario: string): string {
  const index = PAWL_CHANGES.findIndex(({ about }) => about.includes(scenario));
  return index < 0 ? ', by chance or by a change that was not about it' : `, by change ${index + 1}`;
}
