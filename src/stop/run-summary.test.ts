import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, iteration, START, started, stateAfter, used } from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import type { EventBodies } from '../model/run-event.js';
import type { StopClass } from '../model/stop-class.js';
import { evaluateRun } from './evaluate-policy.js';
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

describe('what is added on tries that the provider refused', () => {
  const WORDS = 'You have reached your usage limit.';
  const at = (seconds: number) => new Date(Date.parse(START) + seconds * 1000).toISOString();
  const refused = (tryNumber: number, seconds: number, more: Partial<EventBodies['iteration-ended']> = {}): Draft[] => [
    begin(1, tryNumber),
    { type: 'limit-hit', kind: more.error === undefined ? 'usage-limit' : 'overload', message: more.error ?? WORDS },
    { ...end(1, { outcome: 'limited', error: WORDS, unanswered: true, ...more }), at: at(seconds) },
  ];
  const waited = (from: number, to: number): Draft[] => [
    { type: 'waiting-started', for: 'usage-limit', until: at(to), at: at(from) },
    { type: 'waiting-ended', at: at(to) },
  ];
  const clock = (time: string) => time.slice(11, 16);
  const notesOf = (...drafts: readonly Draft[]) => summariseRun(stateAfter(started(), ...drafts), { clock }).notes;

  it('names what refused them, how long Pawl waited, until when, and that it cost nothing', () => {
    const again = { ...begin(1, 2), at: at(7500) };
    const notes = notesOf(...refused(1, 300), ...waited(300.4, 7500), again, end(1), over('goal', 'done'));
    expect(notes).toEqual([
      `The provider refused 1 try: "${WORDS}" Pawl waited 2h until 02:05 and tried again. The refused try cost no iteration and no money.`,
    ]);
  });

  it('says what a refused try has spent', () => {
    const spent = used({ inputTokens: 100, outputTokens: 10, costUsd: 0.25 });
    const [first, ...others] = refused(1, 10, { unanswered: undefined });
    const drafts = [first!, spent, ...others, ...waited(10, 20), begin(1, 2), end(1), over('goal', 'done')];
    expect(notesOf(...drafts).join()).toMatch(/cost no iteration; \$0\.25 was spent before the refusal/);
  });

  it('says while it waits that it continues by itself', () => {
    const notes = notesOf(...refused(1, 10), waited(10, 20)[0]!);
    expect(notes).toEqual([`The provider refused 1 try: "${WORDS}" Pawl tries again by itself.`]);
  });

  it('counts the tries and the time of an outage that outlasted max_wait, the last wait included', () => {
    const error = 'getaddrinfo ENOTFOUND api.example.com';
    const tries = [...refused(1, 1, { error }), ...waited(1.1, 3.9), ...refused(2, 4.1, { error })];
    const { spec } = resolveConfig({ maxWait: '3s' });
    const begun = [started({}, { spec }), ...tries];
    const { reasons } = evaluateRun(stateAfter(...begun));
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'blocked', reasons };
    const { sentence, notes } = summariseRun(stateAfter(...begun, ended));
    expect(sentence).toBe(
      `Needs you before the first iteration: the provider could not be reached for longer than max_wait (3s) allows: ${error}.`,
    );
    expect(notes).toEqual(['Pawl tried 2 times in 3s. The tries cost no iteration and no money.']);
  });

  it('says of many in a long run only how long Pawl waited', () => {
    const many = Array.from({ length: 101 }, (_, index) => iteration(index + 2)).flat();
    const notes = notesOf(...refused(1, 10), ...waited(10, 70), begin(1, 2), end(1), ...many, over('goal', 'done'));
    expect(notes).toEqual(['Pawl waited 1m in all for the provider.']);
  });
});
