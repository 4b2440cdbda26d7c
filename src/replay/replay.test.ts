import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  record,
  started,
  tests,
  trees,
  used,
} from '../../test/support/record.js';
import type { Policy } from '../model/policy.js';
import { reduceAll } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import {
  allTestsPass,
  anyOf,
  circuitBreaker,
  consecutiveFails,
  contextAbove,
  deadline,
  fileCreated,
  holdsFor,
  maxCost,
  maxCostPerDay,
  maxDuration,
  maxIterations,
  noProgress,
  outputPattern,
  protectedPathChanged,
  rejectRate,
} from '../stop/conditions.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { backtest, paretoBest } from './backtest.js';
import { replay } from './replay.js';

const none: Policy = { success: [], failure: [], limits: [] };
const said = (text: string): Draft => ({ type: 'agent-said', text });
const spent = (costUsd: number, id: string): Draft => used({ inputTokens: 5, outputTokens: 5, costUsd }, { id });
const stopped: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] };

/** Records with the verdict that the policy of the run gives where `judge` stands. */
function judged(...drafts: readonly (Draft | 'judge')[]): RunEvent[] {
  const found: Draft[] = [];
  for (const draft of drafts) {
    if (draft !== 'judge') found.push(draft);
    else {
      const state = reduceAll(record(found));
      found.push({ type: 'verdict-reached', iteration: state.iterations, verdict: evaluateRun(state) });
    }
  }
  return record(found);
}

const run = record([
  started({ limits: [maxIterations(2)] }),
  ...iteration(1, { tests: tests(1, 1) }),
  {
    type: 'verdict-reached',
    iteration: 1,
    verdict: { stop: false, reasons: [], judgements: [], holds: { stale: { iterations: 9, upTo: 1 } } },
  },
  begin(2),
  said('I am DONE'),
  spent(1, 'x'),
  said('and tidy up'),
  end(2, { observation: { tests: tests(2, 0) } }),
  ...iteration(3, { tests: tests(2, 0) }),
  stopped,
]);

