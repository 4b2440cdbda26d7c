import { describe, expect, it } from 'vitest';
import {
  baseline,
  type Draft,
  end,
  iteration,
  started,
  stateAfter,
  tests,
  trees,
  used,
  begin,
} from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { StopCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import { withLimit } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { endOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { evaluateRun } from '../stop/evaluate-policy.js';
import { createContext } from '../views/cli/command-context.js';
import { nextAdvice as adviceIn } from '../views/text/end-report.js';
import { raisedLimits } from '../views/cli/run/raised-limits.js';
import { nextCommands, nextSteps as stepsIn, pausedText, pendingText } from './next-steps.js';
import { raisedFlag } from './raised-flag.js';
import type { LoopCommand } from '../model/loop-command.js';

const RUN = 'loop_01K9ZZZZZZ0000000000000000';
const HERE = createContext(process);
const nextAdvice = (state: RunState) => adviceIn(state, HERE);
const nextSteps = (runId: string, state: RunState, place?: string, isGone?: boolean) =>
  stepsIn(runId, state, HERE, place, isGone);
const WORKED = iteration(1, trees('a', 'b'));
const DAY: Draft = { type: 'day-spend-seen', day: '2026-03-01', othersUsd: 0 };
const COMMITTED: Draft = { type: 'work-committed', iteration: 1, commit: 'c0ffee' };

function endedIn(repository: string, more: Partial<RunSpec>, ...drafts: readonly Draft[]): RunState {
  const { spec } = resolveConfig({});
  const path = '/state/it is';
  const placed = { ...spec, workingDir: `${path}/sub`, worktree: { path, branch: 'pawl/try', repository }, ...more };
  return stateAfter(started(spec.policy, { spec: placed }), ...drafts, {
    type: 'run-ended',
    state: 'completed',
    class: 'goal',
    reasons: [],
  });
}

it('a run that changed protected files is resumed only after they are put back', () => {
  const { spec } = resolveConfig({ stop: { failure: [{ protected_path_changed: ['test/**'] }] } });
  const [guard] = spec.policy.failure;
  const changed = { [conditionKey(guard!)]: { met: true, detail: 'test/a changed' } };
  const observed = end(2, { observation: { ...trees('b', 'c'), probes: changed } });
  const vetoed: Draft = { type: 'run-ended', state: 'stopped', class: 'veto', reasons: [] };
  const state = stateAfter(started(spec.policy, { spec }), ...WORKED, begin(2), observed, vetoed);
  expect(state.guardBroken?.iteration).toBe(2);
  const steps = nextSteps(RUN, state);
  expect(steps).toEqual([
    'pawl diff 01K9ZZZZZZ',
    'pawl restore 01K9ZZZZZZ 1',
    "pawl resume 01K9ZZZZZZ --steer '<what to do differently>'",
    'pawl run',
    'pawl show 01K9ZZZZZZ',
  ]);
});

it('changed tests are kept by a commit: a new run compares with the start of the one that was rejected', () => {
  const { spec } = resolveConfig({ stop: { failure: [{ protected_path_changed: ['test/**'] }] } });
  const [guard] = spec.policy.failure;
  const changed = { [conditionKey(guard!)]: { met: true, detail: 'test/a changed' } };
  const fewer = end(1, { observation: { ...trees('a', 'b'), tests: tests(1, 0), probes: changed } });
  const vetoed: Draft = { type: 'run-ended', state: 'stopped', class: 'veto', reasons: [] };
  const before = baseline({ tree: 'a', tests: tests(1, 1) });
  const state = stateAfter(started(spec.policy, { spec }), before, begin(1), fewer, vetoed);
  expect(nextSteps(RUN, state)).toContain('git add --all && git commit && pawl run');
  expect(nextSteps(RUN, state, ' --cwd /p')).toContain('git -C /p add --all && git -C /p commit && pawl run --cwd /p');
});

it('a run of which no change is left offers no empty diff and no empty undo', () => {
  const before = baseline({ tree: 'a' });
  const stopped: Draft = { type: 'run-ended', state: 'stopped', class: 'failure', reasons: [] };
  const back = [...iteration(1, trees('a', 'b')), ...iteration(2, trees('b', 'a')), ...iteration(3, trees('a', 'a'))];
  const steps = nextSteps(RUN, stateAfter(started(), before, ...back, stopped));
  expect(steps).toContain('pawl diff 01K9ZZZZZZ 2');
  expect(steps.join()).not.toContain('restore');
  const { spec } = resolveConfig({});
  const open = stateAfter(started(spec.policy, { spec }), before, ...back, begin(4));
  expect(nextCommands(RUN, open, false, 0).join()).not.toContain('diff');
});

describe('what an iteration that was cut short changed', () => {
  const spawned: Draft = { type: 'agent-spawned', pid: 7, startTime: '1' };
  const { spec } = resolveConfig({});
  const steps = (...drafts: readonly Draft[]) =>
    nextCommands(RUN, stateAfter(started(spec.policy, { spec }), ...drafts), false, 0);

  it('is undone by force, as no snapshot has it', () => {
    expect(steps(...WORKED, begin(2), spawned)).toContain('pawl restore 01K9ZZZZZZ 1 --force');
    expect(steps(baseline({ tree: 'a' }), begin(1), spawned)).toContain('pawl restore 01K9ZZZZZZ 0 --force');
  });

  it('is undone in the same way where Pawl itself failed and could take no snapshot', () => {
    const cut = end(1, { outcome: 'interrupted', interruption: 'crash', error: 'x' });
    const failed: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'x' };
    const before = baseline({ tree: 'a' });
    expect(nextSteps(RUN, stateAfter(started(), before, begin(1), cut, failed))).toEqual([
      'pawl resume 01K9ZZZZZZ',
      'pawl restore 01K9ZZZZZZ 0 --force',
      'pawl show 01K9ZZZZZZ',
    ]);
    expect(nextSteps(RUN, stateAfter(started(), before, begin(1), end(1), failed)).join()).toContain('--force');
    expect(nextSteps(RUN, stateAfter(started(), before, failed)).join()).not.toContain('restore');
  });

  it('is nothing where no agent was at work, it was undone, or there is no snapshot to go back to', () => {
    expect(steps(...WORKED, begin(2)).join()).not.toContain('restore');
    const restored: Draft = { type: 'tree-restored', tree: 'b', before: 'c', iteration: 1 };
    expect(steps(...WORKED, begin(2), spawned, restored).join()).not.toContain('restore');
    expect(steps(...iteration(1), begin(2), spawned).join()).not.toContain('restore');
    const figure = baseline({ fingerprint: { after: 'f' } });
    expect(steps(figure, ...WORKED, begin(2), spawned).join()).not.toContain('restore');
  });
});

describe('what has to be done before a resume', () => {
  const blocked = (limitHit: Draft): RunState =>
    stateAfter(started(), begin(1), limitHit, end(1, { outcome: 'limited' }), {
      type: 'run-ended',
      state: 'stopped',
      class: 'blocked',
      reasons: [{ path: 'max_wait', class: 'blocked', message: 'x' }],
    });

  it('is to check the network where the provider could not be reached', () => {
    const state = blocked({ type: 'limit-hit', kind: 'overload', message: 'fetch failed' });
    expect(nextAdvice(state)).toEqual(['check the network and the status page of the provider, then']);
  });

  it('is to wait for the usage limit that ends later than Pawl waits', () => {
    const resetsAt = '2026-03-01T05:30:00Z';
    const state = blocked({ type: 'limit-hit', kind: 'usage-limit', resetsAt, message: 'x' });
    expect(nextAdvice(state)).toEqual(['wait until the usage limit ends (2026-03-01 05:30 UTC), then']);
  });
});

describe('what comes after a run in a worktree', () => {
  const here = HERE.cwd;

  it('is to merge its branch, to remove it, and to look at it there', () => {
    expect(nextSteps(RUN, endedIn(here, { commit: 'iteration' }, ...WORKED, COMMITTED))).toEqual([
      "pawl diff 01K9ZZZZZZ --cwd '/state/it is/sub'",
      'git merge pawl/try',
      "git worktree remove '/state/it is'",
      "pawl show 01K9ZZZZZZ --cwd '/state/it is/sub'",
    ]);
  });

  it('is to merge its branch or to bring it back when it has been removed: nothing can be done in it', () => {
    expect(nextSteps(RUN, endedIn(here, { commit: 'iteration' }, ...WORKED, COMMITTED), '', true)).toEqual([
      'git merge pawl/try',
      "git worktree add '/state/it is' pawl/try",
      'pawl show 01K9ZZZZZZ',
    ]);
  });

  it('names the tree to merge into where the user stands elsewhere', () => {
    const done = endedIn('/home/user/repo', { commit: 'end' }, ...WORKED, COMMITTED);
    const end = endOf(done) ?? { reasons: [], at: '' };
    const stopped = { ...done, phase: { name: 'ended', state: 'stopped', end } } as const;
    expect(nextSteps(RUN, stopped, ' --cwd repo').slice(0, 4)).toEqual([
      'pawl resume 01K9ZZZZZZ --cwd repo',
      "pawl diff 01K9ZZZZZZ --cwd '/state/it is/sub'",
      'git -C /home/user/repo merge pawl/try',
      "git -C /home/user/repo worktree remove '/state/it is'",
    ]);
  });

  it.each<[string, Partial<RunSpec>, readonly Draft[]]>([
    ['nobody was to commit', { commit: 'never' }, WORKED],
    [
      'could not be committed',
      { commit: 'iteration' },
      [...WORKED, { type: 'work-committed', iteration: 1, error: 'x' }],
    ],
  ])('begins with the commit when the work %s: the branch alone would have nothing to merge', (_, spec, drafts) => {
    expect(nextSteps(RUN, endedIn(here, spec, ...drafts))[1]).toBe(
      "git -C '/state/it is' add --all && git -C '/state/it is' commit && git merge pawl/try",
    );
  });

  it('is no merge when nothing was done there', () => {
    const steps = nextSteps(RUN, endedIn(here, { commit: 'iteration' }, ...iteration(1, trees('a', 'a'))));
    expect(steps[0]).toBe("git worktree remove '/state/it is'");
    expect(steps.join()).not.toContain('merge');
  });

  it('is a merge when the agent has committed its work itself', () => {
    expect(nextSteps(RUN, endedIn(here, { commit: 'iteration' }, ...WORKED))[1]).toBe('git merge pawl/try');
  });
});

describe('the way back after a run that has not reached its goal', () => {
  const tested = (number: number, passed: number) =>
    iteration(number, { ...trees(`t${number}`, `t${number + 1}`), tests: tests(passed, 5 - passed) });
  const stopped: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] };

  it('is before it all', () => {
    expect(nextSteps(RUN, stateAfter(started(), ...WORKED, stopped))).toEqual([
      'pawl resume 01K9ZZZZZZ',
      'pawl diff 01K9ZZZZZZ',
      'pawl restore 01K9ZZZZZZ 0',
      'pawl show 01K9ZZZZZZ',
    ]);
  });

  it('is to the last iteration with the most tests passed, when it got worse after', () => {
    const worse = stateAfter(started(), ...tested(1, 3), ...tested(2, 3), ...tested(3, 1), stopped);
    expect(nextSteps(RUN, worse)).toContain('pawl restore 01K9ZZZZZZ 2');
    const better = stateAfter(started(), ...tested(1, 1), ...tested(2, 3), stopped);
    expect(nextSteps(RUN, better)).toContain('pawl restore 01K9ZZZZZZ 0');
  });
});

