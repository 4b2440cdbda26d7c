import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  started,
  stateAfter,
  tests,
  trees,
  record,
} from '../../../test/support/record.js';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import { resolveConfig } from '../../config/resolve-config.js';
import type { LoopConfig } from '../../config/loop-config.js';
import type { LoopCommand } from '../../model/loop-command.js';
import type { RunState } from '../../model/run-state.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';
import { endReport } from './end-report.js';
import { endOf, loopStateOf } from '../../model/phase.js';
import type { ListedRun } from '../../journal/list-runs.js';
import { isStateShape } from '../../journal/state-shape.js';
import { NO_ITEMS } from '../../model/shown-items.js';
import { explain } from '../../replay/explain.js';
import { summariseRun } from '../../stop/run-summary.js';
import { whyListed } from '../../app/listed-record.js';
import { statusLines } from './status-lines.js';
import { explanationLines } from './explanation-lines.js';

/** The start of a run with this config. */
function startedWith(config: LoopConfig = {}): Draft {
  const { spec } = resolveConfig(config);
  return started(spec.policy, { spec });
}

const STOPPED: Draft = { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] };

const linesOf = (state: RunState) =>
  endReport({ runId: 'loop_01TEST', state, folder: 'x' }, contextOf(recordingTerminal(400)));

/** What the report says is missing. */
function missingIn(state: RunState): string | undefined {
  return linesOf(state)
    .find((line) => line.startsWith('Not done: '))
    ?.replace(/^Not done: (.*)\.$/, '$1');
}

/** The row of the report that is called `label`, as far as it goes on one line. */
function rowOf(state: RunState, label: string): string | undefined {
  return linesOf(state)
    .find((line) => line.startsWith(`  ${label} `))
    ?.slice(label.length + 2)
    .trim();
}

/** After these events, a verdict on them and the end. */
function judgedAfter(...drafts: readonly Draft[]): RunState {
  const verdict = evaluateRun(stateAfter(...drafts));
  return stateAfter(...drafts, { type: 'verdict-reached', iteration: 1, verdict }, STOPPED);
}

describe('the headline of the report of a pipeline', () => {
  const headlineOf = (stopClass: 'goal' | 'failure', message: string) => {
    const reasons = [{ path: 'items', class: stopClass, message }];
    const ended: Draft = { type: 'run-ended', state: 'completed', class: stopClass, reasons };
    const state = stateAfter(started({}, { kind: 'pipeline', items: 8 }), ended);
    return endReport({ runId: 'pipe_01TEST', state, folder: 'x' }, contextOf(recordingTerminal(400)))[0];
  };

  it('does not say done when items failed and the exit code is 4', () => {
    expect(headlineOf('failure', '3 of 8 items approved, 5 failed')).toMatch(/^Gave up: 3 of 8 items approved/);
    expect(headlineOf('goal', 'all 8 items approved')).toMatch(/^Done: all 8 items approved/);
  });
});

describe('the tests in the report of a run', () => {
  it('are not said to fail where the report says that they were not run', () => {
    const red = tests(0, 0, { passed: undefined, failed: undefined, total: undefined, exitCode: 1 });
    const begun = [startedWith({ tests: 'make test' }), baseline({ tests: red })];
    const broken: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'the disk is full' };
    const state = stateAfter(...begun, begin(1), broken);
    expect(missingIn(state)).toBe('the tests were not run');
    expect(rowOf(state, 'tests')).toMatch(/tests fail.*not run/);
    expect(rowOf(stateAfter(...begun, STOPPED), 'tests')).toBe('the tests fail');
  });

  const NOTHING_RUN = end(1, { outcome: 'interrupted', interruption: 'operator' });

  it('are not run when the last iteration did not run them, whatever was seen before', () => {
    const begun = [startedWith({ tests: 'x' }), baseline({ tests: tests(1, 2) })];
    expect(rowOf(stateAfter(...begun, begin(1), NOTHING_RUN, STOPPED), 'tests')).toMatch(/1 of 3 tests.*not run/);
    const second = [...iteration(1, { tests: tests(3, 0) }), begin(2), end(2, { outcome: 'interrupted' })];
    expect(rowOf(stateAfter(...begun, ...second, STOPPED), 'tests')).toMatch(/1 of 3 tests.*not run/);
  });

  it('are not run where there was no baseline either, and are no topic without a command for them', () => {
    expect(rowOf(stateAfter(startedWith({ tests: 'x' }), begin(1), NOTHING_RUN, STOPPED), 'tests')).toMatch(/^not run/);
    expect(rowOf(stateAfter(startedWith(), begin(1), NOTHING_RUN, STOPPED), 'tests')).toBeUndefined();
  });

  it('that cannot be run are not called failing', () => {
    const missing = { source: 'harness', exitCode: 127, details: [] } as const;
    const state = stateAfter(startedWith({ tests: 'x' }), baseline({ tests: missing }), STOPPED);
    expect(rowOf(state, 'tests')).toMatch(/cannot be run.*127/);
  });
});

