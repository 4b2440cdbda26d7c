import type { Call } from './scenario.js';
import {
  build,
  byTests,
  chatter,
  claim,
  claimAgain,
  type Family,
  finish,
  first,
  goDeaf,
  leaveChild,
  mark,
  project,
  requests,
  say,
  slowTool,
  wait,
  write,
} from './steps.js';

const LONG_MS = 600_000;
const PATIENT = byTests({ iterationTimeoutMs: 6000, idleTimeoutMs: 2000 });

/** One call of work, one that hangs, one that finishes the work. */
const withHang = (hang: Call) => [[build(first(1))], [say('I begin.'), ...hang], [build(first(3)), claim()]];

/** Agents and tests that do not end, and the limits of time and count. */
export const hanging: Family = [
  {
    name: 'hangs-in-silence',
    story: 'the second call prints nothing more and does not end',
    wants: PATIENT,
    project: project(3),
    calls: withHang([mark, wait(LONG_MS)]),
    rest: claimAgain,
  },
  {
    name: 'hangs-in-a-tool',
    story: 'a tool of the second call never answers',
    wants: PATIENT,
    project: project(3),
    calls: withHang([mark, slowTool(LONG_MS)]),
    rest: claimAgain,
  },
  {
    name: 'hangs-deaf-with-a-child',
    story: 'the second call hangs, ignores signals, and has a child in a session of its own that ignores them, too',
    wants: PATIENT,
    project: project(3),
    calls: withHang([goDeaf, leaveChild(LONG_MS, true), mark, wait(LONG_MS)]),
    rest: claimAgain,
  },
  {
    name: 'hangs-after-its-result',
    story: 'the second call has done everything and told its result, and then stays',
    wants: byTests({ iterationTimeoutMs: 15_000 }),
    project: project(2),
    calls: [[build(first(1))], [build(first(2)), claim(), finish, mark, wait(LONG_MS)]],
    rest: claimAgain,
  },
  {
    name: 'child-holds-the-pipe',
    story: 'every call ends well and leaves a child behind that keeps its output open',
    wants: PATIENT,
    project: project(3),
    calls: [1, 2, 3].map((count) => [
      leaveChild(LONG_MS),
      build(first(count)),
      count === 3 ? claim() : say('Next.'),
      mark,
    ]),
    rest: claimAgain,
  },
  {
    name: 'chatters-for-ever',
    story: 'the second call prints "still thinking" without end and without cost',
    wants: PATIENT,
    project: project(3),
    calls: withHang([mark, chatter(LONG_MS)]),
    rest: claimAgain,
  },
  {
    name: 'hangs-every-time',
    story: 'every call hangs',
    wants: byTests({ iterationTimeoutMs: 3000, idleTimeoutMs: 1000 }),
    project: project(3),
    calls: [],
    rest: [say('I begin.'), mark, wait(LONG_MS)],
  },
  {
    name: 'tests-that-hang',
    story: 'the second call writes an endless loop that the tests run into; the third one removes it',
    wants: byTests({ testTimeoutMs: 2000 }),
    project: project(3),
    calls: [
      [build(first(1))],
      [build(first(2)), write('src/endless', 'yes\n')],
      [{ do: 'remove', path: 'src/endless', usd: 0.02 }, build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'time-is-up',
    story: 'three seconds are allowed in all; the second call would work for twenty',
    wants: byTests({ maxDurationMs: 3000, budgetUsd: 50 }),
    project: project(4),
    triggerAfterMs: 3000,
    calls: [[build(first(1))], requests(80, 0.02)],
    rest: requests(80, 0.02),
  },
  {
    name: 'three-iterations',
    story: 'a gain in every call; three are allowed',
    wants: byTests({ maxIterations: 3 }),
    project: project(12),
    calls: Array.from({ length: 12 }, (_, index) => [build(first(index + 1)), say('Next.')]),
    rest: [say('Next.')],
  },
  {
    name: 'five-iterations-and-a-crash',
    story: 'five are allowed; the runner is killed with SIGKILL in the second and started again',
    wants: byTests({ maxIterations: 5 }),
    project: project(12),
    isCrash: true,
    calls: Array.from({ length: 12 }, (_, index) => [
      build(first(index + 1)),
      ...(index === 1 ? [mark, wait(4000)] : []),
      say('Next.'),
    ]),
    rest: [say('Next.')],
  },
];
