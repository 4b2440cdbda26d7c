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
    what: '`test_failure_streak` is 5 by default; before, it was 3. What is hopeless over red tests is given up two calls later, in `asks-a-question` and `tests-that-cannot-be-read`, too, which stayed wrong',
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
  {
    what: 'The goal that `pawl init` writes is that the tests pass and the agent has finished (`settled`), by its status line, by closing words, or by an iteration that changes nothing more; before, it was that the tests pass. `already-green` stays wrong, and is now given up after three calls instead of done after one',
    about: ['tests-that-test-too-little', 'green-by-chance-twice'],
  },
  {
    what: 'Tests that fail although they passed before, or the only one that fails while the agent says that it is done, are run a second time',
    about: ['red-by-chance-at-the-end'],
  },
  {
    what: '`test_failure_streak` starts again at every gain since the tests began to fail, and an iteration that writes new code or moves the tests adds less than 1; before, only a new low counted, and all others added 1',
    about: ['worse-then-better'],
  },
  {
    what: '`oscillation: 3` is a default, and counts from the last gain or new content; before, it was not a default and counted all returns of the run',
    about: ['oscillates-unwatched', 'goes-back-to-compare'],
  },
  {
    what: 'Progress is a line that the run has not seen, in files that count, so that notes, logs and times are none; before, it was any change of the tree',
    about: ['diary-without-tests'],
  },
  {
    what: '`false_done: 3` is a new default: an agent that says three times in a row that it is done and writes nothing new is given up',
    about: ['tests-deleted'],
  },
  {
    what: '`needs_person: 2` is a new default: a request to a person in two iterations in a row ends the run as blocked',
    about: ['asks-a-question'],
  },
  {
    what: "What the agent's tools write outside the working directory counts as progress",
    about: ['works-outside-the-tree'],
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
