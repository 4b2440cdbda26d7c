import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  START,
  started,
  stateAfter,
  tests,
  trees,
  used,
} from '../../test/support/record.js';
import { NEW_PIPELINE } from '../model/reduce-pipeline.js';
import type { EventBodies } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { StopClass } from '../model/stop-class.js';
import { evaluateRun } from './evaluate-policy.js';
import { rejectedText } from './summary-notes.js';
import { stopSentence, summariseRun, nextStepsOf } from './run-summary.js';

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
      `Iteration 1 was cut short when Pawl failed (${error}); the run was resumed on the files as they were then.`,
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
      'Iteration 2 was cut short when Pawl was killed or the machine went down; the run was resumed on the files as they were then. Its cost is an estimate.',
    );
  });

  it('has an unknown cost where nothing was reported before it either', () => {
    const first = end(1, { outcome: 'interrupted', interruption: 'crash' });
    const { notes } = summariseRun(stateAfter(started(), begin(1), resumed, first, over('limit', 'x')));
    expect(notes.join(' ')).toContain('Its cost is unknown.');
  });
});

describe('a run of which no change is left', () => {
  const before: Draft = { type: 'baseline-observed', observation: { tree: 'a' } };
  const said = (summary: string, from: string, to: string) => ({ ...trees(from, to), summary });
  const circles = over('failure', 'the agent keeps undoing its own work');
  const there = [before, ...iteration(1, said('I use a loop.', 'a', 'b'))];
  const back = [...there, ...iteration(2, said('I went back to split().', 'b', 'a'))];

  it('says so, and what the agent said of both ways', () => {
    const { notes } = summariseRun(stateAfter(started(), ...back, circles));
    expect(notes.slice(1)).toEqual([
      'No change is left: the files are as before the first iteration.',
      'In iteration 1 the agent said: "I use a loop."',
      'In iteration 2 the agent said: "I went back to split()."',
    ]);
  });

  it('is not one that ended with other files, or with no change at all, and quotes one message where it ended otherwise', () => {
    const left = summariseRun(stateAfter(started(), ...there, circles)).notes.join(' ');
    expect(left).not.toContain('No change is left');
    expect(left).toContain('The agent last said: "I use a loop."');
    const other = summariseRun(stateAfter(started(), ...back, over('limit', 'x'))).notes.join(' ');
    expect(other).toContain('The agent last said: "I went back to split()."');
    expect(other).not.toContain('I use a loop.');
    const done = summariseRun(stateAfter(started(), ...back, over('goal', 'x'))).notes.join(' ');
    expect(done).not.toContain('No change is left');
    const still = stateAfter(started(), before, ...iteration(1, trees('a', 'a')), over('failure', 'x'));
    expect(summariseRun(still).notes.join(' ')).not.toContain('No change is left');
  });
});

it('a run whose process died while an agent was at work has a record that is intact, unless it is damaged', () => {
  const state = stateAfter(started(), ...iteration(1), begin(2));
  const intact = 'The record up to this point is intact.';
  expect(summariseRun(state).notes).toContain(intact);
  expect(summariseRun(state, { isDamaged: true }).notes).not.toContain(intact);
  expect(summariseRun(state, { isLive: true }).notes).not.toContain(intact);
});