describe('a recorded run under another policy', () => {
  it('stops where the policy would have stopped it, and says what that saves', () => {
    const { stop, saved, end: last } = replay(run, { ...none, success: [allTestsPass()] });
    expect(stop).toMatchObject({ class: 'goal', iteration: 2, within: undefined, figures: { testsPassed: 2 } });
    expect(saved).toMatchObject({ iterations: 1, activeMs: 4000, testsPassed: 0, losesGoal: false });
    expect(saved?.costUsd).toBeCloseTo(0.1);
    expect(last).toMatchObject({ class: 'limit', status: 'stopped', figures: { iterations: 3 } });
  });

  it('stops in the middle of an iteration where a live limit was crossed, which uses the iteration up', () => {
    const { stop, saved } = replay(run, { ...none, limits: [maxCost(1)] });
    expect(stop).toMatchObject({ class: 'limit', iteration: 1, within: 2, figures: { iterations: 2, testsPassed: 1 } });
    expect(saved).toMatchObject({ iterations: 1, testsPassed: 1 });
  });

  it('charges the whole cost of the iteration that it interrupts, most of which is told later', () => {
    const events = record([
      started(),
      begin(1),
      spent(1, 'a'),
      said('on'),
      spent(3, 'b'),
      end(1),
      begin(2),
      spent(5, 'c'),
      end(2),
    ]);
    const { stop, saved } = replay(events, { ...none, limits: [maxCost(1)] });
    expect(stop).toMatchObject({ within: 1, figures: { costUsd: 4 } });
    expect(saved).toMatchObject({ iterations: 1, costUsd: 5 });
    expect(replay(events.slice(0, 5), { ...none, limits: [maxCost(1)] }).saved).toMatchObject({ costUsd: 0 });
  });

  it('notices that its time is up at whatever the agent does next', () => {
    const tool = (minute: number): Draft => ({
      type: 'tool-called',
      id: `t${minute}`,
      name: 'sh',
      input: '',
      at: `2026-03-01T00:${minute}:00.000Z`,
      activeMs: minute * 60_000,
    });
    const events = record([started(), begin(1), tool(20), tool(40), tool(50), end(1)]);
    const within = { within: 1, seq: 4 };
    const policies = [maxDuration('30m'), deadline('2026-03-01T00:30:00.000Z'), anyOf(maxDuration('30m'), maxCost(9))];
    for (const limit of policies) expect(replay(events, { ...none, limits: [limit] }).stop).toMatchObject(within);
  });

  it("does not take it for a reason to stop that nobody was to look at the day's spend", () => {
    const limits = [maxCostPerDay(1)];
    expect(replay(run, { ...none, limits })).toMatchObject({
      stop: undefined,
      missing: [{ type: 'max_cost_per_day', unknown: 3, of: 3 }],
    });
    const own = judged(started({ limits }), ...iteration(1), 'judge');
    expect(replay(own).stop).toMatchObject({ class: 'blocked', asRecorded: true });
  });

  it('is judged by what the agent left behind when it was done before it could have been interrupted', () => {
    const events = record([
      started(),
      begin(1),
      said('done'),
      spent(9, 'x'),
      { type: 'agent-finished' },
      end(1, { observation: { tests: tests(2, 0) } }),
    ]);
    const { stop } = replay(events, { ...none, success: [allTestsPass()], limits: [maxCost(5)] });
    expect(stop).toMatchObject({ class: 'goal', iteration: 1, within: undefined });
    expect(stop?.reasons).toHaveLength(2);
  });

  it('finds patterns that nobody looked for when it ran', () => {
    const goal = replay(run, { ...none, success: [outputPattern('DONE')] });
    expect(goal.stop).toMatchObject({ class: 'goal', iteration: 2, within: undefined });
    const failure = replay(run, { ...none, failure: [outputPattern('DONE')] });
    expect(failure.stop).toMatchObject({ class: 'failure', iteration: 1, within: 2 });
    expect(replay(run, { ...none, success: [outputPattern('NEVER')] }).stop).toBeUndefined();
  });

  it('does not look again for what the run has looked for and not found, as in an echo of the prompt', () => {
    const events = judged(started({ success: [outputPattern('DONE')] }), begin(1), said('Say DONE'), end(1), 'judge');
    const { stop, verdicts } = replay(events);
    expect(stop).toBeUndefined();
    expect(verdicts).toMatchObject([{ isSame: true }]);
  });

  it('counts what has held by its own verdicts, not by the recorded ones', () => {
    const { stop } = replay(run, { ...none, success: [holdsFor(2, allTestsPass())] });
    expect(stop).toMatchObject({ iteration: 3 });
  });

  it('says when it would not have stopped at all', () => {
    expect(replay(run, { ...none, limits: [maxIterations(9)] })).toMatchObject({ stop: undefined, saved: undefined });
  });

  it('names the facts that were not recorded, which are unknown and not false', () => {
    const { stop, missing } = replay(run, { ...none, success: [fileCreated('DONE.md')], limits: [maxIterations(3)] });
    expect(stop).toMatchObject({ class: 'limit', iteration: 3 });
    expect(missing).toEqual([
      {
        path: 'stop.success[0]',
        class: 'goal',
        type: 'file_created',
        heldSoFar: false,
        what: expect.stringContaining('DONE.md'),
        unknown: 3,
        of: 3,
      },
    ]);
  });

  it('answers a new guard from the files that were recorded as changed, and only when all of them were', () => {
    const changed = (more: object) => iteration(1, { ...trees('a', 'b', more), tests: tests(1, 0) });
    const policy = { ...none, success: [allTestsPass()], failure: [protectedPathChanged(['a.ts'])] };
    const guard = (_: unknown, paths: readonly string[]) => ({ met: paths.includes('a.ts') });
    const stopOf = (more: object) => replay(record([started(), ...changed(more)]), policy, { guard }).stop;
    expect(stopOf({})).toMatchObject({ class: 'veto' });
    expect(stopOf({ modified: ['b.ts'] })).toMatchObject({ class: 'goal' });
    // Nobody can say that all is well.
    expect(stopOf({ modified: ['b.ts'], changedFiles: 2 })).toBeUndefined();
  });

  it('notices after a long wait that its time was up', () => {
    const at = (hour: number) => `2026-03-01T0${hour}:00:00.000Z`;
    const events = record([
      started(),
      ...iteration(1).map((draft) => ({ ...draft, at: at(1) })),
      { ...begin(2), at: at(5) },
      { ...said('on it'), at: at(5) },
      { ...end(2), at: at(6) },
    ]);
    expect(replay(events, { ...none, limits: [deadline(at(3))] }).stop).toMatchObject({
      iteration: 1,
      within: undefined,
    });
    const active = events.map((event) => (event.seq < 5 ? event : { ...event, activeMs: 9_000_000 }));
    expect(replay(active, { ...none, limits: [maxDuration('2h')] }).stop).toMatchObject({ iteration: 1 });
  });

  it('is not judged where it broke down', () => {
    const broken = record([
      started(),
      ...iteration(1),
      { type: 'run-ended', state: 'error', reasons: [], error: 'disk' },
    ]);
    expect(replay(broken, { ...none, limits: [maxIterations(1)] }).stop).toBeUndefined();
  });
});

