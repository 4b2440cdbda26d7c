import type { Call } from './scenario.js';
import {
  build,
  byTests,
  claim,
  claimAgain,
  crash,
  type Family,
  first,
  goDeaf,
  mark,
  project,
  requests,
  say,
  wait,
} from './steps.js';

/** A call that brings one more test and costs so much. */
const gains = (count: number, usd: number): Call => [build(first(count), usd), say('Next.', 0.001)];

/** Requests of which the last of the first ones crosses the budget, and as many more as it is let make. */
const crossing = (count: number, usd: number, more: number): Call => [
  ...requests(count - 1, usd, 20),
  say('This one crosses it.', usd),
  mark,
  wait(250),
  ...requests(more, usd),
];

const BUDGET = byTests({ budgetUsd: 2 });

/** Money: steady, in a burst, in calls that failed, told late or not at all. */
export const spending: Family = [
  {
    name: 'steady-spend',
    story: '51 cents a call with a gain each time; the budget of $2 is crossed by the fourth',
    wants: BUDGET,
    project: project(12),
    calls: Array.from({ length: 12 }, (_, index) => gains(index + 1, 0.51)),
    rest: [say('More.', 0.51)],
  },
  {
    name: 'spike-in-mid-iteration',
    story: 'two cheap calls, then one with twenty requests at 41 cents',
    wants: BUDGET,
    project: project(6),
    calls: [gains(1, 0.2), gains(2, 0.2), crossing(4, 0.41, 16)],
    rest: [say('More.', 0.2)],
  },
  {
    name: 'spike-in-the-first-call',
    story: 'the first call makes ten requests at 30 cents; the budget is 50 cents',
    wants: byTests({ budgetUsd: 0.5 }),
    project: project(4),
    calls: [crossing(2, 0.3, 8)],
    rest: [say('More.', 0.3)],
  },
  {
    name: 'spend-in-failed-calls',
    story: 'every second call spends 50 cents and dies; the budget is crossed in the sixth',
    wants: BUDGET,
    project: project(8),
    calls: [1, 2, 3, 4, 5, 6].flatMap((count) => [
      gains(count, 0.3),
      [say('I try.', 0.5), crash('segmentation fault', 139)],
    ]),
    rest: [say('More.', 0.3)],
  },
  {
    name: 'dies-without-telling',
    story: 'every second call is killed before it tells what it used, and is billed all the same',
    wants: BUDGET,
    project: project(8),
    calls: [1, 2, 3, 4, 5, 6].flatMap((count) => [gains(count, 0.52), [crash('', 137, 0.52)]]),
    rest: [say('More.', 0.52)],
  },
  {
    name: 'told-at-the-end',
    story: 'the second call makes ten requests at 50 cents, and tells so only with its result',
    wants: BUDGET,
    project: project(6),
    billing: { told: 'end', ignoresBudget: true },
    calls: [gains(1, 0.2), crossing(4, 0.5, 6)],
    rest: [say('More.', 0.2)],
  },
  {
    name: 'unknown-price',
    story: 'a model of the house, for which nobody has a price; 60 cents a call in truth',
    wants: BUDGET,
    project: project(12),
    billing: { model: 'in-house-coder-3' },
    calls: Array.from({ length: 12 }, (_, index) => gains(index + 1, 0.6)),
    rest: [say('More.', 0.6)],
  },
  {
    name: 'wrong-price',
    story: 'a priority tier is billed at four times the list price, and nothing in the stream says so',
    wants: BUDGET,
    project: project(12),
    billing: { times: 4 },
    calls: Array.from({ length: 12 }, (_, index) => gains(index + 1, 0.255)),
    rest: [say('More.', 0.25)],
  },
  {
    name: 'spend-by-subagents',
    story: 'it is the subagents of the second call that spend, 50 cents a request',
    wants: BUDGET,
    project: project(6),
    calls: [
      gains(1, 0.2),
      Array.from({ length: 12 }, (_, index) => [
        { do: 'say' as const, text: `Part ${index + 1}.`, usd: 0.5, isSubagent: true },
        ...(index === 3 ? [mark] : []),
        wait(200),
      ]).flat(),
    ],
    rest: [say('More.', 0.2)],
  },
  {
    name: 'deaf-spender',
    story: 'ignores the request to end and goes on spending, 40 cents four times a second',
    wants: BUDGET,
    project: project(6),
    billing: { ignoresBudget: true },
    calls: [gains(1, 0.2), [goDeaf, ...crossing(5, 0.4, 30)]],
    rest: [say('More.', 0.2)],
  },
  {
    name: 'goal-with-the-last-cent',
    story: 'the tests are green in the third call, whose last words cross the budget',
    wants: BUDGET,
    project: project(3),
    calls: [gains(1, 0.6), gains(2, 0.6), [build(first(3), 0.7), claim(0.3)]],
    rest: claimAgain,
  },
  {
    name: 'crash-of-the-runner',
    story: 'the runner is killed with SIGKILL in the third call and started again; 60 cents a call',
    wants: BUDGET,
    project: project(12),
    isCrash: true,
    calls: [
      gains(1, 0.6),
      gains(2, 0.6),
      [say('I begin.', 0.6), mark, wait(4000)],
      ...[3, 4, 5, 6, 7, 8].map((count) => gains(count, 0.6)),
    ],
    rest: [say('More.', 0.6)],
  },
];
