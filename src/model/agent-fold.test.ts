import { waitingOf } from './phase.js';
import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter, used } from '../../test/support/record.js';
import { totalSpend } from './spend-account.js';

const agent: Draft = { ...started(), kind: 'agent' } as Draft;
const crashed = { outcome: 'interrupted', interruption: 'crash' } as const;
const cutOff: Draft = { type: 'usage-reported', scope: 'request', spend: {}, unknown: true };
const asked: Draft = { type: 'waiting-started', for: 'answer', reason: 'Which?' };
const steer = (text: string): Draft => ({ type: 'command-received', command: { type: 'steer', text }, by: 'cli' });
const cost = (...drafts: readonly Draft[]) => totalSpend(stateAfter(started(), ...drafts).spend).costUsd;

describe('the fold of a run of an agent in code', () => {
  it('gives the number of a crashed iteration back, which a loop of a CLI uses up', () => {
    expect(stateAfter(agent, begin(1), end(1, crashed))).toMatchObject({ iterations: 0, recent: [{ iteration: 1 }] });
    expect(stateAfter(agent, begin(1), end(1, crashed)).history.totalIterations).toBe(0);
    expect(stateAfter(started(), begin(1), end(1, crashed)).iterations).toBe(1);
  });

  it('keeps of its messages only how many there are', () => {
    const message: Draft = {
      type: 'message-recorded',
      session: 's',
      index: 4,
      message: { role: 'user', content: 'x' },
    };
    const state = stateAfter(agent, begin(1), message);
    expect(state.conversation).toEqual({ session: 's', messages: 5 });
    expect(JSON.stringify(state)).not.toContain('content');
  });

  it('an answer is for who asked, and no advice for the next iteration', () => {
    expect(stateAfter(agent, begin(1), asked, steer('blue'))).toMatchObject({
      phase: { name: 'iterating', asking: {} },
      requests: { steers: [] },
    });
    expect(stateAfter(agent, begin(1), steer('blue')).requests.steers).toEqual(['blue']);
  });

  it('a question ends with the iteration that asked it, also when that crashed', () => {
    const state = stateAfter(agent, begin(1), asked, end(1, crashed));
    expect(state).toMatchObject({ phase: { name: 'resting' } });
    expect(waitingOf(state)).toBeUndefined();
  });
});

describe('a call that was cut off', () => {
  const first = [begin(1), used({ inputTokens: 10, outputTokens: 1, costUsd: 2 }), end(1)];

  it('costs what nobody knows when nothing was told before, and as much as the dearest call beside it otherwise', () => {
    expect(cost(begin(1), cutOff, end(1))).toBeUndefined();
    expect(cost(begin(1), used({ inputTokens: 10, outputTokens: 1, costUsd: 2 }), cutOff, end(1))).toBe(4);
  });

  it('is charged like the dearest iteration, beside what the others told', () => {
    expect(cost(...first, begin(2), used({ inputTokens: 1, outputTokens: 1, costUsd: 0.5 }), cutOff, end(2))).toBe(4.5);
    expect(cost(...first, begin(2), cutOff, end(2), begin(3), end(3, { agentStarted: false, ...crashed }))).toBe(4);
  });

  it('between two iterations is charged, too, and once', () => {
    const after = [begin(2), used({ inputTokens: 1, outputTokens: 1, costUsd: 0.5 }), end(2)];
    expect(cost(...first, cutOff, ...after)).toBe(4.5);
  });
});
