import type { Call } from '../scenario.js';
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
  remove,
  say,
  shell,
  tool,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
/** Each item of a list, with all that come before it. */
const growing = (items: readonly string[]) => items.map((item, index) => ({ item, soFar: items.slice(0, index + 1) }));

const MODULES = ['session', 'cursor', 'buffer', 'selection', 'history', 'layout', 'keymap', 'palette'];

const PAGES = ['sign-in', 'dashboard', 'invoices', 'invoice', 'customers', 'settings'];

const MESSAGES = ['Account', 'Address', 'Order', 'Shipment', 'Refund', 'Payout'];

const CHAPTERS = [
  ['Installing', 'Download the archive, check its signature, and unpack it under /opt.'],
  ['First steps', 'Start the service with `depot start`. It listens on port 7070.'],
  ['Configuring', 'All settings are in depot.toml. A change needs no restart.'],
  ['Backups', '`depot dump` writes one file. Restore it with `depot load`.'],
  ['Users and rights', 'A user has one role: reader, editor or owner.'],
  ['Upgrading', 'Stop the service, replace the binary, start it again.'],
  ['Monitoring', 'The metrics are under /metrics, in the format of Prometheus.'],
  ['Troubleshooting', 'A full disk is the usual reason for error 17.'],
] as const;

const rowsOf = (batch: number) =>
  Array.from({ length: 6 }, (_, row) => {
    const id = batch * 6 + row;
    return `${id},"message ${(id * 7919) % 10_007}",${['praise', 'complaint', 'question', 'spam'][(id * 13) % 4]}`;
  });

const RUST = [
  ['core/src/lib.rs', 'pub mod lexer;\npub mod parser;\n'],
  ['core/src/lexer.rs', 'pub enum Token { Word, Number, Sign }\n'],
  ['core/src/parser.rs', 'pub fn parse(tokens: &[Token]) -> Tree { todo!() }\n'],
  ['core/src/tree.rs', 'pub struct Tree { pub root: Node }\n'],
  ['core/src/eval.rs', 'pub fn eval(tree: &Tree) -> f64 { walk(&tree.root) }\n'],
] as const;

const LEGACY_RUN = `FAIL packages/legacy/report.spec.js
  ✕ prints the totals (12 ms)
  ✕ prints the footer (3 ms)

Tests: 2 failed, 41 passed, 43 total`;

const CAUSES = [
  [
    'src/clock.txt',
    'monotonic time\n',
    'The timer jumped with the wall clock. That is repaired, and the order is next.',
  ],
  ['src/order.txt', 'by sequence number\n', 'Events were sorted by time. Now by number. The retry is next.'],
  ['src/retry.txt', 'at most once\n', 'A retry delivered twice. That is repaired. The acknowledgement is next.'],
  ['src/ack.txt', 'after the write\n', 'The acknowledgement came before the write. The flush remains.'],
] as const;

const LOGIN: readonly Call[] = [
  [write('src/login/form.txt', 'name, password, submit\n'), say('I added the form. The page of errors is next.')],
  [
    write('src/login/errors.txt', 'Please enter your password.\n'),
    say('When the password is missing, the page says "Please provide your password to continue". Next: the API key.'),
  ],
  [
    write('docs/errors.md', '| 401 | Please provide a valid API key. |\n'),
    say(
      'I documented the error: "401: missing credentials. Please provide a valid API key." Next: the two other errors.',
    ),
  ],
  [
    write(
      'docs/errors.md',
      '| 401 | Please provide a valid API key. |\n| 403 | You need access. Ask your administrator. |\n',
    ),
    say(
      'Documented: "403: you need access to this project. Please contact your administrator." Next: the check itself.',
    ),
  ],
  [
    write('src/login/check.txt', 'compare in constant time\n'),
    say('The check says "permission denied" after three attempts. Next: the lock.'),
  ],
  [write('src/login/lock.txt', 'ten minutes\n'), build([...first(3), 'login']), claim()],
];

const PIPELINE = ['reader', 'decoder', 'mixer', 'limiter'];
const LOOKED_AT = [
  'I profiled the mixer: 61 % of the time is in the copy of the buffer. I will check the allocator next.',
  'The allocator is not the cause: 2 %. I will look at how the ring buffer wraps next.',
  'The ring wraps once per frame, so each frame is copied. I now know what to change, and begin in the next step.',
];