it('a run that is compared with the start of an earlier one says so while it is not done', () => {
  const earlier = { run: 'loop_01K9', tree: 'a' };
  const seen: Draft = { type: 'baseline-observed', observation: { tree: 'b', earlier } };
  const notes = (end: Draft) => summariseRun(stateAfter(started(), seen, ...iteration(1), end)).notes.join(' ');
  expect(notes(over('limit', 'x'))).toMatch(
    /The original tests are those of the start of run loop_01K9, until you commit/,
  );
  expect(notes(over('goal', 'x'))).not.toContain('loop_01K9');
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

  it('is said with how long that was, and how much of it was idle', () => {
    expect(ran('1T01:00', '1T05:32', local('2026-03-01'))).toBe(
      'Ran 01:00 to 05:32 (4h 32m, 3h 32m of it paused, waiting for you or not running).',
    );
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

  const GOAL = { success: [{ type: 'all_tests_pass' }] } as const;

  it('how often it said that it was done and was not', () => {
    const twice = [begin(1), claim('works'), end(1), begin(2), claim('works now'), end(2)];
    const gaveUp = summariseRun(stateAfter(started(GOAL), ...twice, over('failure', 'x')));
    expect(gaveUp.notes.join(' ')).toMatch(/said it was done 2 times, but no goal was met: "works now"/);
    const aimless = summariseRun(stateAfter(started(), ...twice, over('failure', 'x')));
    expect(aimless.notes.join(' ')).toMatch(/2 times, but this run has no goal that could be verified: "works now"/);
    const done = summariseRun(stateAfter(started(GOAL), ...twice, over('goal', 'x')));
    expect(done.notes.join(' ')).toMatch(/said it was done once, but no goal was met/);
  });

  it('that the tests failed after it said so, only where they did each time', () => {
    const red = (number: number) => end(number, { observation: { tests: tests(1, 1) } });
    const notesAfter = (...drafts: readonly Draft[]) =>
      summariseRun(stateAfter(started(GOAL), ...drafts, over('failure', 'x'))).notes.join(' ');
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
    const spec = { maxWaitMs: 3000 } as RunSpec;
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

  it('counts several, says that the provider was not reached, and of several waits only how long they were', () => {
    const error = 'getaddrinfo ENOTFOUND api.example.com';
    const twice = [...refused(1, 10, { error }), ...waited(10, 70), ...refused(2, 80, { error }), ...waited(80, 140)];
    const once = notesOf(...twice, begin(1, 3), end(1), over('goal', 'done')).join();
    expect(once).toMatch(
      /not reach its provider 2 times: ".*ENOTFOUND.*"\. Pawl waited 2m until .* requests did not .*s and/,
    );
    const again = [
      begin(1, 3),
      end(1),
      begin(2),
      ...refused(2, 200).slice(1),
      ...waited(200, 260),
      begin(2, 2),
      end(2),
    ];
    const apart = notesOf(...twice, ...again, over('goal', 'done')).join();
    expect(apart).toMatch(/rejected 3 requests.* Pawl waited 3m in all\. /);
  });

  it('says nothing of a cost that is not known, and nothing of a wait that was not', () => {
    const [first, ...others] = refused(1, 10, { unanswered: undefined });
    expect(notesOf(first!, ...others, begin(1, 2), end(1), over('goal', 'done')).join()).toMatch(
      /^The provider rejected 1 request: ".*" The rejected request did not count as an iteration\.$/,
    );
  });

  it('says so also where the provider gave no words, or words that hold a quotation', () => {
    const tried = (error: string | undefined) => [
      begin(1),
      end(1, { outcome: 'limited', error, unanswered: true }),
      begin(1, 2),
      end(1),
      over('goal', 'done'),
    ];
    expect(notesOf(...tried(undefined)).join()).toMatch(/^The provider rejected 1 request\. The rejected request/);
    expect(notesOf(...tried('see "a." there')).join()).toMatch(/: "see "a\." there"\. The rejected request/);
  });

  it('counts every try of an outage to the last, and names no reason that a run does not have', () => {
    const error = 'getaddrinfo ENOTFOUND api.example.com';
    const spec = { maxWaitMs: 5000 } as RunSpec;
    const tries = [1, 2, 3].flatMap((number) => [
      ...refused(number, number * 3, { error }),
      ...waited(number * 3, number * 3 + 2),
    ]);
    const begun = [started({}, { spec }), ...tries.slice(0, -2)];
    const { reasons } = evaluateRun(stateAfter(...begun));
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'blocked', reasons };
    expect(withoutPeriod(summariseRun(stateAfter(...begun, ended)).notes)[0]).toMatch(
      /^Pawl tried 3 times in 6s\. The tries/,
    );
    const unexplained: Draft = { ...ended, reasons: [] };
    expect(withoutPeriod(summariseRun(stateAfter(...begun, unexplained)).notes)[0]).toMatch(
      /not reach its provider 3 times/,
    );
    expect(rejectedText(2)).toBe('2 rejected requests');
  });

  it('says of a try that is repeated now until when Pawl waited', () => {
    const again = { ...begin(1, 2), at: at(70) };
    expect(notesOf(...refused(1, 10), ...waited(10, 70), again).join()).toMatch(
      /waited 1m until 00:01 and tried again/,
    );
    expect(notesOf(...refused(1, 10), ...waited(10, 70)).join()).toMatch(/waited 1m in all\./);
  });

  it('says of one try that outlasted max_wait that it was made once', () => {
    const spec = { maxWaitMs: 0 } as RunSpec;
    const begun = [started({}, { spec }), ...refused(1, 10)];
    const { reasons } = evaluateRun(stateAfter(...begun));
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'blocked', reasons };
    expect(withoutPeriod(summariseRun(stateAfter(...begun, ended)).notes)).toEqual([
      'Pawl tried once. The try did not count as an iteration and cost nothing.',
    ]);
  });

  it('is nothing in a pipeline, which has no tries, and nothing in a long run that never waited', () => {
    const state = stateAfter(started(), ...refused(1, 10), ...waited(10, 70), begin(1, 2), end(1));
    expect(withoutPeriod(summariseRun({ ...state, pipeline: NEW_PIPELINE }, { isLive: true }).notes)).toEqual([]);
    const recent = state.recent.slice(1);
    expect(summariseRun({ ...state, recent }, { isLive: true }).notes).toEqual([expect.stringMatching(/1m in all/)]);
    expect(summariseRun({ ...state, recent, waitedMs: 0 }, { isLive: true }).notes).toEqual([]);
    const later = recent.map((one) => ({ ...one, iteration: 7, try: 1 }));
    expect(summariseRun({ ...state, recent: later }, { isLive: true }).notes).toHaveLength(1);
  });
});

describe('what a live run does now', () => {
  const now = (...drafts: readonly Draft[]) =>
    summariseRun(stateAfter(...drafts), { isLive: true, clock: (time) => time.slice(11, 16) }).sentence;
  const waits = (more: object): Draft => ({ type: 'waiting-started', ...more }) as Draft;
  const until = '2026-03-01T05:00:00.000Z';
  const asked: Draft = { type: 'command-received', command: { type: 'pause' }, by: 'cli' };

  it('it starts, runs, or is between two iterations', () => {
    expect(now()).toBe('Starting.');
    expect(now(started())).toBe('Running before the first iteration.');
    expect(now(started(), ...iteration(1))).toBe('Running after 1 iteration.');
    expect(now(started(), begin(1))).toBe('Running iteration 1.');
  });

  it('it waits, for whom and until when', () => {
    const refused = end(1, { outcome: 'limited', error: 'x' });
    expect(now(started(), begin(1), waits({ for: 'answer', until, reason: 'A or B?' }))).toBe(
      'Waiting for your answer until 05:00: "A or B?"',
    );
    expect(now(started(), begin(1), waits({ for: 'answer' }))).toBe('Waiting for your answer.');
    expect(now(started(), ...iteration(1), waits({ for: 'approval', reason: 'x' }))).toBe('Waiting for your approval.');
    const approval = { ...stateAfter(started(), ...iteration(1), waits({ for: 'approval' })), question: 'A or B?' };
    expect(summariseRun(approval, { isLive: true }).sentence).toBe('Waiting for your approval.');
    const answer = stateAfter(started(), begin(1), waits({ for: 'answer', until }));
    expect(summariseRun(answer, { isLive: true }).sentence).toBe(`Waiting for your answer until ${until}.`);
    expect(summariseRun(answer).sentence).toMatch(/^Interrupted in iteration 1: /);
    expect(now(started(), begin(1), refused, waits({ for: 'overload' }))).toMatch(/overloaded.* retry by itself\.$/);
    expect(now(started(), begin(1), refused, waits({ for: 'usage-limit', until }))).toMatch(/ retry at 05:00\.$/);
  });

  it('it is paused, why or by whom', () => {
    expect(now(started(), ...iteration(1), { type: 'paused' })).toBe('Paused after 1 iteration.');
    expect(now(started(), ...iteration(1), asked, { type: 'paused' })).toMatch(
      /^Paused after 1 iteration: .*\(cli\)\.$/,
    );
    const state = stateAfter(started(), ...iteration(1), asked, { type: 'paused' });
    const requests = { ...state.requests, pause: { by: 'a hook', reason: 'exit code 1' } };
    expect(summariseRun({ ...state, requests }, { isLive: true }).sentence).toMatch(/^Paused .*: exit code 1\.$/);
  });

  it('it stops, and why', () => {
    const reasons = [{ path: 'x', class: 'limit', message: '1 of 1 iterations' }] as const;
    const verdict = { stop: true, reasons, judgements: [], holds: {} };
    const state = { ...stateAfter(started(), ...iteration(1)), verdict };
    expect(summariseRun(state, { isLive: true }).sentence).toBe('Stopping: 1 of 1 iterations.');
    expect(summariseRun({ ...state, verdict: { ...verdict, reasons: [] } }, { isLive: true }).sentence).toBe(
      'Stopping.',
    );
  });

  it('without a process it was interrupted, and with a damaged record that is said, unless it had ended', () => {
    const between = stateAfter(started(), ...iteration(1));
    expect(summariseRun(between).sentence).toMatch(/^Interrupted after 1 iteration: /);
    expect(summariseRun(between, { isDamaged: true }).sentence).toMatch(/^Damaged after 1 iteration: .*record/);
    const ended = stateAfter(started(), ...iteration(1), over('failure', 'x'));
    expect(summariseRun(ended, { isDamaged: true }).sentence).toBe('Gave up after 1 iteration: x.');
  });

  it('has no end, and says when it started and was last recorded only where no process runs it', () => {
    const state = stateAfter(started(), ...iteration(1));
    expect(summariseRun(state).notes[0]).toMatch(/^Started .* last recorded event .*\(3s\)\.$/);
    expect(summariseRun(state, { isLive: true }).notes).toEqual([]);
    expect(summariseRun(stateAfter()).notes).toEqual([]);
    expect(summariseRun(stateAfter({ type: 'tick' })).notes).toEqual([]);
  });
});

describe('how a run ended', () => {
  const after = (...drafts: readonly Draft[]) => summariseRun(stateAfter(started(), ...drafts)).sentence;
  const failed: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'EIO: broken' };

  it('that the agent needs a person is not said twice', () => {
    expect(after(...iteration(1), over('blocked', 'the agent needs you: "Which one?"'))).toBe(
      'Needs you after 1 iteration: "Which one?"',
    );
    expect(after(...iteration(1), over('failure', 'the agent needs you: "Which one?"'))).toContain(': the agent needs');
    expect(after(...iteration(1), over('blocked', 'x: the agent needs you: "y"'))).toContain('x: the agent needs you');
  });

  it('a limit on iterations is said once', () => {
    const condition = { type: 'max_iterations', count: 1 } as const;
    const reasons = [{ path: 'x', class: 'limit', condition, message: '1 of 1 iteration' }] as const;
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'limit', reasons };
    expect(after(...iteration(1), ended)).toBe('Iteration limit reached: 1 of 1 iteration.');
    expect(after(...iteration(1), { ...ended, reasons: [] })).toBe('Limit reached after 1 iteration.');
  });

  it('one that broke says in which iteration, and between two after how many', () => {
    expect(after(...iteration(1), failed)).toMatch(/^Failed after 1 iteration: /);
    expect(after(failed)).toMatch(/^Failed before the first iteration: /);
    const open = stateAfter(started(), ...iteration(1), begin(2));
    expect(summariseRun(open, { error: 'EIO: broken' }).sentence).toMatch(/^Failed in iteration 2: EIO: broken\.$/);
    const error = 'exit code 1';
    expect(after(...iteration(1), begin(2), end(2, { outcome: 'failed', error }), failed)).toMatch(/^Failed after 2 /);
    const crash = end(2, { outcome: 'interrupted', interruption: 'crash', error });
    const resumed: Draft = { type: 'run-resumed', cause: 'crash' };
    expect(after(...iteration(1), begin(2), crash, resumed, over('operator', 'x'))).toMatch(
      / after 2 iterations: x\.$/,
    );
    const cut = end(2, { outcome: 'interrupted', interruption: 'crash' });
    expect(after(...iteration(1), begin(2), cut, failed)).toMatch(/^Failed after 2 iterations: /);
  });

  it('one that broke at once has not met its goal', () => {
    const done = stateAfter(started(), over('goal', 'both tests pass'));
    expect(summariseRun(done, { error: 'EIO: broken' }).sentence).not.toContain('already met');
    expect(after(...iteration(1), over('goal', 'both tests pass'))).toBe('Done after 1 iteration: both tests pass.');
  });

  it('a pipeline counts attempts, and none of them is no beginning', () => {
    const pipeline = { ...NEW_PIPELINE, items: 2, approved: 2 };
    const end = (attempts: number) =>
      summariseRun({ ...stateAfter(started(), over('goal', 'both items')), pipeline: { ...pipeline, attempts } });
    expect(end(3).sentence).toBe('Done after 3 attempts: both items.');
    expect(end(0).sentence).toBe('Done: both items.');
  });

  it('a failed write of the record leaves what is before it intact, also where only the process knows of it', () => {
    const INTACT = /^The record .* intact\.$/;
    const open = stateAfter(started(), begin(1));
    const notes = (error: string) => summariseRun(open, { error }).notes;
    expect(notes('cannot write to the journal: the disk is full')).toContainEqual(expect.stringMatching(INTACT));
    expect(notes('EIO: cannot write to the journal')).not.toContainEqual(expect.stringMatching(INTACT));
  });

  it('what is missing for its goal is said first, but not in a pipeline', () => {
    const success = [{ type: 'all_tests_pass' }, { type: 'check_passes', name: 'lint' }] as const;
    const observed = { tests: tests(1, 1), checks: { lint: { passed: false } } };
    const drafts = [started({ success }), ...iteration(1, observed)];
    const verdict = evaluateRun(stateAfter(...drafts));
    const judged: Draft = { type: 'verdict-reached', iteration: 1, verdict };
    const state = stateAfter(...drafts, judged, over('limit', 'x'));
    expect(summariseRun(state).notes[0]).toBe('Not done: 1 of 2 tests fail; the check lint fails.');
    expect(summariseRun({ ...state, pipeline: NEW_PIPELINE }).notes.join()).not.toContain('Not done');
    expect(summariseRun(stateAfter(...drafts, judged), { isLive: true }).notes).toEqual([]);
  });

  it('what a review misses is quoted once, with what is missing for the goal', () => {
    const spec = { session: {}, review: { when: 'goal', maxCostUsd: 1, timeoutMs: 1 } } as unknown as RunSpec;
    const about = { iteration: 1, tree: 'b', cause: 'goal', reviewer: 'r', evidence: 'e', durationMs: 1 } as const;
    const drafts = [
      started({ success: [{ type: 'review_approves' }] }, { spec }),
      baseline({ tree: 'a' }),
      ...iteration(1, trees('a', 'b')),
      { type: 'review-ended', ...about, opinion: { answer: 'not_done', reasons: ['no docs'] } },
    ] as const;
    const verdict = evaluateRun(stateAfter(...drafts));
    const judged: Draft = { type: 'verdict-reached', iteration: 1, verdict };
    const notes = summariseRun(stateAfter(...drafts, judged, over('limit', 'x'))).notes.join('\n');
    expect(notes).toContain('Not done: the review says that it is not done: "no docs"');
    expect(notes.match(/no docs/g)).toHaveLength(1);
    expect(notes).toContain('Reviewed 1 time; after iteration 1 it said that the work is not done.');
    const rejected = over('veto', 'the review refused the same work twice: no docs');
    expect(summariseRun(stateAfter(...drafts, judged, rejected)).notes.join('\n')).not.toContain('no docs');
  });
});

