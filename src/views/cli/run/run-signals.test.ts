import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { begin, end, started, stateAfter } from '../../../../test/support/record.js';
import { recordingTerminal } from '../../../../test/support/terminal.js';
import { InvalidState } from '../../../model/errors.js';
import type { RunEvent } from '../../../model/run-event.js';
import { loopStateOf } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { obeySignals } from './run-signals.js';

let ignore = () => {};
afterEach(() => ignore());

/** What a run in this state is asked by signals, and what is said about it. */
function signalled(runState: RunState) {
  const asked: unknown[] = [];
  const listeners: ((event: RunEvent, state: RunState) => void)[] = [];
  const terminal = recordingTerminal();
  const run = {
    runState,
    send: (command: unknown, by?: string) => {
      if (loopStateOf(runState) === 'idle' && listeners.length > 0 && asked.length === 0) {
        asked.push('refused');
        return Promise.reject(new InvalidState('idle', 'stop'));
      }
      asked.push([command, by]);
      return Promise.resolve({ text: '', isPending: false });
    },
    subscribe: (listener: (event: RunEvent, state: RunState) => void) => {
      listeners.push(listener);
      return () => void listeners.splice(0);
    },
  };
  ignore = obeySignals(run, terminal, () => asked.push('hung up'));
  return { asked, listeners, terminal };
}

describe('Ctrl-C', () => {
  it.each([
    [
      'in an iteration',
      stateAfter(started(), begin(1), { type: 'iteration-status', status: 'executing' }),
      'stopping after this iteration; Ctrl-C again stops now\n',
    ],
    [
      'in a hook before the agent',
      stateAfter(started(), begin(1), { type: 'iteration-status', status: 'pre_hooks' }),
      'stopping before the agent is started; Ctrl-C again stops now\n',
    ],
    ['in the baseline', stateAfter(started()), 'stopping before the first iteration; Ctrl-C again stops now\n'],
    [
      'in a wait after the first try',
      stateAfter(started(), begin(1), end(1, { outcome: 'limited' }), { type: 'waiting-started', for: 'usage-limit' }),
      'stopping; Ctrl-C again stops now\n',
    ],
    [
      'in the hook of the end',
      stateAfter(started(), begin(1), end(1), { type: 'hook-started', hook: 'on_stop' }),
      'stopping: the hook on_stop is running; Ctrl-C again ends it\n',
    ],
    [
      'in the delay',
      stateAfter(started(), begin(1), end(1)),
      'stopping before the next iteration; Ctrl-C again stops now\n',
    ],
  ])('says when the run stops: %s', (_, state, note) => {
    const { asked, terminal } = signalled(state);
    process.emit('SIGINT');
    expect(terminal.err()).toBe(note);
    expect(asked).toEqual([[{ type: 'stop' }, 'Ctrl-C']]);
  });

  it('twice stops now, and a third time changes nothing', () => {
    const { asked, terminal } = signalled(stateAfter(started(), begin(1)));
    for (let press = 0; press < 3; press += 1) process.emit('SIGINT');
    expect(terminal.err().split('\n').slice(1)).toEqual(['stopping now', '']);
    expect(asked.at(-1)).toEqual([{ type: 'stop', now: true }, 'Ctrl-C']);
    expect(asked).toHaveLength(2);
  });

  it('again, and SIGTERM again, are asked of a run whose last hook runs', () => {
    const { asked, terminal } = signalled(stateAfter(started(), { type: 'hook-started', hook: 'on_stop' }));
    process.emit('SIGTERM');
    process.emit('SIGTERM');
    process.emit('SIGINT');
    expect(asked).toHaveLength(3);
    expect(terminal.err()).toBe('ending the hook on_stop\n'.repeat(3));
  });

  it('before the run is live is asked again when it is', async () => {
    const { asked, listeners } = signalled(stateAfter());
    process.emit('SIGINT');
    expect(asked).toEqual(['refused']);
    for (const listener of listeners) listener({ type: 'run-started' } as RunEvent, stateAfter());
    await nextTurn();
    expect(asked).toEqual(['refused', [{ type: 'stop' }, 'Ctrl-C']]);
  });
});

describe('other signals', () => {
  it('SIGTERM stops now, SIGHUP ends the view only', () => {
    const { asked, terminal } = signalled(stateAfter(started(), begin(1)));
    process.emit('SIGHUP');
    process.emit('SIGTERM');
    expect(asked).toEqual(['hung up', [{ type: 'stop', now: true }, 'SIGTERM']]);
    expect(terminal.err()).toBe('stopping now\n');
  });
});
