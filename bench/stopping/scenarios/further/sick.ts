import type { Call } from '../scenario.js';
import { build, byFile, byTests, type Family, NO_TESTS, project, say, shell, tool, write } from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);
/** Each value in turn, again and again. */
const inTurn = <Value>(values: readonly Value[], call: number): Value => values[(call - 1) % values.length] as Value;

const RETRIES = ['retry: none\n', 'retry: once\n', 'retry: twice, with a pause\n', 'retry: until it works\n'];

const LOCKS = [
  { text: 'lock: for each row\n', features: ['one', 'two'] },
  { text: 'lock: for each table\n', features: ['one', 'three'] },
  { text: 'lock: none\n', features: ['one'] },
];

const IDEAS = [
  'think about time zones',
  'look into the cache',
  'consider a queue',
  'decide on a date format',
  'check the licence of the icons',
  'measure the start',
];

/** Runs that are over, that need a person, or in which nothing will come of it. */
export const sick: Family = [
  {
    name: 'fragt-nach-der-variante',
    story:
      'the agent speaks German, lists three options in each call, asks which one it should build, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      tool('Read', 'export: csv'),
      say(
        'Bevor ich anfange, brauche ich eine Entscheidung von Ihnen:\n\n- Option A: Export als CSV\n- Option B: Export als XLSX\n- Option C: beides\n\nWelche Variante soll ich umsetzen? Bitte geben Sie mir kurz Bescheid.',
      ),
    ],
  },
  {
    name: 'login-of-the-cloud-expired',
    story:
      'the command line of the cloud is no longer logged in; the agent shows that in each call and asks the user to log in',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [
      shell(
        'gcloud storage ls gs://shop-fixtures',
        'ERROR: (gcloud.storage.ls) There was a problem refreshing your current auth tokens: Reauthentication failed. cannot prompt during non-interactive execution.\nPlease run:\n\n  $ gcloud auth login\n\nto obtain new credentials.',
        true,
      ),
      say(
        'The fixtures are in a bucket, and the login of `gcloud` has expired. I cannot log in from here. Please run `gcloud auth login` and start me again.',
      ),
    ],
  },
  {
    name: 'disk-is-full',
    story: 'each call ends at once because nothing can be written any more; the agent asks for space',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [
      shell(
        'npm ci',
        'npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28\nnpm error nospc ENOSPC: no space left on device, write',
        true,
      ),
      shell('df -h .', 'Filesystem  Size  Used Avail Use% Mounted on\n/dev/sda1    40G   40G     0 100% /'),
      say(
        'The disk is full, so the packages cannot be installed. I have nothing of my own to delete. Please free some space.',
      ),
    ],
  },
  {
    name: 'asks-for-the-go-ahead',
    story: 'each call writes the plan once more into a note and asks for approval before it begins',
    wants: FEATURE,
    project: project(3, 3),
    calls: every((call) => [
      write('PLAN.md', `# Plan, revision ${call}\n\n1. The table\n2. The form\n3. The mail\n`),
      say('The plan is in PLAN.md. Shall I go ahead with it? I will wait for your approval before I touch any code.'),
    ]),
    rest: [say('Shall I go ahead? I will wait for your approval before I touch any code.')],
  },
  {
    name: 'four-retries-in-turn',
    story: 'two of three tests fail; the agent goes through the same four settings of one file, again and again',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: every((call) => [
      write('src/retry.txt', inTurn(RETRIES, call)),
      say('The setting was wrong. With this one the tests should pass.'),
    ]),
    rest: [say('The tests should pass now.')],
  },
  {
    name: 'three-locks-in-turn',
    story: 'the agent goes through three kinds of lock; with each other tests fail, and never fewer than two of four',
    wants: byTests(LONG),
    project: project(4, 1),
    calls: every((call) => {
      const { text, features } = inTurn(LOCKS, call);
      return [write('src/lock.txt', text), build(features), say('This kind of lock is the right one.')];
    }),
    rest: [say('This kind of lock is the right one.')],
  },
  {
    name: 'writes-the-same-file-again',
    story:
      'one test fails; each call writes a file with the content that it has already, and says that this repairs it',
    wants: byTests(LONG),
    project: project(3, 2, { files: { 'src/format.txt': 'two digits\n' } }),
    calls: [],
    rest: [write('src/format.txt', 'two digits\n'), say('I corrected the format. The failing test should pass now.')],
  },
  {
    name: 'comments-pile-up',
    story: 'two of four tests fail; each call adds a comment to the same function, and the function stays as it is',
    wants: byTests(LONG),
    project: project(4, 2, { files: { 'src/total.ts': 'export const total = (a, b) => a - b;\n' } }),
    calls: every((call) => [
      write(
        'src/total.ts',
        `${lines(TWENTY.slice(0, call).map((number) => `// Remark ${number}: the sign matters here, see the caller.`))}export const total = (a, b) => a - b;\n`,
      ),
      say('I documented the function better. The cause should be clear now.'),
    ]),
    rest: [say('The cause should be clear now.')],
  },
  {
    name: 'bumps-the-version',
    story:
      'all tests pass and a feature is asked for; each call raises the version and adds a line to the changelog, and that is all',
    wants: FEATURE,
    project: project(3, 3, {
      files: { 'package.json': '{ "name": "shop", "version": "1.0.0" }\n', 'CHANGELOG.md': '# Changelog\n' },
    }),
    calls: every((call) => [
      write('package.json', `{ "name": "shop", "version": "1.0.${call}" }\n`),
      write(
        'CHANGELOG.md',
        `# Changelog\n${lines(TWENTY.slice(0, call).map((number) => `- 1.0.${number}: prepare the release`))}`,
      ),
      say('I prepared the release.'),
    ]),
    rest: [say('I prepared the release.')],
  },
  {
    name: 'list-of-things-to-do-grows',
    story: 'there are no tests; each call adds an item to a list of things to do, and none is ever done',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: every((call) => [
      write(
        'TODO.md',
        `# To do\n${lines(TWENTY.slice(0, call).map((number) => `- [ ] ${inTurn(IDEAS, number)} (${number})`))}`,
      ),
      say('I found another thing that should be done, and added it to the list.'),
    ]),
    rest: [say('The list is complete.')],
  },
  {
    name: 'code-generator-stamps-the-time',
    story: 'two of four tests fail; each call runs a generator that writes nothing new but the time and a digest',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: every((call) => [
      shell('make generate', `generated in ${call}.2 s`),
      write(
        'src/generated/stamp.ts',
        `// Code generated by gen 3.1. DO NOT EDIT.\n// 2026-11-${String(call).padStart(2, '0')}T0${call % 10}:14:5${call % 10}Z\nexport const digest = '${(call * 7_919_317).toString(16)}';\n`,
      ),
      say('I generated the code again. The tests should pass now.'),
    ]),
    rest: [say('I generated the code again.')],
  },
  {
    name: 'percent-in-a-note',
    story: 'three of four tests fail; each call raises a percentage in a note and says how well it goes',
    wants: byTests(LONG),
    project: project(4, 1),
    calls: every((call) => [
      write('progress.md', `# Progress\n\n${Math.min(99, 35 + call * 5)} % of the parser is done. On track.\n`),
      say(`Great progress: the parser is at ${Math.min(99, 35 + call * 5)} % now.`),
    ]),
    rest: [say('The parser is nearly done.')],
  },
  {
    name: 'finished-and-silent-about-it',
    story:
      'all tests pass; three calls build the feature; after that the agent only looks, and never says the agreed words',
    wants: FEATURE,
    project: project(3, 3),
    calls: ['model', 'view', 'route'].map((part) => [
      write(`src/wishlist/${part}.txt`, `${part} of the wish list\n`),
      say(`The ${part} of the wish list is there.`),
    ]),
    rest: [
      tool('Read', 'model, view and route of the wish list'),
      say('The wish list has its model, its view and its route.'),
    ],
  },
  {
    name: 'finished-and-polishing',
    story:
      'all tests pass; the third call finishes the feature and says so; each later one rewords a comment and says that all is complete',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/tags/model.ts', 'export const tags = new Map();\n'), say('The model of the tags is there.')],
      [write('src/tags/view.ts', 'export const view = (tag) => tag;\n'), say('The view of the tags is there.')],
      [
        write('src/tags/route.ts', 'export const route = "/tags";\n'),
        say('The feature is complete: model, view and route are there.'),
      ],
      ...TWENTY.map((number) => [
        write('src/tags/route.ts', `// The route of the tags, wording ${number}.\nexport const route = "/tags";\n`),
        say('The feature is complete. I polished a comment.'),
      ]),
    ],
    rest: [say('The feature is complete.')],
  },
  {
    name: 'same-command-fails-again',
    story:
      'two of four tests fail; each call runs the same command, gets the same error, and says that it will try once more',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: [],
    rest: [
      shell(
        'make -C native',
        "native/ring.c:88:14: error: incompatible types when assigning to type 'size_t' from type 'struct ring'",
        true,
      ),
      say('The native part does not compile. I will try once more.'),
    ],
  },
];