describe('the last message of the agent', () => {
  const said = (number: number, summary: string) => [begin(number), end(number, { observation: { summary } })];
  const last = (...drafts: readonly Draft[]) =>
    summariseRun(stateAfter(started(), ...drafts)).notes.filter((note) => note.startsWith('The agent last said'));

  it('is the last one that holds words', () => {
    expect(last(...said(1, 'I fixed it.'), ...said(2, ' \n'), over('limit', 'x'))).toEqual([
      'The agent last said: "I fixed it."',
    ]);
    expect(last(...iteration(1), over('limit', 'x'))).toEqual([]);
  });

  it('quotes one message of an agent that said the same twice, or that went in circles without a change', () => {
    const before: Draft = { type: 'baseline-observed', observation: { tree: 'a' } };
    const moved = (number: number, from: string, to: string, summary: string) =>
      iteration(number, { ...trees(from, to), summary });
    const circles = (...drafts: readonly Draft[]) => last(before, ...drafts, over('failure', 'x'));
    expect(circles(...moved(1, 'a', 'b', 'Done.'), ...moved(2, 'b', 'a', 'Done.'))).toHaveLength(1);
    expect(circles(...moved(1, 'a', 'b', 'One.'), ...moved(2, 'b', 'b', 'Two.'))).toHaveLength(1);
    expect(circles(...moved(1, 'a', 'b', 'One.'), ...moved(2, 'b', 'c', 'Two.'))).toHaveLength(1);
    expect(circles(...moved(1, 'a', 'b', 'One.'), ...moved(2, 'b', 'a', 'Two.'))).toHaveLength(0);
    expect(
      last(...moved(1, 'a', 'b', 'One.'), ...iteration(2, { summary: 'Two.' }), over('failure', 'x')),
    ).toHaveLength(1);
    const later = [...moved(1, 'a', 'b', 'One.'), ...moved(2, 'b', 'c', 'Two.'), ...moved(3, 'c', 'b', 'Three.')];
    const said = summariseRun(stateAfter(started(), before, ...later, over('failure', 'x'))).notes.filter((note) =>
      note.startsWith('In iteration'),
    );
    expect(said).toEqual([expect.stringContaining('2'), expect.stringContaining('3')]);
  });

  it('is not repeated where the reason, or a note on what the agent claims, quotes it', () => {
    expect(last(...said(1, 'I fixed it.'), over('blocked', 'it says "I fixed it."'))).toEqual([]);
    const claimed = [begin(1), claim('I fixed it.'), end(1, { observation: { summary: 'I fixed it.' } })];
    expect(last(...claimed, over('limit', 'x'))).toEqual([]);
  });
});