/** A run that these limits have stopped, after these events. */
function stoppedBy(limits: readonly StopCondition[], ...drafts: readonly Draft[]): RunState {
  const seen = [started({ limits }), ...drafts];
  const { reasons, class: stopClass } = evaluateRun(stateAfter(...seen));
  return stateAfter(...seen, { type: 'run-ended', state: 'stopped', class: stopClass, reasons });
}

const spends = (costUsd: number | undefined, inputTokens = 100, model = 'foo-1'): readonly Draft[] => [
  begin(1),
  used({ inputTokens, outputTokens: 10, totalTokens: inputTokens + 10, costUsd }, { model }),
  end(1),
];

describe('the limit that a resume is offered', () => {
  it.each<[string, StopCondition, readonly Draft[], string]>([
    ['twice of what it was', { type: 'max_cost', usd: 1 }, spends(1.02), '--max-cost 2.1'],
    ['above what was overshot', { type: 'max_cost', usd: 1 }, spends(3), '--max-cost 4'],
    ['a round sum', { type: 'max_cost', usd: 0.3 }, spends(0.3456), '--max-cost 0.65'],
    ['exact where that is round', { type: 'max_cost', usd: 0.1 }, spends(0.2), '--max-cost 0.3'],
    ['above all tokens', { type: 'max_tokens', count: 1000 }, spends(1, 3_331_224), '--max-tokens 3400000'],
    ['above the input', { type: 'max_input_tokens', count: 100 }, spends(1, 950), "--limit 'max_input_tokens: 1100'"],
    ['one more iteration', { type: 'max_iterations', count: 1 }, spends(1), '--max-iterations 2'],
    ['above the time', { type: 'max_duration', duration: '1s' }, spends(1), '--max-duration 5s'],
  ])('is %s: it does not stop the run again at once', (_, limit, drafts, flag) => {
    expect(nextSteps(RUN, stoppedBy([limit], ...drafts))[0]).toBe(`pawl resume 01K9ZZZZZZ ${flag}`);
  });
});