describe('the files in the report of a run', () => {
  const deleted = trees('a', 'b', { modified: [], deleted: ['x', 'y'], changedFiles: 2 });

  it('count what was deleted', () => {
    expect(rowOf(stateAfter(startedWith(), ...iteration(1, deleted), STOPPED), 'files')).toBe('2 files changed: x, y');
    const two = [...iteration(1, deleted), ...iteration(2, trees('b', 'c'))];
    expect(rowOf(stateAfter(startedWith(), ...two, STOPPED), 'files')).toBe(
      'changed in 2 iterations, 1 to 2 files in each; last changed: a.ts',
    );
    const same = [...iteration(1, trees('a', 'b')), ...iteration(2, trees('b', 'c')), ...iteration(3, trees('c', 'c'))];
    expect(rowOf(stateAfter(startedWith(), ...same, STOPPED), 'files')).toBe('changed in 2 iterations, 1 file in each');
    const once = [...iteration(1, deleted), ...iteration(2, trees('b', 'b'))];
    expect(rowOf(stateAfter(startedWith(), ...once, STOPPED), 'files')).toBe('2 files changed');
  });

  it('do not call a try that was limited an iteration', () => {
    const drafts = [
      ...iteration(1, trees('a', 'b')),
      ...iteration(2, trees('b', 'c'), { outcome: 'limited' }),
      ...iteration(2, trees('c', 'd')),
    ];
    const state = stateAfter(startedWith(), ...drafts, STOPPED);
    expect(rowOf(state, 'iterations')).toBe('2 (plus 1 try that did not get through)');
    expect(rowOf(state, 'files')).toBe(
      'changed in 2 iterations and 1 rejected request, 1 file in each; last changed: a.ts',
    );
  });

  it.each<[string, LoopConfig, readonly Draft[], string | undefined]>([
    ['nothing changed', {}, iteration(1, trees('a', 'a')), 'no files changed'],
    [
      'nobody could look',
      {},
      iteration(1, { unobserved: ['git is broken'] }),
      'unknown (Pawl could not take a snapshot); the files are as the agent left them',
    ],
    ['nobody was to look', { trackFileChanges: false }, iteration(1), 'unknown (changes are not tracked)'],
    [
      'nobody could look at one of them',
      {},
      [...iteration(1), ...iteration(2, deleted)],
      '2 files changed: x, y (unknown for 1 iteration)',
    ],
    ['nothing was run', {}, [], undefined],
  ])('say so when %s', (_, config, drafts, text) => {
    expect(rowOf(stateAfter(startedWith(config), ...drafts, STOPPED), 'files')).toBe(text);
  });

  it('are those created and modified when the run is too long to add the rest up', () => {
    const many = Array.from({ length: 101 }, (_, index) => iteration(index + 1, trees(`${index}`, `${index + 1}`)));
    expect(rowOf(stateAfter(startedWith(), ...many.flat(), STOPPED), 'files')).toBe(
      '0 created, 101 modified (summed over 101 iterations)',
    );
  });
});

describe('the iterations in the report of a run', () => {
  it('name those that did not end as they should', () => {
    const outcomes = ['completed', 'failed', 'timed-out', 'interrupted', 'skipped'] as const;
    const drafts = outcomes.flatMap((outcome, index) => iteration(index + 1, {}, { outcome }));
    const limited = [begin(6), end(6, { outcome: 'limited' }), begin(6, 2), end(6, { outcome: 'limited' })];
    expect(rowOf(stateAfter(startedWith(), ...drafts, STOPPED), 'iterations')).toBe(
      '5 (1 failed, 1 timed out, 1 interrupted, 1 skipped)',
    );
    expect(rowOf(stateAfter(startedWith(), ...drafts.slice(0, 3), ...limited, STOPPED), 'iterations')).toBe(
      '1 (plus 2 tries that did not get through)',
    );
  });

  it('say that a condition ended one early, rather than that something interrupted it', () => {
    const cut = end(1, { outcome: 'interrupted', interruption: 'failure' });
    const state = stateAfter(startedWith(), begin(1), cut, STOPPED);
    expect(rowOf(state, 'iterations')).toBe('1 (1 ended early by Pawl)');
  });

  it('do not lose count in a long run', () => {
    const all = Array.from({ length: 102 }, (_, index) =>
      iteration(index + 1, {}, { outcome: index < 2 ? 'skipped' : 'completed' }),
    );
    expect(rowOf(stateAfter(startedWith(), ...all.flat(), STOPPED), 'iterations')).toBe(
      '102 (2 interrupted or skipped)',
    );
  });
});

