import type { Call } from '../scenario.js';
import {
  build,
  byFile,
  byTests,
  claim,
  type Family,
  first,
  MARKER,
  NO_TESTS,
  project,
  remove,
  say,
  shell,
  tool,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);

const BUILD_ERROR = "src/pool.ts(31,7): error TS2322: Type 'undefined' is not assignable to type 'Socket'.";

const CODE = ['if (ready) {', 'open(door);', 'count += 1;', '}', 'return count;'];
const IMPORTS = ['fs', 'path', 'os', 'url', 'net', 'tls'].map((name) => `import ${name} from 'node:${name}';`);
/** Another order each time. */
const ordered = (call: number) => {
  const turned = [...IMPORTS.slice(call % 6), ...IMPORTS.slice(0, call % 6)];
  return call % 12 < 6 ? turned : turned.toReversed();
};

const REPORTS = [
  'ANALYSIS.md',
  'FINDINGS.md',
  'SUMMARY.md',
  'docs/architecture-review.md',
  'IMPLEMENTATION_PLAN.md',
  'docs/next-steps.md',
  'RISKS.md',
  'docs/decision-log.md',
  'STATUS_REPORT.md',
  'docs/executive-summary.md',
];
const report = (call: number): string => REPORTS[call - 1] ?? `docs/report-${call}.md`;

const NAMES_FOR_IT = ['user', 'account', 'customer', 'client', 'member', 'person', 'holder', 'owner', 'party', 'actor'];

const ROWS = ['1,Rome,412', '2,Oslo,77', '3,Lima,230'];

const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);

