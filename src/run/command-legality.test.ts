import { describe, expect, it } from 'vitest';
import { started, stateAfter, baseline, begin, type Draft, end } from '../../test/support/record.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import type { TerminalState } from '../model/loop-state.js';
import { loopStateOf } from '../model/phase.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { refusalOf, effectOf } from './command-legality.js';

const since = '2026-01-01T00:00:00.000Z';
const open = { name: 'iterating', iteration: 1, try: 1, cookie: 'c', startedAt: since } as const;
const resting = { name: 'resting' } as const;
const waiting = (what: 'usage-limit' | 'overload' | 'approval'): RunState => ({
  ...INITIAL_STATE,
  phase: { name: 'waiting', for: what, since },
});
const ended = (state: TerminalState): RunState => ({
  ...INITIAL_STATE,
  phase: { name: 'ended', state, end: { reasons: [], at: since } },
});
const agent = { name: 'silent', usage: 'none' } as const;

const verdict = (stopClass: 'limit' | 'goal', message: string): Verdict => ({
  stop: true,
  class: stopClass,
  reasons: [{ path: 'p', class: stopClass, message }],
  judgements: [],
  holds: {},
});
const LIMIT = verdict('limit', '2 of 2 iterations');
const GOAL = verdict('goal', 'all tests pass');

const STATES = {
  idle: INITIAL_STATE,
  running: { ...INITIAL_STATE, phase: open },
  'running, between iterations': { ...INITIAL_STATE, phase: resting },
  'running, and looked at': { ...INITIAL_STATE, phase: { ...open, step: 'observing' } },
  'running, to be paused': { ...INITIAL_STATE, phase: open, requests: { pause: { by: 'me' }, steers: [] } },
  'running, to be stopped': {
    ...INITIAL_STATE,
    phase: { ...open, step: 'executing' },
    requests: { stop: { by: 'me', now: false }, steers: [] },
  },
  paused: { ...INITIAL_STATE, phase: { name: 'paused' } },
  'paused, in its hook': { ...INITIAL_STATE, phase: { name: 'paused' }, hook: 'on_pause' },
  stopping: { ...INITIAL_STATE, phase: resting, verdict: LIMIT },
  'stopping, in its hook': { ...INITIAL_STATE, phase: resting, verdict: LIMIT, hook: 'on_stop' },
  'stopping, with its goal reached': { ...INITIAL_STATE, phase: resting, verdict: GOAL, hook: 'on_stop' },
  'waiting for usage-limit': waiting('usage-limit'),
  'waiting for overload': waiting('overload'),
  'waiting for approval': waiting('approval'),
  'waiting for answer': { ...INITIAL_STATE, phase: { ...open, asking: { since } } },
  rebooting: { ...INITIAL_STATE, phase: { name: 'resting', isRebooting: true } },
  completed: ended('completed'),
  stopped: ended('stopped'),
  error: ended('error'),
} as const satisfies Record<string, RunState>;

const COMMANDS = {
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  skip: { type: 'skip' },
  approve: { type: 'approve' },
  reject: { type: 'reject', text: 'no' },
  stop: { type: 'stop' },
  'stop now': { type: 'stop', now: true },
  reboot: { type: 'reboot' },
  steer: { type: 'steer', text: 'look' },
  extend: { type: 'extend', limit: { type: 'max_iterations', count: 9 } },
} as const satisfies Record<string, LoopCommand>;

const ALWAYS = ['stop', 'stop now', 'reboot', 'steer', 'extend'] as const;

/** What may be asked of a run in each state; nothing else may. */
const LEGAL: Readonly<Record<keyof typeof STATES, readonly (keyof typeof COMMANDS)[]>> = {
  idle: ['extend'],
  running: ['pause', 'skip', ...ALWAYS],
  'running, between iterations': ['pause', ...ALWAYS],
  'running, and looked at': ['pause', ...ALWAYS],
  'running, to be paused': ['pause', 'resume', 'skip', ...ALWAYS],
  'running, to be stopped': ['skip', ...ALWAYS],
  paused: ['resume', ...ALWAYS],
  'paused, in its hook': ['resume', 'skip', ...ALWAYS],
  stopping: ['stop', 'stop now', 'steer', 'extend'],
  'stopping, in its hook': ['stop', 'stop now', 'skip', 'steer', 'extend'],
  'stopping, with its goal reached': ['stop', 'stop now', 'skip'],
  'waiting for usage-limit': ['resume', ...ALWAYS],
  'waiting for overload': ['resume', ...ALWAYS],
  'waiting for approval': ['approve', 'reject', ...ALWAYS],
  'waiting for answer': [...ALWAYS],
  rebooting: ['pause', ...ALWAYS],
  completed: [],
  stopped: ['extend'],
  error: [],
};

