import type { Call } from '../scenario.js';
import { build, byFile, byTests, type Family, first, NO_TESTS, project, remove, say, shell, write } from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);
const upTo = (count: number, lineOf: (number: number) => string) => lines(TWENTY.slice(0, count).map(lineOf));

const WORDS =
  'the total of an order is the sum of its lines without the discount and the discount is taken off at the end'.split(
    ' ',
  );
/** The same words in lines of another width. */
function wrapped(width: number): string {
  const rows: string[] = [''];
  for (const word of WORDS) {
    const last = rows.at(-1) ?? '';
    if (last.length + word.length + 1 > width && last !== '') rows.push(word);
    else rows[rows.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines([...rows.map((row) => `// ${row}`), 'export const total = (a, b) => a - b;']);
}

const WAYS = [
  'sums up',
  'computes',
  'returns',
  'gives',
  'works out',
  'determines',
  'calculates',
  'produces',
  'finds',
  'yields',
];

/** Runs that keep moving, and get nowhere. */
export const sick: Family = [
  {
    name: 'wraps-the-same-comment',
    story: 'two of four tests fail; each call wraps the words of the same comment at another width',
    wants: byTests(LONG),
    project: project(4, 2, { files: { 'src/total.js': wrapped(200) } }),
    calls: every((call) => [write('src/total.js', wrapped(20 + call * 3)), say('The module is easier to read now.')]),
    rest: [say('The module is easier to read now.')],
  },
  {
    name: 'rewords-one-sentence-without-tests',
    story: 'there are no tests and code is asked for; each call rewords the one sentence over the same function',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'src/total.js': 'export const total = (a, b) => a - b;\n' } },
    calls: every((call) => [
      write(
        'src/total.js',
        `// ${WAYS[(call - 1) % WAYS.length]} the total of an order${call > WAYS.length ? ' as it is' : ''}\nexport const total = (a, b) => a - b;\n`,
      ),
      say('The comment says it better now. I continue.'),
    ]),
    rest: [say('I continue.')],
  },
  {
    name: 'prints-into-a-text-file',
    story: 'two of three tests fail; each call runs the tests and appends what they print to a text file',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: every((call) => [
      write(
        'output/results.txt',
        upTo(call, (number) => `run ${number}: not ok 2 - two, not ok 3 - three`),
      ),
      say('I have recorded the results.'),
    ]),
    rest: [say('I have recorded the results.')],
  },
  {
    name: 'build-number-in-the-code',
    story:
      'a feature is asked for and all tests pass; each call raises a number and a digest in a file of code, and that is all',
    wants: FEATURE,
    project: project(3, 3, { files: { 'src/build.ts': 'export const BUILD = 100;\n' } }),
    calls: every((call) => [
      write(
        'src/build.ts',
        `export const BUILD = ${100 + call};\nexport const COMMIT = '${(call * 7919).toString(16)}e${call}';\n`,
      ),
      say(`Build ${100 + call} is prepared. I continue.`),
    ]),
    rest: [say('I continue.')],
  },
  {
    name: 'renames-to-and-fro',
    story: 'all tests pass and a feature is asked for; each call renames the same file, to and fro between two names',
    wants: FEATURE,
    project: project(3, 3, { files: { 'src/helpers.ts': 'export const id = (value) => value;\n' } }),
    calls: every((call) => {
      const [from, to] = call % 2 === 1 ? ['helpers', 'utils'] : ['utils', 'helpers'];
      return [
        write(`src/${to}.ts`, 'export const id = (value) => value;\n'),
        remove(`src/${from}.ts`),
        say(`The name ${to} is clearer. I continue.`),
      ];
    }),
    rest: [say('I continue.')],
  },
  {
    name: 'helpers-that-nobody-calls',
    story: 'two of four tests fail; each call adds one more helper that nothing calls',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: every((call) => [
      write(`src/helpers/helper-${call}.ts`, `export const helper${call} = (value) => value + ${call};\n`),
      say(`Helper ${call} will be useful.`),
    ]),
    rest: [say('One more helper will be useful.')],
  },
  {
    name: 'marks-what-is-to-do',
    story:
      'a feature is asked for and all tests pass; each call adds a TODO comment to the code, and none is ever done',
    wants: FEATURE,
    project: project(3, 3, { files: { 'src/app.ts': 'start();\n' } }),
    calls: every((call) => [
      write('src/app.ts', `start();\n${upTo(call, (number) => `// TODO: part ${number} of the feature`)}`),
      say(`Part ${call} is marked. I continue with the next.`),
    ]),
    rest: [say('I continue.')],
  },
  {
    name: 'breaks-one-more-each-time',
    story: 'two of twelve tests fail; each call rewrites a module, and one more test fails than before',
    wants: byTests(LONG),
    project: project(12, 10),
    calls: every((call) => [
      build(first(Math.max(0, 10 - call))),
      write(`src/module-${call}.ts`, `export const rewritten${call} = true;\n`),
      say(`Module ${call} is rewritten.`),
    ]),
    rest: [say('One more module is rewritten.')],
  },
  {
    name: 'tries-another-seed',
    story: 'one of four tests fails; each call writes another seed into the settings and hopes',
    wants: byTests(LONG),
    project: project(4, 3, { files: { 'settings.json': '{ "seed": 1 }\n' } }),
    calls: every((call) => [
      write('settings.json', `{ "seed": ${call * 17} }\n`),
      say(`Seed ${call * 17} does not help either. I try another one.`),
    ]),
    rest: [say('I try another one.')],
  },
  {
    name: 'prints-for-debugging',
    story: 'one of four tests fails; each call takes a print statement out and puts another one in',
    wants: byTests(LONG),
    project: project(4, 3, { files: { 'src/app.ts': 'start();\n' } }),
    calls: every((call) => [
      write('src/app.ts', `start();\nconsole.log('here ${call}', state.part${call});\n`),
      say('It is not there. I look elsewhere.'),
    ]),
    rest: [say('I look elsewhere.')],
  },
  {
    name: 'random-rows',
    story: 'there are no tests, and a program is asked for; each call appends five random rows to a table of examples',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'data/examples.csv': 'id,value\n' } },
    calls: every((call) => [
      write('data/examples.csv', `id,value\n${upTo(call * 1, (number) => `${number},${(number * 7919) % 997}`)}`),
      say('More examples are there. The program comes next.'),
    ]),
    rest: [say('The program comes next.')],
  },
  {
    name: 'readme-in-other-words',
    story: 'a feature is asked for and all tests pass; each call writes the same README in other words',
    wants: FEATURE,
    project: project(3, 3, { files: { 'README.md': '# Shop\n' } }),
    calls: every((call) => [
      write(
        'README.md',
        `# Shop\n\nThis program ${WAYS[(call - 1) % WAYS.length]} orders, version ${call} of this text.\n`,
      ),
      say('The README is clearer now. I continue.'),
    ]),
    rest: [say('I continue.')],
  },
  {
    name: 'attend-une-reponse',
    story: 'the agent speaks French, asks in each call which database to use, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      say(
        "Je ne peux pas continuer sans votre décision : faut-il utiliser PostgreSQL ou SQLite ? Merci de me l'indiquer.",
      ),
    ],
  },
  {
    name: 'licence-server-is-gone',
    story:
      'each call tries to build; the licence of the compiler has expired; the agent says that only the owner can renew it',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [
      shell(
        'make',
        'armcc: error: License checkout failed: license has expired (-10,32)\nmake: *** [all] Error 1',
        true,
      ),
      say('The licence of the compiler has expired. Only you can renew it. Please renew it and start me again.'),
    ],
  },
];
