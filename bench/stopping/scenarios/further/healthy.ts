import type { Call } from '../scenario.js';
import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  NAMES,
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

const PIECES = ['tokens', 'spans', 'scopes', 'bindings', 'captures', 'lowering'];

const TABLES = ['customers', 'orders', 'order_lines', 'payments', 'refunds'];
const migrationOf = (table: string) => `create table ${table} (id bigint primary key, created_at timestamptz);\n`;

const LOCALES = ['de', 'fr', 'it', 'pt', 'nl', 'sv', 'pl'];
const IN_SPANISH = [
  'He traducido los textos al alemán. ¿Falta algo? Sí: quedan seis idiomas. Sigo con el francés.',
  'El francés está listo. El texto del error dice «introduzca su contraseña», como en el original.',
  'El italiano está listo. ¿Cómo se traduce «token»? Lo dejo sin traducir, como en las demás lenguas.',
  'El portugués está listo. No puedo comprobar los plurales sin el polaco, así que lo haré al final.',
  'El neerlandés está listo. Quedan dos.',
  'El sueco está listo. Queda el polaco.',
];

const TUNING = [
  { workers: 4, queue: 64, p99: 412 },
  { workers: 6, queue: 64, p99: 371 },
  { workers: 8, queue: 64, p99: 355 },
  { workers: 8, queue: 128, p99: 318 },
  { workers: 8, queue: 256, p99: 331 },
  { workers: 10, queue: 192, p99: 274 },
  { workers: 12, queue: 192, p99: 243 },
];

const PACKAGES = ['core', 'server', 'client', 'cli', 'docs', 'testing'];

const STRICT = ['store', 'router', 'session', 'mailer', 'search', 'export'];
const errorsLeft = (files: readonly string[]) =>
  lines([
    ...files.map((file, index) => `src/${file}.ts(${12 + index},5): error TS2345: Argument is possibly 'undefined'.`),
    `Found ${files.length * 7} errors in ${files.length} files.`,
  ]);

const STAGES = ['download', 'decode', 'clean', 'join', 'score', 'index'];

const COMMANDS = ['add', 'list', 'show', 'edit', 'remove', 'export'];

const chatty = (part: string): string =>
  lines([
    `Let me think about the ${part}. Should it be strict? Would a looser check be better? I cannot decide that without`,
    'seeing how it is used, so I looked at every caller.',
    ...Array.from(
      { length: 120 },
      (_, index) => `- caller ${index + 1}: passes ${part} ${index * 3}; an error here is impossible to hide`,
    ),
    'I was stuck for a moment because two callers disagree. Please note that both now go through the same check.',
    `The ${part} is done, the next part comes next. I need nothing from you.`,
  ]);

const LIMITER: readonly Call[] = [
  [
    write('src/limiter/bucket.txt', 'capacity, refill per second\n'),
    say('The bucket is there. A request over the limit gets "429 Too Many Requests: rate limit exceeded".'),
  ],
  [
    write('src/limiter/header.txt', 'Retry-After: seconds\n'),
    shell(
      'curl -i localhost:8080/items',
      'HTTP/1.1 429 Too Many Requests\nRetry-After: 3600\n\n{"error":"usage limit reached, resets 3pm (UTC)"}',
    ),
    say(
      'The server now answers "Usage limit reached. Try again in 60 minutes." as it should. Next: the quota of a day.',
    ),
  ],
  [
    write('src/limiter/quota.txt', 'per key and day\n'),
    say('The message is "You have exceeded your quota. Please upgrade your plan." Next: the overload answer.'),
  ],
  [
    write('src/limiter/overload.txt', '503 when more than 200 wait\n'),
    say('With too many waiting requests the answer is "503 Overloaded". Only the wiring is left.'),
  ],
  [write('src/limiter/index.txt', 'bucket, header, quota, overload\n'), build([...first(3), 'limiter']), claim()],
];