describe('the deadline that a resume is offered', () => {
  it('is in the future whenever it is looked at, and one that a resume takes', () => {
    const at = '2026-03-01T00:00:02Z';
    const state = stoppedBy([{ type: 'deadline', at }], ...spends(1));
    const [, text = ''] = /^pawl resume \S+ --limit '(.*)'$/.exec(nextSteps(RUN, state)[0] ?? '') ?? [];
    const [later] = raisedLimits({ limit: [text] });
    expect(later?.type === 'deadline' ? Date.parse(later.at) : text).toBeGreaterThan(Date.now());
    const nowMs = Date.parse('2026-11-20T14:00:30Z');
    expect(raisedFlag({ type: 'deadline', at }, state, nowMs)).toBe("--limit 'deadline: 2026-11-20T14:11Z'");
    const night = { type: 'deadline', at: '2026-03-01T06:00:00Z' } as const;
    expect(raisedFlag(night, state, nowMs)).toBe("--limit 'deadline: 2026-11-20T20:01Z'");
  });
});

describe('what comes after a run whose spend is not known', () => {
  it.each<[StopCondition, string]>([
    [{ type: 'max_cost', usd: 1 }, '--max-cost 0'],
    [{ type: 'max_tokens', count: 9 }, '--max-tokens 0'],
    [{ type: 'max_output_tokens', count: 9 }, "--limit 'max_output_tokens: 0'"],
  ])('is to go on without %j where the agent never reports its usage', (limit, flag) => {
    const state = stoppedBy([limit], begin(1), end(1));
    expect(nextSteps(RUN, state)[0]).toBe(`pawl resume 01K9ZZZZZZ ${flag}`);
    expect(nextAdvice(state)).toEqual([expect.stringMatching(/agent.*no usage/)]);
    const [, text] = /'(.*)'/.exec(flag) ?? [];
    const options = text === undefined ? { [flag.includes('cost') ? 'maxCost' : 'maxTokens']: '0' } : { limit: [text] };
    const policy = { success: [], failure: [], limits: [limit] };
    expect(raisedLimits(options).reduce(withLimit, policy).limits).toEqual([]);
  });

  it('is no advice where the work is done all the same', () => {
    const done = started({ success: [{ type: 'max_iterations', count: 1 }], limits: [{ type: 'max_cost', usd: 1 }] });
    const seen = [done, begin(1), end(1)];
    const { reasons, class: stopClass } = evaluateRun(stateAfter(...seen));
    expect(reasons.map((reason) => reason.class)).toEqual(['goal', 'blocked']);
    const state = stateAfter(...seen, { type: 'run-ended', state: 'completed', class: stopClass, reasons });
    expect(nextAdvice(state)).toEqual([]);
  });

  it('is no resume under a limit for the day that a silent agent cannot keep', () => {
    const state = stoppedBy([{ type: 'max_cost_per_day', usd: 1 }], DAY, begin(1), end(1));
    expect(nextSteps(RUN, state)).toEqual(['pawl show 01K9ZZZZZZ']);
    expect(nextAdvice(state)).toEqual([expect.stringContaining('remove max_cost_per_day from')]);
  });

  it('is a price for the model and a new run, as no limit helps where there is no price', () => {
    const state = stoppedBy([{ type: 'max_cost', usd: 1 }], ...spends(undefined));
    expect(nextAdvice(state)).toEqual([expect.stringMatching(/price of foo-1 under prices: in pawl\.yaml.*--model/)]);
    expect(nextSteps(RUN, state)).toEqual(['pawl show 01K9ZZZZZZ']);
  });

  it('is the price list itself when that could not be loaded', () => {
    const told = used({ inputTokens: 1, outputTokens: 1, totalTokens: 2 }, { model: 'foo-1', priceListMissing: true });
    const state = stoppedBy([{ type: 'max_cost', usd: 1 }], begin(1), told, end(1));
    expect(endOf(state)?.reasons[0]?.message).toContain('@pydantic/genai-prices');
    expect(nextAdvice(state)).toEqual([expect.stringContaining('@pydantic/genai-prices')]);
  });

  it('is another limit when the agent does not even name the model', () => {
    const state = stoppedBy([{ type: 'max_cost', usd: 1 }], ...spends(undefined, 100, ''));
    expect(nextAdvice(state)).toEqual([expect.stringContaining('max_tokens')]);
  });

  it('is a new limit when one of several iterations reported nothing: it accepts that', () => {
    const state = stoppedBy([{ type: 'max_cost', usd: 1 }], begin(1), end(1), begin(2), used({ costUsd: 0.1 }), end(2));
    expect(nextAdvice(state)).toEqual([]);
    expect(nextSteps(RUN, state)[0]).toBe('pawl resume 01K9ZZZZZZ --max-cost 2');
  });
});

