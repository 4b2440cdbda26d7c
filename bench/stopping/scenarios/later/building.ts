import { build, byTests, claim, claimAgain, type Family, first, project, say, write } from '../steps.js';

const FEATURE = byTests({ task: 'build' });

/** All tests pass at the start, and the person asks for a feature. */
export const building: Family = [
  {
    name: 'export-in-three-calls',
    story: 'an export takes three calls, the tests pass after each, and the agent says done only in the third',
    wants: FEATURE,
    project: project(4, 4),
    calls: [
      [write('src/export/rows.txt', 'collect the rows\n'), say('The rows are collected. The file format is next.')],
      [write('src/export/csv.txt', 'quote, separate, end the line\n'), say('The format works. The command is next.')],
      [write('src/export/command.txt', 'export --to FILE\n'), build([...first(4), 'export']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'tests-come-with-the-feature',
    story: 'each of four calls adds a part of the search and a test for it that passes',
    wants: FEATURE,
    project: project(3, 3),
    calls: ['query', 'index', 'rank', 'highlight'].map((part, index, parts) => [
      build([...first(3), ...parts.slice(0, index + 1)]),
      write(`tests/${part}.test`, `${part}\n`),
      part === 'highlight' ? claim() : say(`The ${part} works and has a test. The ${parts[index + 1]} is next.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'done-with-step-one',
    story: 'the agent says "done with step 1 of 3" after the first call, and finishes in the third',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/login/form.txt', 'name and password\n'), say('Done with step 1 of 3. All tests pass.')],
      [write('src/login/session.txt', 'a cookie for a day\n'), say('Step 2 of 3 is complete. All tests pass.')],
      [write('src/login/logout.txt', 'drop the cookie\n'), build([...first(3), 'login']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'builds-without-a-word',
    story: 'three calls build the feature, the fourth changes nothing; the agent never says that it is done',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/mail/template.txt', 'Dear {name}\n'), say('I added the template.')],
      [write('src/mail/send.txt', 'connect, hand over, close\n'), say('I added the sending part.')],
      [build([...first(3), 'mail']), write('src/mail/retry.txt', 'three times\n'), say('I added the retries.')],
    ],
    rest: [say('I ran the tests again. They pass.')],
  },
  {
    name: 'claims-before-it-builds',
    story:
      'the first call changes nothing and says done because the tests pass; the second and third build the feature',
    wants: FEATURE,
    project: project(4, 4),
    calls: [
      [claim()],
      [write('src/archive/pack.txt', 'one file per month\n'), say('I had not built the archive. Packing works now.')],
      [write('src/archive/unpack.txt', 'into an empty folder\n'), build([...first(4), 'archive']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'breaks-one-then-finishes',
    story: 'the first call starts the feature and breaks a test; the second repairs it and finishes',
    wants: FEATURE,
    project: project(4, 4),
    calls: [
      [build(['one', 'two', 'four', 'undo']), say('Undo works. Test three fails now; I repair it next.')],
      [build([...first(4), 'undo', 'redo']), claim()],
    ],
    rest: claimAgain,
  },
];