/** Runs that look as if nothing will come of them, and end well. */
export const healthy: Family = [
  {
    name: 'plateau-before-the-jump',
    story:
      'six of ten tests fail through six calls, each of which writes another pass of a compiler; the seventh joins them',
    wants: byTests(LONG),
    project: project(10, 4),
    calls: [
      ...PIECES.map((piece, index) => [
        write(`src/compiler/${piece}.txt`, `${piece}: one walk over the tree, with an explicit stack\n`),
        say(`The pass for ${piece} is written, ${index + 1} of 6. The tests see it when all are joined.`),
      ]),
      [write('src/compiler/index.txt', lines(PIECES)), build(first(10)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'migrations-and-a-generated-client',
    story: 'all tests pass; each of five calls adds a migration, and a generator writes the same client file again',
    wants: FEATURE,
    project: project(4, 4, { files: { 'db/schema.sql': '-- generated\n' } }),
    calls: TABLES.map((table, index) => [
      write(`db/migrations/000${index + 1}_${table}.sql`, migrationOf(table)),
      write('db/schema.sql', `-- generated\n${lines(TABLES.slice(0, index + 1).map(migrationOf))}`),
      write(
        'src/generated/client.ts',
        `// @generated by sqlgen, do not edit\n${lines(TABLES.slice(0, index + 1).map((name) => `export const ${name} = table('${name}');`))}`,
      ),
      index === TABLES.length - 1 ? claim() : say(`The migration of ${table} runs forward and back.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'translates-language-by-language',
    story: 'all tests pass; the agent speaks Spanish and adds one file of translations in each of seven calls',
    wants: FEATURE,
    project: project(3, 3, { files: { 'locales/en.json': '{ "password": "Please enter your password" }\n' } }),
    calls: LOCALES.map((locale, index) => [
      write(`locales/${locale}.json`, `{ "password": "(${locale}) Please enter your password", "count": ${index} }\n`),
      index === LOCALES.length - 1 ? claim() : say(IN_SPANISH[index] ?? ''),
    ]),
    rest: claimAgain,
  },
  {
    name: 'tunes-two-numbers',
    story:
      'one test of speed fails; each of seven calls changes a number in the settings and measures; the eighth is fast enough',
    wants: byTests(LONG),
    project: project(4, 3, { files: { 'config/pool.toml': 'workers = 2\nqueue = 64\n' } }),
    calls: [
      ...TUNING.map(({ workers, queue, p99 }) => [
        write('config/pool.toml', `workers = ${workers}\nqueue = ${queue}\n`),
        shell('./bench --duration 30s', `requests 120000\np50 31 ms\np99 ${p99} ms (limit 200 ms)`),
        say(`With ${workers} workers and a queue of ${queue}, p99 is ${p99} ms. The limit is 200 ms.`),
      ]),
      [write('config/pool.toml', 'workers = 14\nqueue = 192\n'), build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'upgrades-one-dependency-at-a-time',
    story:
      'three of six tests fail; two calls change only versions and the lock file, the others the code that used them',
    wants: byTests(LONG),
    project: project(6, 3, {
      files: { 'package.json': '{ "dependencies": { "router": "4.1.0", "orm": "2.0.0" } }\n' },
    }),
    calls: [
      [
        write('package.json', '{ "dependencies": { "router": "5.0.0", "orm": "2.0.0" } }\n'),
        write('package-lock.json', '{ "packages": { "router": "5.0.0", "orm": "2.0.0" } }\n'),
        say('The router is at version 5. Its callers are next.'),
      ],
      [
        write('src/routes.txt', 'routes as an object\n'),
        build(first(4)),
        say('The callers of the router follow version 5.'),
      ],
      [
        write('package.json', '{ "dependencies": { "router": "5.0.0", "orm": "3.0.0" } }\n'),
        write('package-lock.json', '{ "packages": { "router": "5.0.0", "orm": "3.0.0" } }\n'),
        say('The ORM is at version 3. Its callers are next.'),
      ],
      [write('src/queries.txt', 'queries as builders\n'), build(first(5)), say('The queries follow version 3.')],
      [write('src/seeds.txt', 'seeds as builders\n'), build(first(6)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'formats-before-it-works',
    story: 'all tests pass; two calls only format, one only renames, then three calls build what was asked for',
    wants: FEATURE,
    project: project(3, 3, {
      files: { 'src/a.ts': 'function a(){return 1}\n', 'src/b.ts': 'function b(){return 2}\n' },
    }),
    calls: [
      [
        write('src/a.ts', 'function a() {\n  return 1;\n}\n'),
        say('I formatted the first file, so that later changes are easy to read.'),
      ],
      [write('src/b.ts', 'function b() {\n  return 2;\n}\n'), say('The second file is formatted, too.')],
      [
        remove('src/b.ts'),
        write('src/rate.ts', 'function b() {\n  return 2;\n}\n'),
        say('The second file has the name of what it does now. The feature itself is next.'),
      ],
      [write('src/discount.ts', 'export const discount = (total) => total * 0.1;\n'), say('The discount is computed.')],
      [write('src/voucher.ts', 'export const voucher = (code) => codes.get(code);\n'), say('Vouchers are looked up.')],
      [
        write('src/checkout.ts', 'export const pay = (total) => total - discount(total);\n'),
        build([...first(3), 'discount']),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'reads-for-two-calls',
    story: 'two calls only read the code and name what they found; three calls repair a test each',
    wants: byTests(LONG),
    project: project(5, 2),
    calls: [
      [
        tool('Read', 'the old scheduler, 900 lines'),
        tool('Grep', 'src/scheduler.ts:112: queue.shift()'),
        say('The scheduler takes jobs from the wrong end of the queue. I have yet to see who depends on that.'),
      ],
      [
        tool('Read', 'the worker pool, 400 lines'),
        say('Two callers rely on the order. I know what to change, and begin with the pool.'),
      ],
      [write('src/pool.txt', 'first in, first out\n'), build(first(3)), say('The pool keeps the order.')],
      [
        write('src/scheduler.txt', 'takes the oldest job\n'),
        build(first(4)),
        say('The scheduler takes the oldest job.'),
      ],
      [write('src/retry.txt', 'back to the front\n'), build(first(5)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'command-line-without-tests',
    story:
      'there are no tests at all; each of six calls adds a command to the same file and tries it; the seventh writes the help',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'notes.py': 'import sys\n' } },
    calls: [
      ...COMMANDS.map((command, index) => [
        write(
          'notes.py',
          `import sys\n${lines(COMMANDS.slice(0, index + 1).map((name) => `def ${name}(args):\n    return store.${name}(args)`))}`,
        ),
        shell(`python3 notes.py ${command} 1`, 'ok'),
        say(`\`notes ${command}\` works.`),
      ]),
      [write('help.py', lines(COMMANDS)), write('DONE.md', 'Six commands and their help.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'five-failing-tests-first',
    story: 'all four tests pass; five calls each write a failing test, then five calls each make one of them pass',
    wants: FEATURE,
    project: project(4, 4),
    calls: [
      ...NAMES.slice(4, 9).map((name) => [
        write(`tests/${name}.test`, `${name}\n`),
        say(`I wrote the test for ${name}. It fails, as it should: nothing of it is built yet.`),
      ]),
      ...NAMES.slice(4, 9).map((name, index) => [
        write(`src/parts/${name}.txt`, `${name}, as its test wants it\n`),
        build(first(5 + index)),
        index === 4 ? claim() : say(`The test for ${name} passes.`),
      ]),
    ],
    rest: claimAgain,
  },
  {
    name: 'thinks-aloud-at-length',
    story:
      'each of six calls says 120 lines, with questions to itself, and words like stuck, impossible and please; done in the sixth',
    wants: byTests(LONG),
    project: project(6),
    calls: [
      ...['length', 'width', 'height', 'weight', 'colour'].map((part, index) => [
        write(`src/checks/${part}.txt`, `${part} is checked once\n`),
        build(first(index + 1)),
        say(chatty(part)),
      ]),
      [write('src/checks/all.txt', 'in this order\n'), build(first(6)), say(chatty('order')), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'six-stages-of-ignored-data',
    story:
      'there are no tests; each of six calls runs a stage of a data pipeline that writes to an ignored folder, which the user names as work',
    wants: byFile(LONG),
    project: { ...NO_TESTS, ignored: ['data/'], files: { 'pipeline.toml': 'stages = 6\n' } },
    adds: { progress: { also: ['data/**'] } },
    calls: [
      ...STAGES.map((stage, index) => [
        shell(`make ${stage}`, `${stage}: 40000 records in, ${40_000 - index * 1500} out`),
        write(
          `data/${stage}.csv`,
          lines(Array.from({ length: 40 }, (_, row) => `${row},${stage},${row * (index + 3)}`)),
        ),
        say(`The stage ${stage} is through.`),
      ]),
      [write('DONE.md', 'Six stages, 32500 records.\n'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'renames-in-six-packages',
    story:
      'all tests pass, and a name is to be changed everywhere; each of six calls moves the file of another package',
    wants: FEATURE,
    project: project(4, 4, {
      files: Object.fromEntries(
        PACKAGES.map((name) => [`packages/${name}/src/widget.ts`, `export const ${name} = 'widget';\n`]),
      ),
    }),
    calls: PACKAGES.map((name, index) => [
      remove(`packages/${name}/src/widget.ts`),
      write(`packages/${name}/src/gadget.ts`, `export const ${name} = 'gadget';\n`),
      index === PACKAGES.length - 1
        ? claim()
        : say(`The package ${name} says gadget now. ${PACKAGES.length - 1 - index} are left.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'strict-types-file-by-file',
    story:
      'the compiler is made strict, so nothing builds; each of six calls repairs the errors of one file; then all tests pass',
    wants: FEATURE,
    project: project(5, 5),
    calls: [
      ...STRICT.map((file, index) => [
        write(`src/${file}.ts`, `export const ${file} = (value?: string) => value ?? '';\n`),
        write('src/broken.txt', errorsLeft(STRICT.slice(index + 1).concat('index'))),
        say(`\`${file}.ts\` has no errors left. ${STRICT.length - index} files to go.`),
      ]),
      [write('src/index.ts', 'export * from "./store";\n'), remove('src/broken.txt'), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'builds-a-rate-limiter',
    story:
      'the feature is a limit of requests, so words and outputs are full of 429, quotas and overload; done in the fifth call',
    wants: FEATURE,
    project: project(3, 3),
    calls: LIMITER,
    rest: claimAgain,
  },
  {
    name: 'flaky-in-the-middle',
    story:
      'all tests pass; in the third of five calls a test of something else fails in one run, and passes in the next',
    wants: FEATURE,
    project: project(4, 4, { flake: { test: 'two', afterCall: 3, runs: 1, says: 'not ok' } }),
    calls: ['header', 'rows', 'totals', 'footer', 'file'].map((part, index) => [
      write(`src/invoice/${part}.txt`, `${part}: measured in points\n`),
      index === 4 ? claim() : say(`The ${part} of the invoice is drawn.`),
    ]),
    rest: claimAgain,
  },
];
