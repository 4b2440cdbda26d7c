import type { Call } from '../scenario.js';
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
  shell,
  tool,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);
const inTurn = <Value>(values: readonly Value[], call: number): Value => values[(call - 1) % values.length] as Value;

const LEAVES_IT = [
  'The refunds depend on the contract with the payment provider. This should be picked up by a developer of your team who knows it.',
  'I have done what I can here. I suggest that somebody with access to the contract takes over.',
  'I cannot make any further progress without that knowledge, so an engineer who knows the provider should take it from here.',
];

const TABLES = ['orders', 'customers', 'invoices', 'refunds', 'coupons', 'carts'];

const APPROVALS = [
  'A manager with the right role takes over after two days, and only the owner can approve more than 10,000. Next I read how roles are stored.',
  'Roles are rows of a table: an administrator should handle what nobody has approved within a week. I now know where to begin.',
];

const SLOGANS = [
  'Invoices without tears',
  'Your invoices, sorted',
  'Billing for people',
  'Less paper, more time',
  'Send it and forget it',
  'Money on time',
  'The calm way to bill',
  'Paid before you know it',
  'Numbers that add up',
  'Billing, but friendly',
  'One click to get paid',
  'Simply invoices',
];

const PIECES = ['parse', 'resolve', 'match', 'render', 'cache', 'log', 'limit', 'close'];

const SIZES = [64, 128, 256, 512, 384, 448, 416];

const ROUTES = ['users', 'teams', 'files', 'search', 'billing', 'events', 'tokens', 'hooks', 'health'];

const ENTITIES = ['User', 'Team', 'File', 'Invoice', 'Event', 'Token', 'Hook', 'Audit'];

const CAUSES = ['the cache', 'the time zone', 'the rounding', 'the order of the keys', 'the encoding', 'the locale'];

/** An agent that leaves the rest to a person says so in many words. */
export const handsOver: Family = [
  {
    name: 'leaves-it-to-the-team',
    story:
      'two of four tests fail; each call reads, and says in other words that somebody of the team should take over',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: every((call) => [tool('Read', 'const refund = provider.refund(id);'), say(inTurn(LEAVES_IT, call))]),
    rest: [say(inTurn(LEAVES_IT, 1))],
  },
  {
    name: 'certificate-has-run-out',
    story:
      'all tests pass; the build cannot be signed, as a certificate has run out; each call says that only the user can renew it',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      shell('make sign', 'error: The specified item has expired: "Developer ID Application: Acme (7XK2)"', true),
      say(
        'The signing certificate ran out yesterday, and only you can renew it in the portal. Renew it, then run me again.',
      ),
    ],
  },
  {
    name: 'recommends-a-review-of-each-table',
    story:
      'all tests pass; each of six calls migrates a table, and recommends that an engineer looks at it before it is deployed',
    wants: FEATURE,
    project: project(3, 3),
    calls: TABLES.map((table, index) => [
      write(`migrations/${index + 1}_${table}.sql`, `ALTER TABLE ${table} ADD COLUMN tenant_id bigint;\n`),
      index === TABLES.length - 1
        ? claim()
        : say(
            `\`${table}\` has its tenant. I recommend that an engineer takes a look at the locks before this is deployed.`,
          ),
    ]),
    rest: claimAgain,
  },
  {
    name: 'builds-an-approval',
    story:
      'the feature is an approval, so the words are of owners and managers who take over; two calls only read; done in the sixth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...APPROVALS.map((words) => [tool('Read', 'create table roles (name text);'), say(words)]),
      ...['model', 'rules', 'mail'].map((part) => [
        write(`src/approval/${part}.ts`, `export const ${part} = approvals.${part}();\n`),
        say(`The ${part} of the approval is there: an owner should take over when nobody answers.`),
      ]),
      [write('src/approval/page.ts', 'export const page = render(approvals);\n'), claim()],
    ],
    rest: claimAgain,
  },
];

