import { describe, expect, it } from 'vitest';
import { started, stateAfter } from '../../test/support/record.js';
import { type LoopCommand, wordOf } from '../model/loop-command.js';
import type { TerminalState } from '../model/loop-state.js';
import { loopStateOf } from '../model/phase.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { refusalOf } from './command-legality.js';

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
    ['running, and looked at', 'skip', 'cannot skip a run that is running: the agent is done, and what it did'],
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
