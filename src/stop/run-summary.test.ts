import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, iteration, started, stateAfter } from '../../test/support/record.js';
import type { StopClass } from '../model/stop-class.js';
import { summariseRun } from './run-summary.js';

const over = (stopClass: StopClass, message: string): Draft => ({
  type: 'run-ended',
  state: stopClass === 'goal' ? 'completed' : 'stopped',
  class: stopClass,
  reasons: [{ path: 'x', class: stopClass, message }],
});
const claim = (evidence: string): Draft => ({ type: 'claim-made', claim: 'done', evidence, by: 'x' });
const changes = (files: { created?: string[]; modified?: string[]; deleted?: string[] }) => ({
  observation: {
    files: {
      treeBefore: 'a',
      treeAfter: 'b',
      created: [],
      modified: [],
      deleted: [],
      changedFiles: 1,
      changedLines: 1,
      ...files,
    },
  },
});

describe('the first sentence on a run', () => {
  it('says what happened, after how much work, and why', () => {
    const state = stateAfter(started(), ...iteration(1), ...iteration(2), over('failure', 'tests did not improve'));
    expect(summariseRun(state).sentence).toBe('Gave up after 2 iterations: tests did not improve.');
  });

  it('of a run whose goal was met before it began says that nothing was run', () => {
    const { sentence } = summariseRun(stateAfter(started(), over('goal', 'all 3 tests pass')));
    expect(sentence).toMatch(/^Done: all 3 tests pass .*nothing was run/);
  });

  it('of a run that broke without a record of it says so', () => {
    const { sentence, outcome } = summariseRun(stateAfter(started(), ...iteration(1)), {
      error: 'ENOSPC: no space left',
    });
    expect(outcome.word).toBe('failed');
    expect(sentence).toMatch(/^Failed after 1 iteration: /);
  });

  it('of a live run says what it does, and of one without a process that it was interrupted', () => {
    const state = stateAfter(started(), ...iteration(1), begin(2));
    expect(summariseRun(state, { isLive: true }).sentence).toBe('Running iteration 2.');
    expect(summariseRun(state).sentence).toMatch(/^Interrupted in iteration 2: no process/);
  });
});

describe('what is added on the agent', () => {
  it('the last message of the agent', () => {
    const said = end(1, { observation: { summary: 'I fixed the parser.' } });
    const { notes } = summariseRun(stateAfter(started(), begin(1), said, over('limit', '1 of 1 iterations')));
    expect(notes).toEqual(['The agent last said: "I fixed the parser."']);
  });

  it('how often it said that it was done and was not', () => {
    const twice = [begin(1), claim('works'), end(1), begin(2), claim('works now'), end(2)];
    const gaveUp = summariseRun(stateAfter(started(), ...twice, over('failure', 'x')));
    expect(gaveUp.notes.join(' ')).toMatch(/said it was done 2 times and was not: "works now"/);
    const done = summariseRun(stateAfter(started(), ...twice, over('goal', 'x')));
    expect(done.notes.join(' ')).toMatch(/said it was done once and was not/);
  });

  it('a goal that the agent announced in words counts as saying that it is done', () => {
    const all = {
      type: 'all',
      conditions: [{ type: 'output_pattern', pattern: 'DONE' }, { type: 'all_tests_pass' }],
    } as const;
    const start = started({}, { policy: { success: [all], failure: [], limits: [] } });
    const said: Draft = {
      type: 'agent-said',
      text: 'DONE',
      matches: { '{"pattern":"DONE","type":"output_pattern"}': 'DONE' },
    };
    const { notes } = summariseRun(stateAfter(start, begin(1), said, end(1), over('limit', 'x')));
    expect(notes.join(' ')).toMatch(/said it was done once and was not/);
  });

  it('test files that it changed, but not those that it created itself', () => {
    const first = end(1, changes({ created: ['test/new.test.js'], modified: ['src/a.js', 'src/a.test.js'] }));
    const second = end(2, changes({ modified: ['test/new.test.js'], deleted: ['spec/b_spec.rb'] }));
    const { notes } = summariseRun(stateAfter(started(), begin(1), first, begin(2), second, over('limit', 'x')));
    expect(notes).toEqual(['It changed 2 test files: src/a.test.js, spec/b_spec.rb.']);
  });

  it('what the reason already quotes is not repeated', () => {
    const asked = over('veto', 'test/a.test.js changed');
    const { notes } = summariseRun(
      stateAfter(started(), begin(1), end(1, changes({ modified: ['test/a.test.js'] })), asked),
    );
    expect(notes).toEqual([]);
  });
});