describe('what comes after the limit of a day', () => {
  it('names the setting and its file: a resume alone would stop at once', () => {
    const seen: Draft = { type: 'day-spend-seen', day: '2026-03-01', othersUsd: 5 };
    const state = stoppedBy([{ type: 'max_cost_per_day', usd: 3 }], seen);
    expect(nextAdvice(state)).toEqual([
      expect.stringMatching(/^raise max_cost_per_day in \S+config\.yaml, .* 00:00 UTC/),
    ]);
  });
});

describe('a limit that was raised while the run was ending', () => {
  const ended = (count: number) => {
    const before = stateAfter(started({ limits: [{ type: 'max_iterations', count: 1 }] }), ...iteration(1));
    const { reasons } = evaluateRun(before);
    return stateAfter(
      started({ limits: [{ type: 'max_iterations', count: 1 }] }),
      ...iteration(1),
      { type: 'limit-extended', limit: { type: 'max_iterations', count }, by: 'me' },
      { type: 'run-ended', state: 'stopped', class: 'limit', reasons },
    );
  };

  it('is not to be lowered again', () => {
    expect(nextSteps(RUN, ended(9))[0]).toBe('pawl resume 01K9ZZZZZZ');
  });

  it('and not far enough, is to be raised from where it is', () => {
    expect(nextSteps(RUN, ended(1))[0]).toBe('pawl resume 01K9ZZZZZZ --max-iterations 2');
  });
});