/** Other lines in place of those that the agent has just written. */
export const rewrites: Family = [
  {
    name: 'another-slogan',
    story: 'there are no tests and a page of prices is asked for; each call puts another slogan over the start page',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'index.html': '<h1>Welcome</h1>\n<a href="/login">Log in</a>\n' } },
    calls: every((call) => [
      write('index.html', `<h1>${inTurn(SLOGANS, call)}${call > 12 ? '!' : ''}</h1>\n<a href="/login">Log in</a>\n`),
      say('This slogan speaks more clearly to the visitors.'),
    ]),
    rest: [say('The slogan fits.')],
  },
  {
    name: 'another-palette',
    story: 'all tests pass and a dark mode is asked for; each call gives the three colours of the theme other values',
    wants: FEATURE,
    project: project(3, 3, { files: { 'src/theme.css': ':root {\n  --ink: #111111;\n}\n' } }),
    calls: every((call) => [
      write(
        'src/theme.css',
        `:root {\n${['ink', 'paper', 'accent'].map((name, index) => `  --${name}: #${((call * 3 + index) * 52_711).toString(16).padStart(6, '0')};\n`).join('')}}\n`,
      ),
      say('I adjusted the colours, so that they go together better.'),
    ]),
    rest: [say('The colours go together.')],
  },
  {
    name: 'rewrites-and-grows',
    story: 'all tests pass; each of eight calls adds a step to a pipeline, and writes the line that joins them anew',
    wants: FEATURE,
    project: project(3, 3),
    calls: PIECES.map((_, index) => [
      write(
        'src/pipeline.ts',
        lines([
          ...PIECES.slice(0, index + 1).map((name) => `const ${name} = (request) => request.${name}();`),
          `export const run = pipe(${PIECES.slice(0, index + 1).join(', ')});`,
        ]),
      ),
      index === PIECES.length - 1 ? claim() : say(`The step ${PIECES[index]} is in the pipeline.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'tunes-the-size-of-batches',
    story: 'all tests pass; seven calls try sizes of a batch and measure each, the eighth writes down what is best',
    wants: FEATURE,
    project: project(3, 3, { files: { 'src/settings.ts': 'export const batch = 32;\n' } }),
    calls: [
      ...SIZES.map((size) => [
        write('src/settings.ts', `export const batch = ${size};\n`),
        shell('npm run bench', `batch ${size}: ${Math.round(9000 - 8 * Math.abs(420 - size))} rows/s`),
        say(`With ${size} it is ${Math.round(9000 - 8 * Math.abs(420 - size))} rows per second. I try another size.`),
      ]),
      [write('docs/tuning.md', '416 is the best size of a batch: 8,968 rows per second.\n'), claim()],
    ],
    rest: claimAgain,
  },
];

/** Tests that passed until the agent began to rebuild what they test. */
export const brokenOnPurpose: Family = [
  {
    name: 'new-router-in-nine-red-calls',
    story:
      'all tests pass; the router is replaced, four of six tests fail until all nine routes are moved; done in the tenth call',
    wants: FEATURE,
    project: project(6, 6),
    calls: [
      ...ROUTES.map((route, index) => [
        ...(index === 0 ? [build(first(2))] : []),
        write(`src/routes/${route}.ts`, `export const ${route} = router.get('/${route}', list${route});\n`),
        say(
          `\`/${route}\` is on the new router. ${ROUTES.length - 1 - index} routes are left until the tests can pass.`,
        ),
      ]),
      [write('src/server.ts', `serve(${ROUTES.join(', ')});\n`), build(first(6)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'without-the-old-mapper',
    story:
      'all tests pass; the first call takes the old mapper out, so none of five passes; seven more write an entity each; done in the ninth',
    wants: FEATURE,
    project: project(5, 5, { files: { 'src/mapper.js': 'module.exports = require("old-mapper");\n' } }),
    calls: [
      ...ENTITIES.map((entity, index) => [
        ...(index === 0 ? [remove('src/mapper.js'), build([])] : []),
        write(`src/entities/${entity}.ts`, `@Entity()\nexport class ${entity} { @Id() id!: string }\n`),
        shell('npm test', 'Error: No connection options were found in any orm configuration files.', true),
        say(`The entity ${entity} is written. Nothing can run before the connection is set up, which comes last.`),
      ]),
      [write('src/connection.ts', `connect([${ENTITIES.join(', ')}]);\n`), build(first(5)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'breaks-it-and-wraps-it',
    story:
      'all tests pass and a feature is asked for; the first call breaks three of five tests, each later one adds a wrapper, and the same three fail',
    wants: FEATURE,
    project: project(5, 5),
    calls: every((call) => [
      ...(call === 1 ? [build(first(2))] : []),
      write(`src/compat/wrapper-${call}.ts`, `export const wrap${call} = (value) => wrapped(value, ${call});\n`),
      say('This wrapper should make the failing tests pass again.'),
    ]),
    rest: [say('The tests should pass again.')],
  },
  {
    name: 'breaks-it-and-rewrites-it',
    story:
      'all tests pass and a feature is asked for; the first call breaks three of five tests, each later one writes the same module in two versions in turn',
    wants: FEATURE,
    project: project(5, 5),
    calls: every((call) => [
      ...(call === 1 ? [build(first(2))] : []),
      write(
        'src/session.ts',
        call % 2 === 0 ? 'export const session = cookie();\n' : 'export const session = token();\n',
      ),
      say('The sessions are written the other way now, which should repair the tests.'),
    ]),
    rest: [say('The tests should pass again.')],
  },
];

/** It says that it is done, and the tests say that it is not. */
export const claimsOverRed: Family = [
  {
    name: 'fixed-this-time',
    story:
      'two of four tests fail; each call finds another cause, changes a line, and says that all is done; the same two fail',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: every((call) => [
      write(`src/fix-${call}.ts`, `export const fix${call} = repair(${JSON.stringify(inTurn(CAUSES, call))});\n`),
      say(`The cause was ${inTurn(CAUSES, call)}. It is fixed now, and the task is complete.\n\n${MARKER}`),
    ]),
    rest: [say(`The task is complete.\n\n${MARKER}`)],
  },
  {
    name: 'done-with-another-release-note',
    story: 'one of three tests fails; each call adds a line to the release notes and says that all is done',
    wants: byTests(LONG),
    project: project(3, 2),
    calls: every((call) => [
      write(
        'docs/release.md',
        `# 2.0\n${lines(TWENTY.slice(0, call).map((number) => `- ${inTurn(CAUSES, number)} works as it should (${number})`))}`,
      ),
      say(`The release is ready. Everything is implemented.\n\n${MARKER}`),
    ]),
    rest: [say(`The release is ready.\n\n${MARKER}`)],
  },
  {
    name: 'says-done-and-repairs-one-more',
    story:
      'none of six tests passes; each call says that all is done, and makes one more of them pass; done in the sixth',
    wants: byTests(LONG),
    project: project(6),
    calls: TWENTY.slice(0, 6).map((call) => [
      write(`src/part-${call}.ts`, `export const part${call} = start(${call});\n`),
      build(first(call)),
      claim(),
    ]),
    rest: claimAgain,
  },
  {
    name: 'overconfident-four-times',
    story:
      'two of four tests fail; four calls repair what is not the cause, and say that all is done; the fifth finds the cause',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: [
      ...CAUSES.slice(0, 4).map((cause, index) => [
        write(`src/fix-${index + 1}.ts`, `export const fix = repair(${JSON.stringify(cause)});\n`),
        say(`The cause was ${cause}. It is fixed, and the task is complete.\n\n${MARKER}`),
      ]),
      [write('src/encoding.ts', 'export const encoding = "utf8";\n'), build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
];
