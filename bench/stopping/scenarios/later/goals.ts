import type { Call, Project, Scenario } from '../scenario.js';
import { byFile, type Family, NO_TESTS, say, write } from '../steps.js';

const LONG = byFile({ maxIterations: 15 });
const PLAN = 'PLAN.md';

const plan = (text: string): Project => ({ ...NO_TESTS, files: { [PLAN]: text } });
const boxes = (items: readonly string[], ticked: number): string =>
  items.map((item, index) => `- [${index < ticked ? 'x' : ' '}] ${item}\n`).join('');

const PARTS = ['read the old format', 'convert the dates', 'write the new format', 'keep a backup'];
const QUESTIONS = [
  'which formats are in use',
  'who reads the monthly file',
  'which columns are empty',
  'how large the largest file is',
  'which dates are wrong',
  'who owns the archive',
  'what the auditors need',
];
const EXAMPLE = '\nEach item is written like this:\n\n```md\n- [ ] what to do\n```\n';

const LIST: Pick<Scenario, 'goals'> = { goals: [`checklist_done: { path: ${PLAN}, fresh: true }`] };

/** A list of the agent's own says what is left. */
export const checklists: Family = [
  {
    name: 'plan-worked-off',
    story: 'each of four calls writes a part and ticks its box; the agent never says that it is done',
    wants: LONG,
    project: plan(boxes(PARTS, 0)),
    ...LIST,
    calls: PARTS.map((part, index) => [
      write(`src/convert/${index}.txt`, `${part}\n`),
      write(PLAN, boxes(PARTS, index + 1)),
      say(`Now it can ${part}.`),
    ]),
    rest: [say('There is nothing left in the plan.')],
  },
  {
    name: 'example-in-the-plan',
    story: 'the plan shows a box in a code block as an example; the three real boxes are ticked one by one',
    wants: LONG,
    project: plan(boxes(PARTS.slice(0, 3), 0) + EXAMPLE),
    ...LIST,
    calls: [1, 2, 3].map((ticked) => [
      write(`src/convert/${ticked}.txt`, `${PARTS[ticked - 1]}\n`),
      write(PLAN, boxes(PARTS.slice(0, 3), ticked) + EXAMPLE),
      say('The next item of the plan works.'),
    ]),
    rest: [say('There is nothing left in the plan.')],
  },
  {
    name: 'only-the-plan-changes',
    story: 'the task is to find out seven things: each call ticks one box and changes nothing else',
    wants: LONG,
    project: plan(boxes(QUESTIONS, 0)),
    ...LIST,
    calls: QUESTIONS.map((question, index) => [
      write(PLAN, boxes(QUESTIONS, index + 1)),
      say(`I found out ${question}.`),
    ]),
    rest: [say('There is nothing left in the plan.')],
  },
  {
    name: 'deletes-what-is-left',
    story: 'the first call works, the second deletes the three items that are left; nothing happens after that',
    wants: LONG,
    project: plan(boxes(PARTS, 0)),
    ...LIST,
    calls: [
      [write('src/convert/0.txt', `${PARTS[0]}\n`), write(PLAN, boxes(PARTS, 1)), say('The reader works.')],
      [write(PLAN, boxes(PARTS.slice(0, 1), 1)), say('I removed the items that are not needed.')],
    ],
    rest: [say('All items of the plan are ticked.')],
  },
  {
    name: 'ticks-and-unticks',
    story: 'every call ticks a box or takes the tick away again, and changes nothing else',
    wants: LONG,
    project: plan(boxes(PARTS, 1)),
    ...LIST,
    calls: Array.from({ length: 14 }, (_, index) => [
      write(PLAN, boxes(PARTS, index % 2 === 0 ? 2 : 1)),
      say(index % 2 === 0 ? 'The dates are converted.' : 'The dates are not right yet, so I took the tick away.'),
    ]),
    rest: [say('I read the plan.')],
  },
];

const MEASURES = { 'measure.sh': 'echo "p95 in ms"\ncat src/p95.txt\n', 'src/p95.txt': '400\n' };

const metric = (more: string): Pick<Scenario, 'goals' | 'project'> => ({
  goals: [`metric: { command: "sh measure.sh", better: lower, ${more} }`],
  project: { ...NO_TESTS, files: MEASURES },
});

/** A call with an idea, after which the command measures this. */
const idea = (number: number, measured: string): Call => [
  write(`src/engine/idea-${number}.txt`, `idea ${number}: another way to store the rows\n`),
  write('src/p95.txt', `${measured}\n`),
  say(`I tried idea ${number}.`),
];

/** A command of the user's measures how good the work is. */
export const metrics: Family = [
  {
    name: 'faster-until-the-target',
    story: 'the p95 falls from 400 ms to 90 ms in four calls; the target is 100 ms',
    wants: LONG,
    ...metric('target: 100, patience: 4'),
    calls: ['310', '220', '140', '90'].map((measured, index) => idea(index + 1, measured)),
    rest: [say('I looked for another idea.')],
  },
  {
    name: 'gains-are-rare',
    story: 'two of three ideas make it no faster, but every third does, and the ninth reaches the target',
    wants: LONG,
    ...metric('target: 100, patience: 4'),
    calls: ['410', '405', '300', '320', '310', '200', '230', '210', '95'].map((measured, index) =>
      idea(index + 1, measured),
    ),
    rest: [say('I looked for another idea.')],
  },
  {
    name: 'as-fast-as-it-gets',
    story: 'two calls make it faster, then every call writes another idea that makes it no faster',
    wants: LONG,
    ...metric('target: 100, patience: 4'),
    calls: ['300', '250', ...Array.from({ length: 12 }, (_, index) => String(251 + (index % 3)))].map(
      (measured, index) => idea(index + 1, measured),
    ),
    rest: [say('I looked for another idea.')],
  },
  {
    name: 'measures-nothing',
    story: 'from the second call on the command prints NaN, while every call writes another idea',
    wants: LONG,
    ...metric('target: 100, patience: 4'),
    calls: ['300', ...Array.from({ length: 13 }, () => 'NaN')].map((measured, index) => idea(index + 1, measured)),
    rest: [say('I looked for another idea.')],
  },
];