describe('when a run ran, in short', () => {
  const ran = (activeMs: number, wholeMs: number) => {
    const at = new Date(Date.parse(START) + wholeMs).toISOString();
    return summariseRun(stateAfter(started(), { ...over('limit', 'x'), at, activeMs })).notes[0];
  };

  it('says what it was idle for: the provider, a person or both', () => {
    const idle = (waitedMs: number, wholeMs: number) => {
      const at = new Date(Date.parse(START) + wholeMs).toISOString();
      const state = stateAfter(started(), { ...over('limit', 'x'), at, activeMs: 0 });
      return summariseRun({ ...state, waitedMs }).notes[0];
    };
    expect(idle(9001, 10_000)).toMatch(/10s of it waiting\)/);
    expect(idle(9000, 10_000)).toMatch(/10s of it waiting, paused or not running\)/);
    expect(idle(0, 10_000)).toMatch(/10s of it paused, waiting for you or not running\)/);
  });

  it('says how long it was idle, unless that is next to nothing', () => {
    expect(ran(9000, 10_000)).toMatch(/\(10s, 1s of it paused/);
    expect(ran(9001, 10_000)).toMatch(/\(10s\)/);
    expect(ran(7_200_000, 7_205_000)).toMatch(/\(2h\)/);
  });
});

