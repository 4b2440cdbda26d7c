import type { Call, Step } from '../scenario.js';
import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  NO_TESTS,
  project,
  say,
  shell,
  write,
} from '../steps.js';

const LONG = { maxIterations: 15 };
const FIFTEEN = Array.from({ length: 15 }, (_, index) => index);

/** The same command fails in the same way in every call, and only a status file changes. */
const repeats = (command: string, output: string, status: (index: number) => Step, words: string): readonly Call[] =>
  FIFTEEN.map((index) => [shell(command, output, true), status(index), say(words)]);

const TIMES = [412, 388, 351, 290, 244, 181, 120, 96];
const IDEAS = ['table', 'loop', 'buffer', 'branch', 'inline', 'batch', 'vector', 'cache line'];
const PORTED = ['socket', 'timer', 'signal', 'buffer', 'poll'];
const HANDLE_ERROR = "src/legacy.c:12:5: error: unknown type name 'handle_t'";

/** The same tool outcome in every call, or one that moves. */
export const toolOutcomes: Family = [
  {
    name: 'generator-fails-the-same',
    story: 'the code generator fails with the same error in every call, and only a status page changes',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: repeats(
      'npm run codegen',
      'Error: schema.graphql:14: type "Invoice" is not defined',
      (index) => write('STATUS.md', `Codegen was started ${index + 1} times. The schema is under investigation.\n`),
      'I ran the code generator and updated the status page.',
    ),
    rest: [say('I ran the code generator.')],
  },
  {
    name: 'import-fails-the-same',
    story: 'the import stops at the same row in every call, and only its report gets longer',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: repeats(
      'python3 scripts/load_rows.py',
      'ValueError: row 118: expected 7 columns, found 6',
      (index) => write('reports/load.txt', 'row 118 was not loaded\n'.repeat(index + 1)),
      'The import stops at row 118. I added this to the report.',
    ),
    rest: [say('The import stops at row 118.')],
  },
  {
    name: 'program-that-is-missing',
    story: 'every call starts a program that is not installed, and only a page about the progress changes',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: repeats(
      'terraform plan -out plan.bin',
      'sh: 1: terraform: not found',
      (index) => write('docs/progress.md', `Plan, attempt ${index + 1}: terraform is not installed on this machine.\n`),
      'The plan could not be made because terraform is not installed. The page about the progress is current.',
    ),
    rest: [say('Terraform is not installed.')],
  },
  {
    name: 'account-that-is-missing',
    story: 'every call tries an upload without being signed in, and only a page about the upload changes',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: repeats(
      'gcloud storage cp site.tar gs://pages',
      'ERROR: (gcloud.storage.cp) You do not currently have an active account selected.',
      (index) => write('upload.txt', `upload ${index + 1}: failed, there is no active account\n`),
      'The upload failed because no account is signed in. I wrote that down.',
    ),
    rest: [say('The upload failed because no account is signed in.')],
  },
  {
    name: 'benchmark-that-moves',
    story: 'every call changes the same file and runs the same benchmark, which gets faster; done in the eighth',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: TIMES.map((time, index) => [
      write('src/decode.txt', `decode with a better ${IDEAS[index]}\n`),
      shell('node bench/decode.mjs', `decode: ${time} ms`),
      ...(time < 100 ? [write('DONE.md', 'Below 100 ms.\n'), claim()] : [say(`${time} ms; the target is 100 ms.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'same-error-while-porting',
    story: 'the build fails with the same error in five calls, each of which ports another file; done in the seventh',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      ...PORTED.map((part) => [
        write(`src/port/${part}.c`, `/* ${part} without handle_t */\n`),
        shell('make all', HANDLE_ERROR, true),
        say(`${part} is ported. legacy.c is the last file that still uses handle_t.`),
      ]),
      [write('src/legacy.c', '/* nothing left here */\n'), shell('make all', 'ld: linked'), say('It builds.')],
      [write('src/port/readme.txt', 'what moved where\n'), write('DONE.md', 'Ported.\n'), claim()],
    ],
    rest: claimAgain,
  },
];

/** A red test: by chance, or because something is broken. */
export const secondRun: Family = [
  {
    name: 'old-test-red-by-chance',
    story: 'the second call finishes the work, and a test that passed from the start fails by chance in that moment',
    wants: byTests(LONG),
    project: project(5, 3, { flake: { test: 'one', afterCall: 2, runs: 1, says: 'not ok' } }),
    calls: [
      [build(first(4)), say('One test is left.')],
      [build(first(5)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'last-test-red-by-chance',
    story: 'the third call finishes the work, and the test that it repaired fails by chance the first time it is run',
    wants: byTests(LONG),
    project: project(3, 0, { flake: { test: 'three', afterCall: 3, runs: 1, says: 'not ok' } }),
    calls: [1, 2, 3].map((count) => [build(first(count)), count === 3 ? claim() : say('The next test passes.')]),
    rest: claimAgain,
  },
  {
    name: 'old-test-broken-for-real',
    story: 'the second call says done and has broken a test that passed from the start; repaired in the fourth',
    wants: byTests(LONG),
    project: project(5, 3),
    calls: [
      [build(first(4)), say('One test is left.')],
      [build(['two', 'three', 'four', 'five']), claim()],
      [write('src/trace.txt', 'one is removed by the new loader\n'), say('Test one fails because of the new loader.')],
      [build(first(5)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'last-test-takes-three-calls',
    story: 'one test stays red for two calls of work on it and passes after the fourth call',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(2)), say('Only the time zones are left.')],
      [write('src/zones/offsets.txt', 'hours and minutes\n'), say('The offsets are in.')],
      [write('src/zones/summer.txt', 'from March to October\n'), say('The summer time is in.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
];

/** A rewrite that brings the features back one by one: so many work after each call. */
const climb = (path: string, counts: readonly number[], all: number): readonly Call[] =>
  counts.map((count, index) => [
    write(path, `the new core, ${index + 1} of ${counts.length} parts\n`),
    build(first(count)),
    count === all ? claim() : say(`${all - count} tests fail.`),
  ]);

/** Failing tests get fewer from call to call, or do not. */
export const trend: Family = [
  {
    name: 'climbs-back-after-a-rewrite',
    story: 'the first call rewrites the core, and all eight tests fail; each later call repairs one or two',
    wants: byTests(LONG),
    project: project(8, 6),
    calls: climb('src/core.txt', [0, 1, 2, 3, 4, 5, 7, 8], 8),
    rest: claimAgain,
  },
  {
    name: 'climbs-a-second-time',
    story: 'two calls repair five of seven tests, the third replaces the storage and breaks all, five more repair them',
    wants: byTests(LONG),
    project: project(7),
    calls: climb('src/storage.txt', [3, 5, 0, 1, 2, 3, 4, 7], 7),
    rest: claimAgain,
  },
  {
    name: 'tweaks-a-number',
    story: 'every call changes the same number, and the same three tests fail each time',
    wants: byTests(LONG),
    project: project(4, 1),
    calls: FIFTEEN.map((index) => [
      write('src/limits.txt', `retries = ${index + 2}\n`),
      say('With this value the tests should pass.'),
    ]),
    rest: [say('With this value the tests should pass.')],
  },
  {
    name: 'one-up-one-down',
    story: 'a test is repaired in one call and broken in the next, again and again',
    wants: byTests(LONG),
    project: project(5, 1),
    calls: FIFTEEN.map((index) => [build(first(index % 2 === 0 ? 2 : 1)), say('I tried another approach.')]),
    rest: [say('I tried another approach.')],
  },
];
