import { describe, expect, it } from 'vitest';
import {
  begin,
  type Draft,
  end,
  iteration,
  START,
  started,
  stateAfter,
  tests,
  used,
} from '../../test/support/record.js';
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

const withoutPeriod = (notes: readonly string[]) => notes.filter((note) => !note.startsWith('Ran '));

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
    expect(summariseRun(state).sentence).toMatch(/^Interrupted in iteration 2: the Pawl process is gone/);
  });
});

describe('a run that broke in an iteration', () => {
  const error = 'cannot write to the record: the disk is full';
  const cut = end(1, { outcome: 'interrupted', interruption: 'crash', error });
  const failed: Draft = { type: 'run-ended', state: 'error', reasons: [], error };

  it('has not failed after it, and what was recorded before is said to be intact', () => {
    const { sentence, notes } = summariseRun(stateAfter(started(), begin(1), cut, failed));
    expect(sentence).toBe(`Failed in iteration 1: ${error}.`);
    expect(notes).toContain('The record up to this point is intact.');
    expect(notes.join(' ')).not.toContain('resumed');
  });

  it('and was resumed says what cut it short, and does not blame a kill', () => {
    const resumed: Draft = { type: 'run-resumed', cause: 'operator' };
    const state = stateAfter(started(), begin(1), cut, failed, resumed, ...iteration(2), over('goal', 'done'));
    expect(summariseRun(state).notes.join(' ')).toContain(
      `Iteration 1 was cut short when Pawl failed (${error}); the run was resumed.`,
    );
  });
});

describe('an iteration that a crash cut short', () => {
  const cut = end(2, { outcome: 'interrupted', interruption: 'crash' });
  const resumed: Draft = { type: 'run-resumed', cause: 'crash' };

  it('is one sentence, with its cost as an estimate where it reported nothing', () => {
    const crashed = [...iteration(1), begin(2), resumed, cut];
    const { notes } = summariseRun(stateAfter(started(), ...crashed, ...iteration(3), over('goal', 'done')));
    expect(notes).toContain(
      'Iteration 2 was cut short when Pawl was killed or the machine went down; the run was resumed. Its cost is an estimate.',
    );
  });

  it('has an unknown cost where nothing was reported before it either', () => {
    const first = end(1, { outcome: 'interrupted', interruption: 'crash' });
    const { notes } = summariseRun(stateAfter(started(), begin(1), resumed, first, over('limit', 'x')));
    expect(notes.join(' ')).toContain('Its cost is unknown.');
  });
});

describe('when a run ran', () => {
  const at = (time: string) => `2026-03-0${time}:00.000Z`;
  const ran = (from: string, to: string, clock?: (at: string) => string) => {
    const events: readonly Draft[] = [
      { ...started(), at: at(from) },
      { ...over('limit', 'x'), at: at(to), activeMs: 3_600_000 },
    ];
    return summariseRun(stateAfter(...events), { clock }).notes[0];
  };
  const local = (today: string) => (time: string) =>
    time.startsWith(today) ? time.slice(11, 16) : time.slice(0, 16).replace('T', ' ');

  it('is said with how long that was, and how much of it was work', () => {
    expect(ran('1T01:00', '1T05:32', local('2026-03-01'))).toBe('Ran 01:00 to 05:32 (4h 32m, active 1h).');
    expect(ran('1T01:00', '1T02:00', local('2026-03-01'))).toBe('Ran 01:00 to 02:00 (1h).');
  });

  it('names a day that is not today, once, and the zone where it is not the local one', () => {
    expect(ran('1T01:00', '1T05:32', local('2026-03-09'))).toMatch(/^Ran 2026-03-01 01:00 to 05:32 /);
    expect(ran('1T23:00', '2T03:32', local('2026-03-02'))).toMatch(/^Ran 2026-03-01 23:00 to today 03:32 /);
    expect(ran('1T23:00', '2T03:32')).toMatch(/^Ran 2026-03-01 23:00 to 2026-03-02 03:32 UTC /);
  });
});

