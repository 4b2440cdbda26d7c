import type { Call } from './scenario.js';
import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  crash,
  type Family,
  first,
  NO_TESTS,
  project,
  say,
  write,
} from './steps.js';

const LONG = { maxIterations: 15 };

/** Two versions of the same page, in turn. */
const flips: readonly Call[] = Array.from({ length: 15 }, (_, index) => [
  write('src/style.txt', index % 2 === 0 ? 'tabs\n' : 'spaces\n'),
  say(index % 2 === 0 ? 'Tabs are better here.' : 'Spaces are better here.'),
]);

const diary: readonly Call[] = Array.from({ length: 15 }, (_, index) => [
  write(
    'NOTES.md',
    Array.from({ length: index + 1 }, (_unused, day) => `Day ${day + 1}: I think about it.\n`).join(''),
  ),
  say('I have written down my thoughts.'),
]);

const PLANS = ['the modules', 'the data model', 'the interfaces', 'the errors', 'the order of work', 'the risks'];

/** Does it get on? Stalls, circles, and the slow ways that lead somewhere. */
export const progress: Family = [
  {
    name: 'stall',
    story: 'two gains, then the same sentence and no change for ever',
    wants: byTests(LONG),
    project: project(4),
    calls: [[build(first(1))], [build(first(2))]],
    rest: [say('I have looked at the failing tests and they seem to be right.')],
  },
  {
    name: 'six-plans-first',
    story: 'six calls of planning in words without touching a file, then three of work',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      ...PLANS.map((part) => [say(`The plan for ${part}: first what is there, then what is missing.`)]),
      [build(first(1))],
      [build(first(2))],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'short-plateau',
    story: 'one gain, two calls that search in vain, two gains',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(1))],
      [write('src/probe.txt', 'not here\n')],
      [write('src/probe.txt', 'nor here\n')],
      [build(first(2))],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'one-gain-in-four',
    story: 'a test every fourth call, cheap and steady, done in the twelfth',
    wants: byTests({ maxIterations: 20 }),
    project: project(3),
    calls: Array.from({ length: 12 }, (_, index) => {
      const gained = Math.floor((index + 1) / 4);
      const step = `step ${index + 1}\n`;
      return [write('src/parts.txt', step), build(first(gained)), index === 11 ? claim() : say('A part of it.')];
    }),
    rest: claimAgain,
  },
  {
    name: 'worse-then-better',
    story: 'the old interface is taken out first: more and more tests fail for four calls, all pass after the sixth',
    wants: byTests(LONG),
    project: project(6, 3),
    calls: [
      [build(first(2))],
      [build(first(1))],
      [build([])],
      [build([]), write('src/new.txt', 'half\n')],
      [build(first(3))],
      [build(first(6)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'oscillates-over-tests',
    story: 'fixes one test by breaking another, to and fro',
    wants: byTests(LONG),
    project: project(4),
    calls: Array.from({ length: 15 }, (_, index) => [
      build(index % 2 === 0 ? ['one', 'two'] : ['one', 'three']),
      say('This test passes now.'),
    ]),
    rest: [say('This test passes now.')],
  },
  {
    name: 'oscillates-unwatched',
    story: 'an edit and its reverse, over and over; there are no tests',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: flips,
    rest: [say('Either is fine.')],
  },
  {
    name: 'oscillates-watched',
    story: 'the same under a policy with `oscillation: 3`',
    wants: byFile(LONG),
    project: NO_TESTS,
    addsFailure: [{ oscillation: 3 }],
    calls: flips,
    rest: [say('Either is fine.')],
  },
  {
    name: 'goes-back-to-compare',
    story: 'puts its last change back every second call to compare, and gets on; `oscillation: 3` is in the policy',
    wants: byTests(LONG),
    project: project(5),
    addsFailure: [{ oscillation: 3 }],
    calls: [1, 0, 2, 1, 3, 2, 4, 3, 5].map((count) => [build(first(count)), count === 5 ? claim() : say('I compare.')]),
    rest: claimAgain,
  },
  {
    name: 'diary-over-red-tests',
    story: 'every call adds to its notes and nothing else; the tests stay red',
    wants: byTests(LONG),
    project: project(3),
    calls: diary,
    rest: [say('I have written down my thoughts.')],
  },
  {
    name: 'diary-without-tests',
    story: 'the same where there are no tests',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: diary,
    rest: [say('I have written down my thoughts.')],
  },
  {
    name: 'works-outside-the-tree',
    story: 'the work is done in a package beside this one; the eighth call makes the agreed file',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: Array.from({ length: 8 }, (_, index) => [
      write('../library/parts.txt', `part ${index + 1}\n`),
      ...(index === 7 ? [write('DONE.md', 'Eight parts.\n'), claim()] : [say(`Part ${index + 1} of the library.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'same-error-every-time',
    story: 'every call dies of a full disk',
    wants: byTests(LONG),
    project: project(3),
    calls: [],
    rest: [say('I begin.'), crash('Error: ENOSPC: no space left on device, write')],
  },
  {
    name: 'two-bad-starts',
    story: 'two calls die of different errors, then the work is done in two',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [crash('Error: getaddrinfo EAI_AGAIN')],
      [crash('Error: socket hang up')],
      [build(first(2))],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
];