describe('what is not done, in the report of a run', () => {
  const goal = { file_created: 'DONE' };
  const key = (path: string) => JSON.stringify({ path, type: 'file_created' });

  it('is the goal that does not hold', () => {
    const state = judgedAfter(startedWith({ tests: 'x' }), ...iteration(1, { tests: tests(1, 2) }));
    expect(missingIn(state)).toBe('2 of 3 tests fail');
  });

  it('is a goal that held once and not again', () => {
    const observation = { tests: tests(2, 0), confirmations: [{ tests: tests(1, 1) }] };
    const state = judgedAfter(startedWith({ tests: 'x', stop: { confirm: 2 } }), ...iteration(1, observation));
    expect(missingIn(state)).toContain('held once, then not');
  });

  it('is a goal that is met while a guard could not be looked at', () => {
    const config = { tests: 'x', stop: { failure: [{ protected_path_changed: ['test/**'] }] } };
    const state = judgedAfter(startedWith(config), ...iteration(1, { tests: tests(2, 0) }));
    expect(missingIn(state)).toMatch(/both tests pass.*guard/);
  });

  it('is a goal that is met too early', () => {
    const state = judgedAfter(
      startedWith({ tests: 'x', stop: { atLeast: 3 } }),
      ...iteration(1, { tests: tests(2, 0) }),
    );
    expect(missingIn(state)).toMatch(/both tests pass.*3 iterations/);
  });

  it('is told of a run that broke after its last verdict as the record has it now', () => {
    const seen = [startedWith({ tests: 'x' }), ...iteration(1, { tests: tests(1, 2) })];
    const verdict = evaluateRun(stateAfter(...seen));
    const broken: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'the disk is gone' };
    const drafts = [...seen, { type: 'verdict-reached', iteration: 1, verdict } as const, begin(2), end(2)];
    expect(missingIn(stateAfter(...drafts, broken))).toBe('the tests were not run after iteration 2');
  });

  it('is nothing where there is no goal, or it is reached', () => {
    expect(rowOf(judgedAfter(startedWith(), ...iteration(1)), 'not done')).toBeUndefined();
    const done = [startedWith({ stop: { success: [goal] } }), baseline({ probes: { [key('DONE')]: { met: true } } })];
    const verdict = evaluateRun(stateAfter(...done));
    const ended: Draft = { type: 'run-ended', state: 'completed', class: 'goal', reasons: verdict.reasons };
    const state = stateAfter(...done, { type: 'verdict-reached', iteration: 0, verdict }, ended);
    expect(missingIn(state)).toBeUndefined();
  });
});

describe('the commits in the report of a run', () => {
  const failed: Draft = { type: 'work-committed', iteration: 1, error: 'git add: index.lock is there' };
  const made: Draft = { type: 'work-committed', iteration: 1, commit: 'c0ffee' };
  const unpushed: Draft = { ...made, error: 'someone else has pushed' };

  it.each<[string, readonly Draft[], string | undefined]>([
    [
      'one that failed is not silent',
      [failed],
      'none: git add: index.lock is there; the work is in the tree, not committed',
    ],
    [
      'the last one counts',
      [made, failed],
      '1 commit, and the last one failed: git add: index.lock is there; the work is in the tree, not committed',
    ],
    [
      'one that is on no branch is not called one',
      [made, unpushed],
      '1 commit, and the last one is on no branch: someone else has pushed',
    ],
    ['the only one is on no branch', [unpushed], 'the only one is on no branch: someone else has pushed'],
    ['a later one holds what failed before', [failed, made], '1 commit'],
    ['those of the agent count, too', [made, { ...made, commits: 3 }], '4 commits'],
    [
      'a tree that is gone is not said to hold the work',
      [{ ...failed, error: 'the working tree /a/tree is gone' }],
      'none: the working tree /a/tree is gone',
    ],
    ['nothing was tried', [], undefined],
  ])('%s', (_, drafts, text) => {
    expect(rowOf(stateAfter(startedWith(), ...iteration(1), ...drafts, STOPPED), 'commits')).toBe(text);
  });
});