describe('a stop before the last one', () => {
  it('says after how much work it was, why, and what followed', () => {
    const gaveUp = { word: 'gave up', tone: 'bad' } as const;
    const facts = { done: 3, unit: 'iteration', why: 'no progress', followedBy: 'the run was resumed' } as const;
    expect(stopSentence(gaveUp, facts)).toBe('Gave up after 3 iterations: no progress; the run was resumed.');
    expect(stopSentence(gaveUp, { done: 1, unit: 'attempt' })).toBe('Gave up after 1 attempt.');
  });
});

const worked = stateAfter(started(), ...iteration(1));

it.each([
  ['pawl diff X', 'review'],
  ['pawl restore X 0 --cwd /p', 'undo'],
  ["pawl resume X --steer '<your answer>'", 'continue'],
  ['pawl pipeline run --resume X', 'continue'],
  ['pawl pipeline run --resume X --redo a', 'redo'],
  ["git -C '/a b' add --all && git -C '/a b' commit && git merge pawl/try", 'merge'],
  ['git worktree remove /merge/x', 'clean up'],
  ['pawl approve X', 'accept'],
  ['pawl run', 'or keep'],
  ["git -C '/a b' add --all && git -C '/a b' commit && pawl run --cwd '/a b'", 'or keep'],
  ['pawl stop X', undefined],
])('%s has a word that says what it is for: %s', (command, label) => {
  expect(nextStepsOf([command], worked)[0]?.label).toBe(label);
});

