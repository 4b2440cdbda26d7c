import {
  build,
  byTests,
  claim,
  claimAgain,
  deny,
  type Family,
  first,
  project,
  refuse,
  say,
  tool,
  wait,
  write,
} from './steps.js';

const HOUR_MS = 3_600_000;
const THREE = byTests({ maxIterations: 3, maxWaitMs: 4000 });

/** Three calls of work with one that is refused after the first. */
const withRefusal = (refused: ReturnType<typeof refuse>) => [
  [build(first(1))],
  [refused],
  [build(first(2))],
  [build(first(3)), claim()],
];

/** The provider, a permission or a person is in the way. */
export const refusals: Family = [
  {
    name: 'usage-limit-that-resets',
    story:
      'the second call meets the usage limit, which resets in three seconds; three iterations are allowed and needed',
    wants: byTests({ maxIterations: 3 }),
    project: project(3),
    calls: withRefusal(refuse('usage-limit', 3000)),
    rest: claimAgain,
  },
  {
    name: 'usage-limit-for-two-hours',
    story: 'the second call meets the usage limit, which resets in two hours',
    wants: byTests(),
    project: project(3),
    watchMs: 9000,
    calls: [[build(first(1))]],
    rest: [refuse('usage-limit', 2 * HOUR_MS)],
  },
  {
    name: 'usage-limit-for-three-days',
    story: 'the second call meets the weekly limit, which resets in three days; six hours is the most one waits',
    wants: byTests({ maxWaitMs: 6 * HOUR_MS }),
    project: project(3),
    watchMs: 9000,
    calls: [[build(first(1))]],
    rest: [refuse('usage-limit', 72 * HOUR_MS)],
  },
  {
    name: 'writes-about-limits',
    story: 'the task is a rate limiter, so words of usage limits, 429 and 529 are all over text and tool output',
    wants: byTests(),
    project: project(3),
    calls: [
      [
        build(first(1)),
        tool(
          'Bash',
          "FAIL limiter: API Error: 429 rate_limit_error\nYou've hit your usage limit · resets 6:59am (UTC)",
        ),
        say(
          'The client now shows "You\'ve hit your limit · resets 6:59am" on 429 and retries on 529 overloaded_error.',
        ),
      ],
      [build(first(2)), say('Rate limit reached: the message for "usage limit reached, try again later" is done.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'overload-that-passes',
    story: 'the second call gives up after ten answers of 529; the next one is let through',
    wants: THREE,
    project: project(3),
    calls: withRefusal(refuse('overload')),
    rest: claimAgain,
  },
  {
    name: 'overload-for-ever',
    story: 'from the second call on there is nothing but 529; four seconds is the most one waits',
    wants: byTests({ maxIterations: 15, maxWaitMs: 4000 }),
    project: project(3),
    calls: [[build(first(1))]],
    rest: [refuse('overload')],
  },
  {
    name: 'too-many-requests-once',
    story: 'the second call is refused with a plain 429 of the minute; the next one is let through',
    wants: THREE,
    project: project(3),
    calls: withRefusal(refuse('rate')),
    rest: claimAgain,
  },
  {
    name: 'login-lost',
    story: 'two good calls, then every one is answered with 401',
    wants: byTests(),
    project: project(4),
    calls: [[build(first(1))], [build(first(2))]],
    rest: [refuse('auth')],
  },
  {
    name: 'credit-used-up',
    story: 'one good call, then the credit balance is too low',
    wants: byTests(),
    project: project(4),
    calls: [[build(first(1))]],
    rest: [refuse('billing')],
  },
  {
    name: 'denied-always',
    story: 'may not run what it needs, asks for it three times a call and does nothing else',
    wants: byTests(),
    project: project(3),
    calls: [],
    rest: [deny(), deny(), deny(), say('I cannot run the migration without permission.')],
  },
  {
    name: 'denied-always-watched',
    story: 'the same under a policy with `permission_denied: 3`, and it never stops asking',
    wants: byTests(),
    project: project(3),
    addsFailure: [{ permission_denied: 3 }],
    calls: [],
    rest: [deny(), deny(), deny(), wait(300), deny(), wait(300), deny(), wait(300), say('I cannot go on.')],
  },
  {
    name: 'denied-finds-a-way',
    story:
      'is denied twice, works without it, is denied once more, and gets there; `permission_denied: 3` is in the policy',
    wants: byTests(),
    project: project(3),
    addsFailure: [{ permission_denied: 3 }],
    calls: [
      [deny(), deny(), build(first(1))],
      [deny(), build(first(2))],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'asks-a-question',
    story: 'needs a decision that only the user can make, and asks for it in every call',
    wants: byTests(),
    project: project(3),
    calls: [
      [
        write('src/design.txt', 'Postgres or SQLite?\n'),
        say('Should I use Postgres or SQLite? I need your decision before I go on.'),
      ],
    ],
    rest: [say('I still need your decision: Postgres or SQLite?')],
  },
];