describe('the report of a run', () => {
  const stopped = stateAfter(startedWith(), ...iteration(1), STOPPED);

  it('suggests no resume of a record that cannot be read in full', () => {
    expect(rowOf(stopped, 'next')).toContain('pawl resume');
    const damaged = { runId: 'loop_01TEST', state: stopped, folder: 'x', isDamaged: true };
    expect(endReport(damaged, contextOf(recordingTerminal())).join('\n')).not.toContain('pawl resume');
  });

  it('suggests no resume of a run whose folder is gone', () => {
    const spec = { ...resolveConfig({}).spec, workingDir: '/nowhere/at/all' };
    const gone = stateAfter(started(spec.policy, { spec }), ...iteration(1), STOPPED);
    expect(rowOf(gone, 'next')).toContain('/nowhere/at/all is gone');
    const lines = endReport({ runId: 'loop_01TEST', state: gone, folder: 'x' }, contextOf(recordingTerminal()));
    expect(lines.join('\n')).not.toContain('pawl resume');
  });

  it('says in words what the system said', () => {
    const error = "the prompt p.md cannot be read: ENOENT: no such file or directory, stat '/a/p.md'";
    const [first] = endReport(
      { runId: 'loop_01TEST', state: stopped, folder: 'x', error },
      contextOf(recordingTerminal()),
    );
    expect(first).toMatch(/^Failed .*p\.md.*no such file/);
    expect(first).not.toContain('ENOENT');
  });
});

describe('the next steps in the report of a run', () => {
  const nextOf = (state: RunState) => {
    const lines = endReport({ runId: 'loop_01TEST', state, folder: 'x' }, contextOf(recordingTerminal(400)));
    return lines.slice(lines.findIndex((line) => line.startsWith('  next '))).map((line) => line.slice(6).trim());
  };

  it('say what the number of a restore means, on a line of its own', () => {
    const start = nextOf(stateAfter(startedWith(), ...iteration(1, trees('a', 'b')), STOPPED));
    expect(start[start.indexOf('undo:     pawl restore 01TEST 0') + 1]).toMatch(
      /ignored files.*before the first iteration/,
    );
    const worse = [
      ...iteration(1, { ...trees('a', 'b'), tests: tests(2, 1) }),
      ...iteration(2, { ...trees('b', 'c'), tests: tests(1, 2) }),
    ];
    const best = nextOf(stateAfter(startedWith({ tests: 'x' }), ...worse, STOPPED));
    expect(best[best.indexOf('undo:     pawl restore 01TEST 1') + 1]).toMatch(/ignored files.*after iteration 1/);
  });
});

describe('what the agent reported', () => {
  const claim: Draft = { type: 'claim-made', claim: 'done', evidence: 'it works', by: 'x' };

  it('is shown, and that nobody checked it where the goal rests on it alone', () => {
    const begun = [startedWith({ stop: { success: ['agent_reports_done'] } }), begin(1), claim, end(1)];
    const { reasons } = evaluateRun(stateAfter(...begun));
    const ended = stateAfter(...begun, { type: 'run-ended', state: 'completed', class: 'goal', reasons });
    expect(rowOf(ended, 'trusted')).toMatch(/only.*agent.*Pawl.*nothing/);
    const silent = [startedWith({ stop: { success: [{ not: 'agent_reports_blocked' }] } }), begin(1), end(1)];
    const why = evaluateRun(stateAfter(...silent)).reasons;
    const believed = stateAfter(...silent, { type: 'run-ended', state: 'completed', class: 'goal', reasons: why });
    expect(rowOf(believed, 'trusted')).toBe(rowOf(ended, 'trusted'));
    expect(linesOf(stateAfter(...begun, STOPPED)).join('\n')).toMatch(/done once, but no goal was met: "it works"/);
  });

  it('is all that is known where its own output is the only proof that the tests pass', () => {
    const endedBy = (source: 'agent' | 'harness') => {
      const tests = { source, passed: 3, failed: 0, total: 3, details: [] };
      const events = [
        startedWith({ stop: { success: ['all_tests_pass'] } }),
        begin(1),
        end(1, { observation: { tests } }),
      ];
      const { reasons } = evaluateRun(stateAfter(...events));
      return stateAfter(...events, { type: 'run-ended', state: 'completed', class: 'goal', reasons });
    };
    expect(rowOf(endedBy('agent'), 'trusted')).toMatch(/only.*agent.*Pawl.*nothing/);
    expect(rowOf(endedBy('harness'), 'trusted')).toBeUndefined();
  });
});