describe('what may be asked of a run', () => {
  it.each(Object.entries(STATES))('that is %s', (name, state) => {
    const legal = Object.entries(COMMANDS).filter(([, command]) => refusalOf(command, state) === undefined);
    expect(legal.map(([command]) => command).toSorted()).toEqual([...LEGAL[name as keyof typeof STATES]].toSorted());
  });

  it('and a refusal names the command and the state', () => {
    for (const [name, state] of Object.entries(STATES)) {
      for (const command of Object.values(COMMANDS)) {
        const refused = refusalOf(command, state);
        if (refused === undefined) continue;
        expect(refused).toContain(`cannot ${wordOf(command)}`);
        const named = name.startsWith('stopping') ? 'stopping' : loopStateOf(state);
        if (name !== 'running, between iterations') expect(refused).toContain(named);
      }
    }
  });

  it.each([
    ['running', 'resume', 'cannot unpause a run that is running: no pause was requested'],
    ['running, to be stopped', 'pause', 'cannot pause a run that is running: it stops after this iteration'],
    ['running, to be stopped', 'resume', 'cannot unpause a run that is running: it stops after this iteration'],
    ['waiting for approval', 'pause', /^cannot pause a run that is waiting for approval: pawl approve .* pawl reject/],
    ['waiting for approval', 'resume', /^cannot unpause a run that is waiting for approval: pawl approve/],
    [
      'waiting for usage-limit',
      'approve',
      /^cannot approve a run that is waiting for the usage limit: it has not asked/,
    ],
    ['stopping, in its hook', 'pause', 'cannot pause a run that is stopping: 2 of 2 iterations'],
    ['stopping, in its hook', 'reboot', 'cannot reboot a run that is stopping: 2 of 2 iterations'],
    ['stopping, with its goal reached', 'extend', 'cannot extend a run that is stopping: all tests pass'],
    ['running, and looked at', 'skip', 'cannot skip a run that is running: the agent has finished'],
  ] as const)('and one that is %s says of %s what is in the way, in the words that people type', (name, type, text) => {
    expect(refusalOf(COMMANDS[type], STATES[name])).toMatch(text);
  });

  it('a budget that nobody can hold is refused, instead of stopping the run as blocked', () => {
    const budget = { type: 'extend', limit: { type: 'max_cost', usd: 5 } } as const;
    expect(refusalOf(budget, STATES.running)).toBeUndefined();
    expect(refusalOf(budget, { ...STATES.running, agent })).toMatch(/silent does not report/);
    expect(refusalOf(COMMANDS.extend, { ...STATES.running, agent })).toBeUndefined();
  });

  it.each(['steer', 'reject'] as const)('a %s that does not fit into the next prompt is refused, not cut', (type) => {
    const text = (characters: number) => ({ type, text: 'x'.repeat(characters) });
    const state = STATES[type === 'steer' ? 'running' : 'waiting for approval'];
    expect(refusalOf(text(8192), state)).toBeUndefined();
    expect(refusalOf(text(8193), state)).toMatch(new RegExp(`^cannot ${type}: .*8,193 characters.* 8,192 .*file`));
    expect(refusalOf(text(193), { ...state, requests: { steers: ['y'.repeat(8000)] } })).toMatch(
      new RegExp(`^cannot ${type}: .*\\b193 characters.* 192 .*file`),
    );
  });

  it('a circuit breaker is given to a pipeline, and not to a loop, which would never reach it', () => {
    const breaker = { type: 'extend', limit: { type: 'circuit_breaker', attempts: 90 } } as const;
    expect(refusalOf(breaker, STATES.running)).toContain('this run is a loop');
    const pipeline = stateAfter(started({}, { kind: 'pipeline', items: 3 }));
    expect(refusalOf(breaker, pipeline)).toBeUndefined();
  });
});