/** Runs in which nothing will come of it. */
export const sick: Family = [
  {
    name: 'same-build-error-again',
    story: 'each call runs the build, meets the same compile error, says that it tries again, and changes nothing',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [shell('npm run build', BUILD_ERROR, true), say('The build failed. Let me try again.')],
  },
  {
    name: 'formats-again-and-again',
    story: 'two tests fail, and each call only indents the same code in another way',
    wants: byTests(LONG),
    project: project(3, 1, { files: { 'src/door.txt': lines(CODE) } }),
    calls: every((call) => [
      write('src/door.txt', lines(CODE.map((line) => `${' '.repeat(call)}${line}`))),
      say('I improved the formatting, so that the code is easier to read.'),
    ]),
    rest: [say('The formatting is consistent now.')],
  },
  {
    name: 'sorts-imports',
    story: 'each call puts the same six imports into another order; there are no tests',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'src/server.ts': lines(IMPORTS) } },
    calls: every((call) => [write('src/server.ts', lines(ordered(call))), say('I tidied the imports.')]),
    rest: [say('The imports are tidy.')],
  },
  {
    name: 'a-report-in-each-call',
    story: 'the task is code, and each call writes one more report under another name; there are no tests',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'src/server.ts': lines(IMPORTS) } },
    calls: every((call) => [
      tool('Read', lines(IMPORTS)),
      write(
        report(call),
        `# Report ${call}\n\nThe server is one file. It should be split along its responsibilities.\n`,
      ),
      say(`I summarised what I found in ${report(call)}.`),
    ]),
    rest: [say('The reports are complete.')],
  },
  {
    name: 'password-refused',
    story:
      'the tests need a database whose password the agent does not have; it says so in each call, without a question',
    wants: byTests(LONG),
    project: project(3),
    calls: [],
    rest: [
      shell(
        'psql "$STAGING_URL" -c "select 1"',
        'psql: error: connection to server at "staging.db.internal", port 5432 failed: FATAL:  password authentication failed for user "app"',
        true,
      ),
      say(
        'The staging database rejects the password that is configured here. Without a valid password for user `app` I cannot run the migration, and all three tests depend on it.',
      ),
    ],
  },
  {
    name: 'asks-in-german',
    story: 'the agent speaks German and asks for a token in each call',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [
      shell(
        'npm ci',
        'npm error code E401\nnpm error Unable to authenticate, your authentication token seems to be invalid.',
        true,
      ),
      say(
        'Ich komme hier nicht weiter: Das Paketregister lehnt die Anmeldung ab. Bitte hinterlegen Sie ein gültiges Token in `~/.npmrc` und starten Sie mich dann erneut.',
      ),
    ],
  },
  {
    name: 'which-of-the-two',
    story:
      'the task can be read in two ways; the agent names both in each call, asks which is meant, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      tool('Read', 'totals: net'),
      say(
        'I stopped before changing anything, because "totals" can mean two things here:\n\n1. net totals, as in the monthly export\n2. gross totals, as on the invoice\n\nWhich of the two should I implement? I will start as soon as you tell me.',
      ),
    ],
  },
  {
    name: 'drops-the-failing-tests',
    story: 'two of five tests fail; the first call deletes them, and each later one says that everything passes',
    wants: byTests(LONG),
    project: project(5, 3),
    calls: [
      [
        remove('tests/four.test'),
        remove('tests/five.test'),
        say(`The two outdated tests were removed. All tests pass now.\n\n${MARKER}`),
      ],
    ],
    rest: [say(`All tests pass. There is nothing left to do.\n\n${MARKER}`)],
  },
  {
    name: 'trades-tests-and-grows',
    story: 'each call adds a shim that repairs one test and breaks another, in turn; the code grows all the time',
    wants: byTests(LONG),
    project: project(4, 1),
    calls: every((call) => [
      write(`src/shims/shim-${call}.txt`, `when the caller is number ${call}, do as it expects\n`),
      build(call % 2 === 0 ? ['one', 'two'] : ['one', 'three']),
      say('The failing test passes with this shim.'),
    ]),
    rest: [say('The failing test passes with this shim.')],
  },
  {
    name: 'done-with-a-new-comment',
    story: 'one test fails; each call rewords a comment and says that everything is done',
    wants: byTests(LONG),
    project: project(3, 2),
    calls: every((call) => [
      write(
        'src/rates.ts',
        `// Rates, as agreed. Note ${call}: ${NAMES_FOR_IT[call % 10]} first.\nexport const rate = 0.2;\n`,
      ),
      claim(),
    ]),
    rest: [claim()],
  },
  {
    name: 'renames-without-end',
    story: 'all tests pass and a feature is asked for; each call gives the same class another name and adds nothing',
    wants: FEATURE,
    project: project(3, 3, { files: { 'src/model.ts': 'export class User { name = ""; email = ""; }\n' } }),
    calls: every((call) => {
      const name = `${NAMES_FOR_IT[call % 10]}${call > 10 ? 'Record' : ''}`;
      return [
        write('src/model.ts', `export class ${name[0]?.toUpperCase()}${name.slice(1)} { name = ""; email = ""; }\n`),
        say(`I renamed the class to ${name}, which says better what it is.`),
      ];
    }),
    rest: [say('The name fits now.')],
  },
  {
    name: 'worse-each-time',
    story: 'one of eight tests fails, and each call breaks one more while it repairs nothing',
    wants: byTests(LONG),
    project: project(8, 7),
    calls: every((call) => [
      write('src/rules.txt', `exception ${call}\n`),
      build(first(Math.max(0, 7 - call))),
      say('I made the rule stricter. The remaining failures should be gone now.'),
    ]),
    rest: [say('The remaining failures should be gone now.')],
  },
  {
    name: 'same-rows-again',
    story: 'the task is a table of cities; each call appends the same three rows once more; there are no tests',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'data/cities.csv': 'id,city,stops\n' } },
    calls: every((call) => [
      write('data/cities.csv', `id,city,stops\n${lines(Array.from({ length: call }, () => ROWS).flat())}`),
      say('I added the cities of this batch.'),
    ]),
    rest: [say('I added the cities of this batch.')],
  },
];