describe('what is added on the agent', () => {
  it('the last message of the agent', () => {
    const said = end(1, { observation: { summary: 'I fixed the parser.' } });
    const { notes } = summariseRun(stateAfter(started(), begin(1), said, over('limit', '1 of 1 iterations')));
    expect(withoutPeriod(notes)).toEqual(['The agent last said: "I fixed the parser."']);
  });

  it('how often it said that it was done and was not', () => {
    const twice = [begin(1), claim('works'), end(1), begin(2), claim('works now'), end(2)];
    const gaveUp = summariseRun(stateAfter(started(), ...twice, over('failure', 'x')));
    expect(gaveUp.notes.join(' ')).toMatch(/said it was done 2 times, but no goal was met: "works now"/);
    const done = summariseRun(stateAfter(started(), ...twice, over('goal', 'x')));
    expect(done.notes.join(' ')).toMatch(/said it was done once, but no goal was met/);
  });

  it('that the tests failed after it said so, only where they did each time', () => {
    const red = (number: number) => end(number, { observation: { tests: tests(1, 1) } });
    const notesAfter = (...drafts: readonly Draft[]) =>
      summariseRun(stateAfter(started(), ...drafts, over('failure', 'x'))).notes.join(' ');
    expect(notesAfter(begin(1), claim('works'), red(1), begin(2), claim('works now'), red(2))).toMatch(
      /said it was done 2 times, but the tests still failed: "works now"/,
    );
    expect(notesAfter(begin(1), claim('works'), end(1), begin(2), claim('works now'), red(2))).toMatch(
      /2 times, but no goal was met/,
    );
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
    expect(notes.join(' ')).toMatch(/said it was done once, but no goal was met/);
  });

  it('test files that it changed, but not those that it created itself', () => {
    const first = end(1, changes({ created: ['test/new.test.js'], modified: ['src/a.js', 'src/a.test.js'] }));
    const second = end(2, changes({ modified: ['test/new.test.js'], deleted: ['spec/b_spec.rb'] }));
    const { notes } = summariseRun(stateAfter(started(), begin(1), first, begin(2), second, over('limit', 'x')));
    expect(withoutPeriod(notes)).toEqual(['The agent changed 2 test files: src/a.test.js, spec/b_spec.rb.']);
  });

  it('what the reason already quotes is not repeated', () => {
    const asked = over('veto', 'test/a.test.js changed');
    const { notes } = summariseRun(
      stateAfter(started(), begin(1), end(1, changes({ modified: ['test/a.test.js'] })), asked),
    );
    expect(withoutPeriod(notes)).toEqual([]);
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
  const notesOf = (...drafts: readonly Draft[]) =>
    withoutPeriod(summariseRun(stateAfter(started(), ...drafts), { clock }).notes);

  it('names what refused them, how long Pawl waited, until when, and that it cost nothing', () => {
    const again = { ...begin(1, 2), at: at(7500) };
    const notes = notesOf(...refused(1, 300), ...waited(300.4, 7500), again, end(1), over('goal', 'done'));
    expect(notes).toEqual([
      `The provider rejected 1 request: "${WORDS}" Pawl waited 1h 59m until 02:05 and tried again. The rejected request did not count as an iteration and cost nothing.`,
    ]);
  });

  it('says what a refused try has spent', () => {
    const spent = used({ inputTokens: 100, outputTokens: 10, costUsd: 0.25 });
    const [first, ...others] = refused(1, 10, { unanswered: undefined });
    const drafts = [first!, spent, ...others, ...waited(10, 20), begin(1, 2), end(1), over('goal', 'done')];
    expect(notesOf(...drafts).join()).toMatch(/did not count as an iteration and cost \$0\.25/);
  });

  it('says while it waits when it continues by itself', () => {
    const state = stateAfter(started(), ...refused(1, 10), waited(10, 7200)[0]!);
    const { sentence, notes } = summariseRun(state, { clock, isLive: true });
    expect(sentence).toBe('Usage limit reached. Pawl will retry at 02:00.');
    expect(notes).toEqual([`The provider rejected 1 request: "${WORDS}"`]);
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
      `Needs you before the first iteration: the agent could not reach its provider for 3s (the max_wait limit): ${error}.`,
    );
    expect(withoutPeriod(notes)).toEqual([
      'Pawl tried 2 times in 3s. The tries did not count as iterations and cost nothing.',
    ]);
  });

  it('says of many in a long run only how long Pawl waited', () => {
    const many = Array.from({ length: 101 }, (_, index) => iteration(index + 2)).flat();
    const notes = notesOf(...refused(1, 10), ...waited(10, 70), begin(1, 2), end(1), ...many, over('goal', 'done'));
    expect(notes).toEqual(['Pawl waited 1m in all for the provider.']);
  });
});