it('the work of a run of the fleet is fetched from its branch, and nothing of it is resumed here', () => {
  const { spec } = resolveConfig({});
  const repository = 'git@example.org:team/my app.git';
  const runId = 'loop_01M7HHFXFGABCDEFGHJKMNPQRS';
  const worktree = { path: '/gone', branch: `pawl/${runId}`, repository };
  const begun = started(spec.policy, { spec: { ...spec, worktree } });
  const next = (...drafts: readonly Draft[]) => {
    const state = stateAfter(begun, ...drafts, STOPPED);
    const lines = endReport({ runId, state, folder: 'x', isOfFleet: true }, contextOf(recordingTerminal(400)));
    return lines.slice(lines.findIndex((line) => line.startsWith('  next '))).map((line) => line.slice(6).trim());
  };
  const fetched = `git fetch 'git@example.org:team/my app.git' pawl/${runId} && git merge FETCH_HEAD`;
  expect(next(begin(1), end(1), { type: 'work-committed', iteration: 1, commit: 'abc' })).toEqual([
    `merge:   ${fetched}`,
    'details: pawl show 01M7HHFXFG',
  ]);
  expect(next()).toEqual(['details: pawl show 01M7HHFXFG']);
});

it('where the tree of a run of the fleet is kept stands on a line of its own, whole', () => {
  const kept = `build-7:/var/lib/pawl/kept/${'long/'.repeat(40)}tree`;
  const state = stateAfter(started(resolveConfig({}).spec.policy), STOPPED);
  const lines = endReport(
    { runId: 'loop_01TEST', state, folder: 'x', isOfFleet: true, kept },
    contextOf(recordingTerminal(40)),
  );
  expect(lines.map((line) => line.trim().replace(/^kept +/, ''))).toContain(kept);
});

describe('what was asked of a run and did not happen before it ended', () => {
  const asked = (command: LoopCommand): Draft => ({ type: 'command-received', command, by: 'me' });
  const OVER: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons: [] };
  const DONE: Draft = { type: 'run-ended', state: 'completed', class: 'goal', reasons: [] };

  it('is in the report: a message in the last iteration, and whether a resume delivers it', () => {
    const told = [startedWith(), begin(1), asked({ type: 'steer', text: 'mind the zero' }), end(1)];
    expect(rowOf(stateAfter(...told, OVER), 'not sent')).toMatch(/^"mind the zero".*pawl resume/);
    expect(rowOf(stateAfter(...told, DONE), 'not sent')).toBe('"mind the zero"');
    const two = [...told.slice(0, -1), asked({ type: 'steer', text: 'and the one' }), end(1), OVER];
    expect(rowOf(stateAfter(...two), 'not sent')).toMatch(/^2 .*"mind the zero".*"and the one".*pawl resume/);
    expect(rowOf(stateAfter(startedWith(), ...iteration(1), OVER), 'not sent')).toBeUndefined();
  });

  it('is in the report: a pause in the last iteration', () => {
    const paused = [startedWith(), begin(1), asked({ type: 'pause' }), end(1)];
    expect(rowOf(stateAfter(...paused, OVER), 'asked')).toMatch(/pause.*by me.*ended/);
    expect(rowOf(stateAfter(...paused, { type: 'paused' }, STOPPED), 'asked')).toBeUndefined();
    expect(stateAfter(...paused, OVER, { type: 'run-resumed', cause: 'operator' }).requests.pause).toBeUndefined();
  });
});

describe('tests that were green in the middle of an iteration', () => {
  const green: Draft = { type: 'green-seen', iteration: 1, tree: 'a', passed: 5 };
  const red = end(1, { observation: { tests: tests(4, 1), ...trees('x', 'z') } });
  const after = (last: Draft, ...more: readonly Draft[]) =>
    stateAfter(startedWith(), begin(1), green, red, ...more, last);

  it('are named with the way back, unless the run is done or cannot be restored from here', () => {
    const state = after(STOPPED);
    expect(rowOf(state, 'green')).toMatch(/^at .* in iteration 1: 5 tests passed in the agent's run$/);
    const linesOf = (more: object) =>
      endReport({ runId: 'loop_01TEST', state, folder: 'x', ...more }, contextOf(recordingTerminal(400))).join('\n');
    expect(linesOf({ place: ' --cwd y' })).toMatch(/^ +pawl restore 01TEST 1@green --cwd y$/m);
    for (const more of [{ isOfFleet: true }, { isWorktreeGone: true }, { isDamaged: true }]) {
      expect(linesOf(more)).not.toContain('@green');
    }
    const done = after({ type: 'run-ended', state: 'completed', class: 'goal', reasons: [] });
    expect(rowOf(done, 'green')).toBeUndefined();
  });
});

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