describe('a run that was resumed', () => {
  const twice = judged(
    started({ limits: [maxIterations(1)] }),
    ...iteration(1),
    'judge',
    stopped,
    { type: 'run-resumed', cause: 'operator' },
    { type: 'limit-extended', limit: maxIterations(3), by: 'cli' },
    ...iteration(2),
    'judge',
    ...iteration(3),
    'judge',
    stopped,
  );

  it('did not stop as it did when the recorded class was another one', () => {
    const limits = [maxIterations(1)];
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'failure', reasons: [] };
    const { stop } = replay(judged(started({ limits }), ...iteration(1), 'judge', ended));
    expect(stop?.asRecorded).not.toBe(true);
  });

  it('is resumed again under its own policy, with the limits that were extended', () => {
    const { stop, saved, verdicts } = replay(twice);
    expect(verdicts.map(({ verdict, isSame }) => [verdict.stop, isSame])).toEqual([
      [true, true],
      [false, true],
      [true, true],
    ]);
    expect(stop).toMatchObject({ iteration: 3, asRecorded: true });
    expect(saved).toMatchObject({ iterations: 0, activeMs: 0 });
  });

  it('ends at the first stop of a policy of its own', () => {
    expect(replay(twice, { ...none, limits: [maxIterations(1)] }).stop).toMatchObject({ iteration: 1 });
  });

  it('goes on from where a person stopped it, whatever the policy', () => {
    const events = judged(
      started(),
      begin(1),
      { type: 'command-received', command: { type: 'stop' }, by: 'cli' },
      end(1),
      'judge',
      { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] },
      { type: 'run-resumed', cause: 'operator' },
      ...iteration(2),
      'judge',
    );
    expect(replay(events, { ...none, limits: [maxIterations(2)] }).stop).toMatchObject({
      iteration: 2,
      class: 'limit',
    });
    expect(replay(events.slice(0, 6), none).stop).toMatchObject({ iteration: 1, class: 'operator', asRecorded: true });
  });

  it('was interrupted by its own limit: the same limit interrupts it at the same place', () => {
    const events = judged(
      started({ limits: [maxCost(1)] }),
      begin(1),
      spent(2, 'x'),
      said('still printing'),
      end(1, { outcome: 'interrupted', interruption: 'limit' }),
      'judge',
    );
    for (const policy of [undefined, { ...none, limits: [maxCost(1)] }]) {
      expect(replay(events, policy)).toMatchObject({
        stop: { iteration: 1, asRecorded: true },
        saved: { iterations: 0 },
      });
    }
  });
});