it('a restore says that it is of all files, and of when', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl restore X 0')).toBe('all but ignored files, as before the first iteration');
  expect(about('pawl restore X 12 --cwd /p')).toBe('all but ignored files, as after iteration 12');
});

it('a resume after a crash says which iteration it starts: the number of one that started no agent is used again', () => {
  const about = (...more: Draft[]) =>
    nextStepsOf(['pawl resume X'], stateAfter(started(), ...iteration(1), begin(2), ...more))[0]?.about;
  expect(about()).toMatch(/starts iteration 2 /);
  expect(about({ type: 'agent-spawned', pid: 7, startTime: '1' })).toMatch(/starts iteration 3 /);
  expect(nextStepsOf(['pawl resume X'], worked)[0]?.about).toBeUndefined();
});

it('a diff of an interrupted run says where it ends: what the open iteration changed has no snapshot', () => {
  const state = stateAfter(started(), ...iteration(1), begin(2));
  expect(nextStepsOf(['pawl diff X'], state)[0]?.about).toMatch(/^up to iteration 1$/);
  expect(nextStepsOf(['pawl diff X'], worked)[0]?.about).toBeUndefined();
});

it('a command that changes what counts says what it does, and one that a text only holds does not', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl approve X')).toMatch(/accepts the tests/);
  expect([about('pawl run'), about('pawl run --cwd /p')]).toEqual([about('pawl run'), about('pawl run')]);
  expect(about('pawl run')).toMatch(/keeps the change.*new run/);
  expect(about('git add --all && git commit && pawl run')).toMatch(/commits all changes.*new run/);
  expect(about("pawl resume X --max-cost 0.23 --steer 'x'")).toMatch(/from the start of the run/);
  expect(about("pawl resume X --steer 'see --max-cost'")).toBeUndefined();
  expect(about('pawl runs')).toBeUndefined();
  expect(about('pawl show X')).toBeUndefined();
  for (const other of ['pawl restore X 3', 'pawl approve X', 'pawl run']) {
    expect(about(`echo ${other}`)).toBeUndefined();
  }
});