/** Runs that look odd and end well. */
export const healthy: Family = [
  {
    name: 'eight-red-calls-of-refactoring',
    story:
      'all tests pass; the editor is split into eight modules, and three tests fail until the ninth call connects them',
    wants: FEATURE,
    project: project(5, 5),
    calls: [
      ...MODULES.map((module, index) => [
        ...(index === 0 ? [build(first(2))] : []),
        write(`src/editor/${module}.txt`, `${module}: taken out of the old editor, with its own state\n`),
        remove(`src/old/${module}.txt`),
        say(`The ${module} is a module now. ${MODULES.length - 1 - index} are left before it can work again.`),
      ]),
      [write('src/editor/index.txt', lines(MODULES)), build(first(5)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'flaky-twice-when-done',
    story: 'the work is finished in the third call, but a test of something else fails in the first two runs after it',
    wants: byTests(LONG),
    project: project(4, 1, { flake: { test: 'one', afterCall: 3, runs: 2, says: 'not ok' } }),
    calls: [
      [build(first(2)), say('The second test passes.')],
      [build(first(3)), say('The third test passes.')],
      [build(first(4)), claim()],
    ],
    rest: [
      shell('./run-tests.sh', 'ok 1 - four\nok 2 - one\nok 3 - three\nok 4 - two\n1..4'),
      say('All four tests pass here. The failure of `one` was a matter of time.\n\nPAWL: DONE'),
    ],
  },
  {
    name: 'package-without-tests',
    story:
      'a monorepo with tests in the API only; six calls build the pages of the web package, the seventh links them',
    wants: FEATURE,
    project: project(4, 4, { files: { 'packages/web/package.json': '{ "name": "web" }\n' } }),
    calls: [
      ...PAGES.map((page) => [
        write(`packages/web/src/pages/${page}.tsx`, `export function Page() { return <h1>${page}</h1>; }\n`),
        shell('pnpm --filter web build', 'vite v6.0.3 building for production...\n✓ built in 1.31s'),
        say(`The page ${page} renders.\n\nPAWL: CONTINUE`),
      ]),
      [write('packages/web/src/routes.ts', `export const routes = ${JSON.stringify(PAGES)};\n`), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'waits-for-a-long-build',
    story: 'one edit, then four calls in which a build of 1,893 steps gets on in an ignored folder, then the last edit',
    wants: byTests(LONG),
    project: project(3, 1, { ignored: ['build/'] }),
    calls: [
      [write('src/alloc.txt', 'aligned to 64 bytes\n'), say('The allocator is aligned. Now it is built.')],
      ...[412, 903, 1377, 1893].map((step) => [
        shell('ninja -C build', `[${step}/1893] Building CXX object lib/CMakeFiles/unit_${step}.cc.o`),
        write('build/.ninja_log', `${step}\n`),
        say(`The build is at ${step} of 1893.\n\nPAWL: CONTINUE`),
      ]),
      [write('src/alloc.txt', 'aligned to 128 bytes\n'), build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'schema-and-its-code',
    story: 'all tests pass; each of six calls adds a message to the schema and generates the code again',
    wants: FEATURE,
    project: project(3, 3, { files: { 'schema/shop.proto': 'syntax = "proto3";\n' } }),
    calls: growing(MESSAGES).map(({ item, soFar }) => [
      write(
        'schema/shop.proto',
        `syntax = "proto3";\n${lines(soFar.map((name) => `message ${name} { int64 id = 1; }`))}`,
      ),
      write(
        'src/generated/shop.pb.ts',
        `// Code generated by protoc-gen-ts. DO NOT EDIT.\n${lines(soFar.map((name) => `export class ${name} {}`))}`,
      ),
      item === 'Payout' ? claim() : say(`${item} is in the schema.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'handbook-in-one-file',
    story: 'the task is a handbook: each of eight calls adds a chapter to the same file; there are no tests',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'docs/handbook.md': '# Handbook\n' } },
    calls: growing(CHAPTERS.map(([title, text]) => `\n## ${title}\n\n${text}`)).map(({ soFar }, index) => [
      write('docs/handbook.md', `# Handbook\n${lines(soFar)}`),
      ...(index === 7
        ? [write('DONE.md', 'Eight chapters.\n'), claim()]
        : [say(`The chapter "${CHAPTERS[index]?.[0]}" is written.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'labels-a-dataset',
    story: 'the task is to label messages: each of nine calls adds six rows to the same table; there are no tests',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'data/labels.csv': 'id,text,label\n' } },
    calls: Array.from({ length: 9 }, (_, batch) => [
      write(
        'data/labels.csv',
        `id,text,label\n${lines(Array.from({ length: batch + 1 }, (_row, index) => rowsOf(index)).flat())}`,
      ),
      ...(batch === 8
        ? [write('DONE.md', '54 rows.\n'), claim()]
        : [say(`${(batch + 1) * 6} of 54 messages are labelled.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'core-in-another-language',
    story: 'the tests are in JavaScript and pass; five calls write a core in Rust, which has no tests before the sixth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...RUST.map(([path, text]) => [
        write(path, text),
        shell('cargo check', 'warning: unused import\n    Finished `dev` profile in 0.42s'),
        say(`${path} is written and compiles.`),
      ]),
      [
        write('core/tests/eval.rs', '#[test]\nfn adds() { assert_eq!(eval(&parse("1+2")), 3.0); }\n'),
        shell('cargo test', 'test adds ... ok\n\ntest result: ok. 1 passed; 0 failed'),
        claim(),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'deletes-and-writes-anew',
    story: 'the old parser is deleted, so all six tests fail; the new one passes 0, 1, 0, 2, 4 and at last 6 of them',
    wants: FEATURE,
    project: project(6, 6, { files: { 'src/parser/old.txt': 'two thousand lines\n' } }),
    calls: [
      [remove('src/parser/old.txt'), build([]), say('The old parser is gone. I write the new one from the grammar.')],
      ...[0, 1, 0, 2, 4, 6].map((passing, index) => [
        write(`src/parser/rule-${index + 1}.txt`, `rule ${index + 1} of the grammar, without backtracking\n`),
        build(first(passing)),
        passing === 6 ? claim() : say(`Rule ${index + 1} is there. ${passing} tests pass.`),
      ]),
    ],
    rest: claimAgain,
  },
  {
    name: 'old-failures-in-each-call',
    story:
      'each call runs a suite in which the same two old tests fail, then repairs another cause; the task is done in the fifth',
    wants: byTests(LONG),
    project: project(3, 2),
    calls: [
      ...CAUSES.map(([path, text, words]) => [shell('npx jest', LEGACY_RUN, true), write(path, text), say(words)]),
      [shell('npx jest', LEGACY_RUN, true), write('src/flush.txt', 'before the answer\n'), build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'builds-a-login',
    story: 'the feature is a login, so every message quotes missing passwords, keys and rights; done in the sixth call',
    wants: FEATURE,
    project: project(3, 3),
    calls: LOGIN,
    rest: claimAgain,
  },
  {
    name: 'twelve-calls-three-of-them-quiet',
    story:
      'all tests pass; four calls build, three only measure and name the next step, five build; done in the twelfth',
    wants: FEATURE,
    project: project(4, 4),
    calls: [
      ...PIPELINE.map((part) => [
        write(`src/audio/${part}.txt`, `${part}: 512 samples at a time\n`),
        say(`The ${part} works.\n\nPAWL: CONTINUE`),
      ]),
      ...LOOKED_AT.map((words) => [
        tool('Read', 'mixer: 512 samples at a time'),
        shell('perf report --stdio', words),
        say(`${words}\n\nPAWL: CONTINUE`),
      ]),
      ...PIPELINE.map((part) => [
        write(`src/audio/${part}.txt`, `${part}: 512 samples at a time, without a copy\n`),
        say(`The ${part} no longer copies.\n\nPAWL: CONTINUE`),
      ]),
      [write('src/audio/output.txt', 'straight from the ring\n'), build([...first(4), 'audio']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'unlucky-network',
    story: 'four of eight calls die of different network errors, never three in a row, and the work gets done',
    wants: byTests(LONG),
    project: project(4),
    calls: [
      [build(first(1)), say('The first test passes.')],
      [say('I begin.'), crash('Error: getaddrinfo EAI_AGAIN api.anthropic.com')],
      [say('I begin.'), crash('Error: read ECONNRESET')],
      [build(first(2)), say('The second test passes.')],
      [say('I begin.'), crash('Error: socket hang up')],
      [build(first(3)), say('The third test passes.')],
      [crash('Error: connect ETIMEDOUT 160.79.104.10:443')],
      [build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
];