describe('a recorded pipeline under another policy', () => {
  const attempt = (index: number, status: 'approved' | 'failed'): Draft[] => [
    { type: 'item-started', item: `i${index}`, index },
    { type: 'attempt-started', item: `i${index}`, index, attempt: 1 },
    { type: 'usage-reported', index, scope: 'request', id: `r${index}`, spend: { costUsd: 1, totalTokens: 9 } },
    { type: 'attempt-ended', item: `i${index}`, index, attempt: 1, outcome: status, durationMs: 5 },
    { type: 'item-ended', item: `i${index}`, index, status, attempts: 1 },
  ];
  const policy = { failure: [consecutiveFails(3), circuitBreaker(50)] };
  const events = judged(
    started(policy, { kind: 'pipeline', items: 5, runId: 'pipe_1' }),
    ...attempt(0, 'approved'),
    ...attempt(1, 'failed'),
    ...attempt(2, 'failed'),
    ...attempt(3, 'failed'),
    'judge',
    // In flight when it was halted.
    ...attempt(4, 'approved'),
    { type: 'run-ended', state: 'stopped', class: 'failure', reasons: [] },
  );

  it('halts where it was halted under its own', () => {
    const { stop, verdicts } = replay(events);
    expect(verdicts).toMatchObject([{ isSame: true, verdict: { stop: true } }]);
    expect(stop).toMatchObject({ asRecorded: true, class: 'failure', iteration: 4 });
    // What was in flight then is not saved by stopping there.
    expect(replay(events).saved).toMatchObject({ iterations: 0, costUsd: 0 });
  });

  it.each([
    ['consecutive fails', { ...none, failure: [consecutiveFails(2)] }, 3, 3],
    ['a rate', { ...none, failure: [rejectRate(0.4, { minItems: 2 })] }, 2, 2],
    ['attempts', { ...none, failure: [circuitBreaker(1)] }, 1, 0],
    ['money, while an attempt is under way', { ...none, limits: [maxCost(2)] }, 1, 1],
  ])('halts by %s', (_, other, iterations, itemsEnded) => {
    expect(replay(events, other).stop).toMatchObject({ iteration: iterations, figures: { itemsEnded } });
  });

  it('ends when all items are final', () => {
    expect(replay(events, none).stop).toMatchObject({ class: 'failure', figures: { itemsEnded: 5 } });
  });
});

describe('policies tried on runs', () => {
  const good = record([
    started(),
    ...[1, 2, 3].flatMap((number) => iteration(number, trees('a', 'a'))),
    ...iteration(4, { ...trees('a', 'b'), tests: tests(1, 0) }),
    { type: 'run-ended', state: 'completed', class: 'goal', reasons: [] },
  ]);
  const goal = { ...none, success: [allTestsPass()] };

  it('are compared by what they save and what they miss', () => {
    const { rows } = backtest(
      [{ name: 'good', events: good }],
      [2, 3, 9].map((count) => ({ name: String(count), policy: { ...goal, failure: [noProgress(count)] } })),
    );
    expect(rows).toMatchObject([
      { name: '2', stoppedEarlier: 1, iterationsSaved: 2, goalsMissed: 1, isBest: true },
      { name: '3', stoppedEarlier: 1, iterationsSaved: 1, goalsMissed: 1, isBest: false },
      { name: '9', stoppedEarlier: 0, iterationsSaved: 0, goalsMissed: 0, costSavedUsd: 0, isBest: true },
    ]);
  });

  it('say which runs would have gone on, and of which the cost is not known', () => {
    const untold = record([started(), begin(1), end(1), begin(2), end(2), stopped]);
    const { rows } = backtest(
      [{ name: 'untold', events: untold }],
      [1, 9].map((count) => ({ name: String(count), policy: { ...none, limits: [maxIterations(count)] } })),
    );
    expect(rows).toMatchObject([
      { stoppedEarlier: 1, costUnknown: 1, costSavedUsd: 0, goOn: 0 },
      { stoppedEarlier: 0, goOn: 1 },
    ]);
  });

  it('are best when none beats them, equal ones together', () => {
    const choices = [
      { gain: 5, loss: 2 },
      { gain: 5, loss: 2 },
      { gain: 4, loss: 2 },
      { gain: 9, loss: 3 },
      { gain: 0, loss: 0 },
    ];
    expect(choices.map((choice) => paretoBest(choices).has(choice))).toEqual([true, true, false, true, true]);
  });

  it('may need a fact that comes with a live event', () => {
    const events = record([
      started(),
      begin(1),
      { type: 'context-reported', usedTokens: 90, windowTokens: 100 },
      said('on'),
      end(1),
    ]);
    expect(replay(events, { ...none, limits: [contextAbove(80)] }).stop).toMatchObject({ within: 1 });
  });
});

it('a baseline that already meets the goal ends it with zero iterations', () => {
  const events = record([started(), baseline({ tests: tests(3, 0) }), ...iteration(1)]);
  expect(replay(events, { ...none, success: [allTestsPass()] }).stop).toMatchObject({ iteration: 0, class: 'goal' });
});
