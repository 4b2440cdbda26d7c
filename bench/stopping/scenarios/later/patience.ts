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
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 };

const LAYERS = ['scanner', 'parser', 'resolver', 'types', 'planner', 'emitter', 'linker'];

const COMPILE_ERRORS = [
  ["src/store.ts(14,3): error TS2339: Property 'find' does not exist on type 'Store'.", 'interface Store'],
  ["src/cache.ts(40,11): error TS2345: Argument of type 'string' is not assignable to 'Key'.", 'class Key'],
  ["src/http.ts(7,1): error TS2307: Cannot find module './router'.", 'the routes'],
  ["src/router.ts(22,9): error TS7006: Parameter 'context' implicitly has an 'any' type.", 'type Context'],
  ["src/jobs.ts(3,10): error TS2305: Module './queue' has no exported member 'Queue'.", 'class Queue'],
  ['src/main.ts(61,5): error TS2554: Expected 2 arguments, but got 1.', 'start with a config'],
] as const;

const EXPERIMENTS = [
  ['a larger buffer', 'p95 = 184 ms'],
  ['one lock per shard', 'p95 = 171 ms'],
  ['a queue without locks', 'p95 = 203 ms'],
] as const;

/** An experiment in one call; the next call measures it and restores the old code. */
const experiments: readonly Call[] = EXPERIMENTS.flatMap(([idea, measured]) => [
  [write('src/engine.txt', `${idea}\n`), say(`Experiment: ${idea}.`)],
  [
    shell('./measure.sh', measured),
    write('src/engine.txt', 'one buffer, one lock\n'),
    say(`${measured}, the target is 100 ms. I restored the old code.`),
  ],
]);

const SCREENS = ['cart', 'checkout', 'receipt', 'refund', 'wishlist', 'profile', 'address', 'coupon'];

const QUESTIONS = [
  ['read', 'Shall I also update the docs? That can come later. Next I write the writer.'],
  ['write', 'Why does the old code sort twice? It does not have to. Next I write the merger.'],
  ['merge', 'Would you like a progress bar as well? Let me know; meanwhile I continue with the checksum.'],
  ['checksum', 'Is one pass enough? Yes, as the numbers show. Next is the command.'],
  ['command', 'Should old files be migrated too? The task does not ask for it. Next are the errors.'],
  ['errors', 'Do you want me to open a pull request afterwards? First I finish the last part.'],
] as const;

/** Healthy runs that look sick. */
export const patience: Family = [
  {
    name: 'seven-layers-before-a-test',
    story: 'seven calls write a new module each while all four tests fail; the eighth connects them',
    wants: byTests(LONG),
    project: project(4),
    calls: [
      ...LAYERS.map((layer) => [
        write(`src/${layer}.txt`, `the ${layer} takes what comes before it and hands on the result\n`),
        say(`The ${layer} is written. Tests can only pass when all layers are connected.`),
      ]),
      [build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'refactor-that-does-not-build',
    story:
      'nothing builds for six calls, each with more code and another compile error; all tests pass after the seventh',
    wants: byTests(LONG),
    project: project(6, 4),
    calls: [
      ...COMPILE_ERRORS.map(([error, part], index) => [
        write('src/broken.txt', `${error}\n`),
        write(`src/new/part-${index + 1}.txt`, `${part}\n`),
        say(`Added ${part}. The next compile error is known and belongs to the next part.`),
      ]),
      [remove('src/broken.txt'), build(first(6)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'experiments-restored',
    story:
      'three different experiments are tried, measured and restored in two calls each; the seventh call has the gain',
    wants: byTests(LONG),
    project: project(4, 3, { files: { 'src/engine.txt': 'one buffer, one lock\n' } }),
    calls: [
      ...experiments,
      [write('src/engine.txt', 'a ring of buffers\n'), shell('./measure.sh', 'p95 = 88 ms'), build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'snapshots-follow-the-code',
    story: 'every call writes a new screen, and the lock file and a snapshot change with it; there are no tests',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'package-lock.json': '{ "lockfileVersion": 3 }\n' } },
    calls: SCREENS.map((screen, index) => [
      write(`src/screens/${screen}.txt`, `${screen}: title, list, button\n`),
      write('package-lock.json', `{ "lockfileVersion": 3, "packages": ${index + 12} }\n`),
      write('snapshots/screens.snap', `${SCREENS.slice(0, index + 1).join('\n')}\n`),
      ...(screen === 'coupon' ? [write('DONE.md', 'Eight screens.\n'), claim()] : [say(`The ${screen} is there.`)]),
    ]),
    rest: claimAgain,
  },
  {
    name: 'nine-tests-first',
    story: 'all tests pass, the first call adds nine that fail, and each of the next nine makes one of them pass',
    wants: byTests({ ...LONG, task: 'build' }),
    project: project(3, 3),
    calls: [
      [...NAMES.slice(3).map((name) => write(`tests/${name}.test`, `${name}\n`)), say('Nine tests for the feature.')],
      ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((count) => [
        build(first(count)),
        count === 12 ? claim() : say(`${12 - count} of the new tests still fail.`),
      ]),
    ],
    rest: claimAgain,
  },
  {
    name: 'questions-without-a-request',
    story:
      'the last message of six calls has a question or an offer in it, and the work continues; done in the seventh',
    wants: byTests(LONG),
    project: project(2),
    calls: [
      ...QUESTIONS.map(([part, words]) => [
        write(`src/sync/${part}.txt`, `${part} one block after the other\n`),
        ...(part === 'checksum' ? [build(first(1))] : []),
        say(words),
      ]),
      [build(first(2)), claim()],
    ],
    rest: claimAgain,
  },
];