const asked = (command: LoopCommand): Draft => ({ type: 'command-received', command, by: 'me' });
const status = (name: 'pre_hooks' | 'executing' | 'post_hooks'): Draft => ({ type: 'iteration-status', status: name });
const executing = [started(), baseline(), begin(1), status('executing')];
const last = [started({ limits: [{ type: 'max_iterations', count: 1 }] }), baseline(), begin(1), status('executing')];
const between = [...executing, end(1)];
const hook = (name: 'on_pause' | 'on_stop'): Draft => ({ type: 'hook-started', hook: name });
const pausing = [...between, asked({ type: 'pause' }), { type: 'paused' } as const, hook('on_pause')];
const stopping = [...between, hook('on_stop')];

describe('what comes of a command', () => {
  it.each<readonly [string, LoopCommand, readonly Draft[], string, boolean]>([
    ['pause, while an agent works', { type: 'pause' }, executing, 'pauses after this iteration', true],
    ['pause, between two iterations', { type: 'pause' }, between, 'pauses', false],
    ['pause, in the baseline', { type: 'pause' }, [started()], 'pauses before the first iteration', true],
    [
      'pause in the last iteration',
      { type: 'pause' },
      last,
      'is in its last iteration, and pauses only if its limit is extended',
      true,
    ],
    [
      'steer in the last iteration',
      { type: 'steer', text: 'x' },
      last,
      'is in its last iteration: the agent gets your message only if the run is extended or resumed',
      true,
    ],
    ['steer before', { type: 'steer', text: 'x' }, executing, 'sends your message with the next prompt', true],
    ['unpause of a pause', { type: 'resume' }, [...between, { type: 'paused' }], 'continues', false],
    [
      'unpause of a pause that was only asked for',
      { type: 'resume' },
      [...executing, asked({ type: 'pause' })],
      'continues: the requested pause is cancelled',
      false,
    ],
    [
      'unpause of a wait',
      { type: 'resume' },
      [...between, { type: 'waiting-started', for: 'overload' }],
      'tries again now',
      false,
    ],
    ['unpause while the hook runs', { type: 'resume' }, pausing, 'ends the hook on_pause and continues', false],
    ['skip of that hook', { type: 'skip' }, pausing, 'ends the hook on_pause, and stays paused', false],
    ['stop in that hook', { type: 'stop' }, pausing, 'ends the hook on_pause and stops', false],
    ['stop while it stops', { type: 'stop' }, stopping, 'is already stopping, and its hook on_stop is running', true],
    ['stop --now while it stops', { type: 'stop', now: true }, stopping, 'ends the hook on_stop and stops', false],
    ['skip while it stops', { type: 'skip' }, stopping, 'ends the hook on_stop, and stops', false],
    [
      'extend while it stops',
      { type: 'extend', limit: { type: 'max_iterations', count: 9 } },
      stopping,
      'stops first: the new limit counts when it is resumed: after 9 iterations',
      true,
    ],
    ['skip', { type: 'skip' }, executing, 'ends this iteration and continues', false],
    [
      'skip after a stop',
      { type: 'skip' },
      [...executing, asked({ type: 'stop' })],
      'ends this iteration, and stops',
      false,
    ],
    [
      'skip after a pause',
      { type: 'skip' },
      [...executing, asked({ type: 'pause' })],
      'ends this iteration, and pauses',
      false,
    ],
    [
      'skip in a hook after the agent',
      { type: 'skip' },
      [...executing, status('post_hooks')],
      'ends the hook and continues',
      false,
    ],
    ['stop, while an agent works', { type: 'stop' }, executing, 'stops after this iteration', true],
    [
      'stop, in a hook before the agent',
      { type: 'stop' },
      [started(), baseline(), begin(1), status('pre_hooks')],
      'stops: the agent will not be started',
      false,
    ],
    ['stop, between two iterations', { type: 'stop' }, between, 'stops', false],
    ['stop --now', { type: 'stop', now: true }, executing, 'stops now', false],
    ['stop after stop --now', { type: 'stop' }, [...executing, asked({ type: 'stop', now: true })], 'stops now', false],
    [
      'steer after a stop',
      { type: 'steer', text: 'x' },
      [...executing, asked({ type: 'stop' })],
      'stops first: it sends your message when it is resumed',
      true,
    ],
  ])('%s is told as it is', (_, command, drafts, text, isPending) => {
    expect(effectOf(command, stateAfter(...drafts))).toEqual({ text, isPending });
  });

  it('a rejection says that the run asks again, and not that it goes on', () => {
    const { text } = effectOf({ type: 'reject', text: 'no' }, stateAfter(...between));
    expect(text).toMatch(/^does not start: it asks for approval again/);
  });
});