describe('what can be done with a live run', () => {
  const asked: Draft = { type: 'command-received', command: { type: 'stop' }, by: 'me' };

  it('that was asked to stop is to stop it now', () => {
    expect(nextCommands(RUN, stateAfter(started(), begin(1), asked), true, HERE.now())).toEqual([
      'pawl watch 01K9ZZZZZZ',
      'pawl stop --now 01K9ZZZZZZ',
    ]);
  });
});

const asked = (command: LoopCommand): Draft => ({ type: 'command-received', command, by: 'me' });

describe('what was asked of a run and has not happened yet', () => {
  it.each<readonly [string, readonly Draft[], string | undefined]>([
    ['nothing', [begin(1)], undefined],
    [
      'a pause',
      [begin(1), asked({ type: 'pause' })],
      'pauses after this iteration, requested by me; pawl unpause cancels this',
    ],
    ['a pause that was taken back', [begin(1), asked({ type: 'pause' }), asked({ type: 'resume' })], undefined],
    ['a pause that has come', [begin(1), asked({ type: 'pause' }), end(1), { type: 'paused' }], undefined],
    ['a stop', [begin(1), asked({ type: 'stop' })], 'stops after this iteration, requested by me'],
    [
      'a stop in the delay',
      [begin(1), end(1), asked({ type: 'stop' })],
      'stops before the next iteration, requested by me',
    ],
    [
      'a stop after a pause',
      [begin(1), asked({ type: 'pause' }), asked({ type: 'stop' })],
      'stops after this iteration, requested by me',
    ],
    ['a stop at once', [begin(1), asked({ type: 'stop', now: true })], 'stops now, requested by me'],
  ])('is said: %s', (_, drafts, text) => {
    expect(pendingText(stateAfter(started(), ...drafts))).toBe(text);
  });

  it('of a run that nobody runs happens when it goes on: until then no command reaches it', () => {
    const pausing = stateAfter(started(), begin(1), asked({ type: 'pause' }));
    expect(pendingText(pausing, false)).toMatch(/paused when.*by me.*pawl unpause/);
    expect(pendingText(stateAfter(started(), begin(1), asked({ type: 'stop' })), false)).toMatch(/stops when.*by me/);
  });

  it('of a run that is stopping is that the last hook ends', () => {
    const state = stateAfter(started(), begin(1), end(1), asked({ type: 'stop' }), {
      type: 'hook-started',
      hook: 'on_stop',
    });
    expect(pendingText(state)).toMatch(/by me.*on_stop.*pawl stop --now/);
  });
});

describe('why a run is paused', () => {
  it('is who asked, or what a hook said', () => {
    const paused: Draft = { type: 'paused' };
    expect(pausedText(stateAfter(started(), asked({ type: 'pause' }), paused))).toBe('requested by me');
    const failure = {
      message: 'the hook after_iteration exits with 4: disk quota exceeded',
      leadsTo: 'pause',
    } as const;
    const byHook: Draft = { type: 'hook-ran', hook: 'after_iteration', durationMs: 1, failure };
    expect(pausedText(stateAfter(started(), byHook, paused))).toBe(failure.message);
    expect(pausedText(stateAfter(started(), byHook))).toBeUndefined();
  });
});
