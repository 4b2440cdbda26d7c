import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  MARKER,
  NO_TESTS,
  project,
  remove,
  say,
  write,
} from '../steps.js';

const LONG = { maxIterations: 15 };
const OLD = { ...NO_TESTS, files: { 'DONE.md': 'Release 1 is finished.\n' } };

const page = (name: string) => write(`pages/${name}.html`, `<h1>${name}</h1>\n`);

/** The agreed file exists from an earlier run. */
export const freshGoal: Family = [
  {
    name: 'old-done-file-and-idle',
    story: 'DONE.md exists from an earlier run; the agent sees it, says that all is done and never does anything',
    wants: byFile(LONG),
    project: OLD,
    calls: [],
    rest: [say('DONE.md is there, so the task has been finished before.')],
  },
  {
    name: 'old-done-file-six-calls',
    story: 'DONE.md exists from an earlier run; five calls work, the sixth works and rewrites it',
    wants: byFile(LONG),
    project: OLD,
    calls: [
      ...['start', 'about', 'team', 'jobs', 'press'].map((name) => [page(name), say(`The page ${name} is there.`)]),
      [page('contact'), write('DONE.md', 'Release 2: six pages.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'old-done-file-changed',
    story: 'DONE.md exists from an earlier run, and the third call, the last one needed, adds a line to it',
    wants: byFile(LONG),
    project: OLD,
    calls: [
      [page('map'), say('The map is there.')],
      [page('events'), say('The events are there.')],
      [page('tickets'), write('DONE.md', 'Release 1 is finished.\nRelease 2 is finished.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'old-done-file-made-again',
    story:
      'the first call removes the DONE.md of an earlier run, the fourth finishes the work and makes it with the same text',
    wants: byFile(LONG),
    project: OLD,
    calls: [
      [remove('DONE.md'), page('blog'), say('DONE.md was from the last release. I removed it.')],
      [page('feed'), say('The feed is there.')],
      [page('archive'), say('The archive is there.')],
      [page('tags'), write('DONE.md', 'Release 1 is finished.\n'), claim()],
    ],
    rest: claimAgain,
  },
];

const INSISTS = [
  'The implementation is complete.',
  'I have checked it again: everything that was asked for is there.',
  'As I said, the work is finished. The failing tests are not part of the task.',
  'There is nothing to add. All requirements are met.',
];

/** The agent says done while tests fail: for ever, or too soon and then with work. */
export const insists: Family = [
  {
    name: 'insists-after-one-gain',
    story: 'the first call repairs one of three tests and says done; every later call says done and changes nothing',
    wants: byTests(LONG),
    project: project(3),
    calls: [[build(first(1)), claim()]],
    rest: claimAgain,
  },
  {
    name: 'insists-in-other-words',
    story: 'no call changes anything, each says in other words that the work is done; four tests fail',
    wants: byTests(LONG),
    project: project(6, 2),
    calls: INSISTS.map((words) => [say(`${words}\n\n${MARKER}`)]),
    rest: claimAgain,
  },
  {
    name: 'claims-too-soon-once',
    story: 'says done after the first call while two tests fail, then repairs both',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(1)), claim()],
      [build(first(2)), say('Two tests failed, as I see now. One of them passes.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'claims-between-gains',
    story: 'says done without a change in the second and the fourth call, and works in the others; done in the fifth',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(1)), say('The first test passes.')],
      [claim()],
      [build(first(2)), say('I was wrong, two tests failed. One is left.')],
      [claim()],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
];
