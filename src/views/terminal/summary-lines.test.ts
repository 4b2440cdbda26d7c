import { endOf, loopStateOf } from '../../model/phase.js';
import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, record, started, stateAfter, tests, trees } from '../../../test/support/record.js';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import type { ListedRun } from '../../journal/list-runs.js';
import { isStateShape } from '../../journal/state-shape.js';
import { resolveConfig } from '../../config/resolve-config.js';
import { NO_ITEMS } from '../../model/shown-items.js';
import { explain } from '../../replay/explain.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';
import { summariseRun } from '../../stop/run-summary.js';
import { whyListed } from '../cli/listed-record.js';
import { statusLines } from '../cli/status.js';
import { explanationLines } from './explanation-lines.js';

const START = started({}, { kind: 'agent', spec: resolveConfig({}).spec });
const ASKED: Draft = { type: 'waiting-started', for: 'answer', reason: 'Which colour?' };
const answered = (reason: string): Draft => ({ type: 'waiting-ended', reason });
const claim = (of: 'done' | 'blocked', evidence: string): Draft => ({
  type: 'claim-made',
  claim: of,
  evidence,
  by: 'x',
});
const reasons = [{ path: 'limits[0]', class: 'limit', message: '2 of 2 iterations' }] as const;
const LIMIT: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons };
const GOAL: Draft = { type: 'run-ended', state: 'completed', class: 'goal', reasons: [] };

/** What each view says of a run after these events. */
function viewsOf(...drafts: readonly Draft[]) {
  const state = stateAfter(...drafts);
  expect(isStateShape(JSON.parse(JSON.stringify(state)))).toBe(true);
  const isLive = endOf(state) === undefined;
  const holder = isLive ? { pid: 1, host: 'here' } : undefined;
  const run = { runId: 'agent_01TEST', folder: '/x/y', workingDir: '/x', holder } as unknown as ListedRun;
  const terminal = recordingTerminal(400);
  const read = { state, items: NO_ITEMS, isDamaged: false };
  const explanation = explain(record(drafts))!;
  return {
    list: whyListed({ state, isLive, status: loopStateOf(state), isDamaged: false }, Date.now()),
    status: statusLines(run, read, contextOf(terminal)).join('\n'),
    explain: explanationLines({ explanation, summary: summariseRun(state, { isLive }), isLive }, terminal).join('\n'),
  };
}

describe('a question of the agent to a person', () => {
  it('is in list, status and explain while the run waits for the answer', () => {
    const views = viewsOf(START, begin(1), ASKED);
    expect(views.list).toMatch(/answer: "Which colour\?"$/);
    expect(views.status).toMatch(/^Waiting for your answer: "Which colour\?"/m);
    expect(views.status.match(/Which colour/g)).toHaveLength(1);
    expect(views.explain).toMatch(/^Waiting for your answer: "Which colour\?"/m);
  });

  it('that nobody answered is in list, end report and explain after the run has ended', () => {
    const views = viewsOf(START, begin(1), ASKED, answered('interrupted'), end(1), LIMIT);
    for (const view of Object.values(views)) expect(view).toContain('asked: "Which colour?" There was no answer');
  });

  it('is not shown after it was answered, or once the next iteration has begun', () => {
    for (const after of [
      [answered('answered'), end(1)],
      [answered('interrupted'), end(1), begin(2), end(2)],
    ]) {
      const views = viewsOf(START, begin(1), ASKED, ...after, LIMIT);
      expect(JSON.stringify(views)).not.toContain('Which colour');
    }
  });
});

describe('a report_blocked of a run that ended for another reason', () => {
  const blocked = claim('blocked', 'no API key');

  it('is in list, end report and explain', () => {
    const views = viewsOf(START, begin(1), blocked, end(1), LIMIT);
    for (const view of Object.values(views)) expect(view).toContain('is blocked: "no API key"');
  });

  it('is shown with its iteration when later iterations said nothing of it', () => {
    const views = viewsOf(START, begin(1), blocked, end(1), begin(2), end(2), LIMIT);
    for (const view of Object.values(views)) expect(view).toMatch(/iteration 1 .* blocked: "no API key"/);
  });

  it('is not shown after the agent said that it is done, a person resumed the run, or it reached its goal', () => {
    const first = [START, begin(1), blocked, end(1)];
    const later: readonly Draft[][] = [
      [begin(2), claim('done', 'it works'), end(2), begin(3), end(3), LIMIT],
      [LIMIT, { type: 'run-resumed', cause: 'operator' }, begin(2), end(2), LIMIT],
      [begin(2), end(2), GOAL],
    ];
    for (const after of later) expect(JSON.stringify(viewsOf(...first, ...after))).not.toContain('no API key');
  });
});

it('the first snapshot of a large tree, which takes a while, is in the status of a run that has just begun', () => {
  expect(viewsOf(START).status).toMatch(/iteration +taking a first snapshot of the files/);
  const observed: Draft = { type: 'baseline-observed', observation: {} };
  expect(viewsOf(START, observed).status).toMatch(/iteration +0 done, none in progress/);
});

describe('the conditions that explain shows', () => {
  const policy = {
    success: [{ type: 'all_tests_pass' }],
    failure: [
      { type: 'test_failure_streak', count: 3 },
      { type: 'no_progress', iterations: 9 },
    ],
    limits: [{ type: 'max_iterations', count: 9 }],
  } as const;
  const red = (number: number) => [
    begin(number),
    end(number, { observation: { ...trees('a', 'a'), tests: tests(1, 1) } }),
  ];
  const runs = [started(policy, { spec: resolveConfig({}).spec }), ...[1, 2, 3].flatMap(red)];
  const verdict = evaluateRun(stateAfter(...runs));
  const met = [{ path: 'stop.failure[0]', class: 'failure', message: verdict.reasons[0]?.message ?? '' }] as const;
  const gaveUp: Draft = { type: 'run-ended', state: 'stopped', class: 'failure', reasons: met };

  it('have the rule of a streak that is met, and not how close it was before', () => {
    const { explain: shown } = viewsOf(...runs, { type: 'verdict-reached', iteration: 3, verdict }, gaveUp);
    expect(shown).toMatch(/3 iterations \(met\)\n +rule: after 3 iterations in a row with failing tests/);
    expect(shown).not.toContain('closest before');
  });

  it('say what the others would have taken, but of a limit only what its sentence lacks', () => {
    const { explain: ended } = viewsOf(...runs, { type: 'verdict-reached', iteration: 3, verdict }, gaveUp);
    expect(ended).toMatch(/no progress for 3 of 9 iterations\n +would have taken 6 more/);
    expect(ended).toMatch(/ 3 of 9 iterations\n/);
    expect(ended).toMatch(/1 of 2 tests fail\n +needs 1 more test to pass/);
  });
});