it('a resume after Pawl failed says where it continues, and one after a crash that the agent is ended first', () => {
  const about = (...drafts: Draft[]) => nextStepsOf(['pawl resume X'], stateAfter(started(), ...drafts))[0]?.about;
  const failed: Draft = { type: 'run-ended', state: 'error', reasons: [], error: 'x' };
  expect(about(...iteration(1), failed)).toBe('starts iteration 2 on the files as they are now');
  expect(about(begin(1), { type: 'agent-spawned', pid: 7, startTime: '1' })).toMatch(/^ends what is left of the agent/);
});

it('a diff of one iteration says so, and an undo by force that what it replaces is kept', () => {
  const about = (command: string) => nextStepsOf([command], worked)[0]?.about;
  expect(about('pawl diff X 4 --cwd /p')).toBe('what iteration 4 changed');
  expect(about('pawl diff loop_01TEST 12')).toBe('what iteration 12 changed');
  expect(about('echo pawl diff X 4')).toBeUndefined();
  expect(about('pawl restore X 1 --force')).toMatch(/after iteration 1; a checkpoint keeps what is replaced$/);
});

it('an approval of tests that could not be counted says that their exit code is accepted', () => {
  const about = (...paths: readonly string[]) => {
    const reasons = paths.map((path) => ({ path, class: 'blocked', message: 'x' }) as const);
    const ended: Draft = { type: 'run-ended', state: 'stopped', class: 'blocked', reasons };
    return nextStepsOf(['pawl approve X'], stateAfter(started(), ...iteration(1), ended))[0]?.about;
  };
  expect(about('tests.uncounted')).toMatch(/accepts that the tests exit with 0/);
  expect(about('tests.uncounted', 'stop.limits[0]')).toMatch(/exit with 0/);
  expect(about('tests.original')).toMatch(/as the agent changed them/);
  expect(about()).toMatch(/as the agent changed them/);
});

it('of an open iteration only a diff and a resume say where they are', () => {
  const state = stateAfter(started(), ...iteration(1), begin(2));
  expect(nextStepsOf(['pawl show X'], state)[0]?.about).toBeUndefined();
});

it('an undo of a run with a long name says to when', () => {
  expect(nextStepsOf(['pawl restore loop_01TEST 12'], worked)[0]?.about).toMatch(/after iteration 12$/);
});
