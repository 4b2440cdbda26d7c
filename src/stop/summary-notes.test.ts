import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter, tests, iteration } from '../../test/support/record.js';
import type { StopClass } from '../model/stop-class.js';
import { claimNotes, goalShortfall, cutShortNote } from './summary-notes.js';
import { condition } from '../../test/support/facts.js';
import { conditionKey } from '../model/condition-key.js';
import type { Policy } from '../model/policy.js';
import { evaluateRun } from './evaluate-policy.js';

const GOAL = { success: [{ type: 'all_tests_pass' }] } as const;
const ended = (stopClass: StopClass, ...messages: readonly string[]): Draft => ({
  type: 'run-ended',
  state: stopClass === 'goal' ? 'completed' : 'stopped',
  class: stopClass,
  reasons: messages.map((message) => ({ path: 'x', class: stopClass, message })),
});
const claim = (type: 'done' | 'blocked' | 'continue', evidence: string): Draft => ({
  type: 'claim-made',
  claim: type,
  evidence,
  by: 'x',
});
const asks = (question: string): Draft => ({ type: 'waiting-started', for: 'answer', reason: question });
const gaveUp: Draft = { type: 'waiting-ended', reason: 'timed out' };
const notes = (...drafts: readonly Draft[]) => claimNotes(stateAfter(started(GOAL), ...drafts));

describe('a question of the agent', () => {
  const QUESTION = 'Null or empty?';
  const inMessage = end(1, { observation: { request: { kind: 'request', sentence: QUESTION } } });

  it('that was not answered is reported, with its words', () => {
    expect(notes(begin(1), asks(QUESTION), gaveUp, end(1), ended('limit', 'x'))).toEqual([
      expect.stringMatching(/asked: "Null or empty\?".*no answer\.$/),
    ]);
    expect(notes(begin(1), inMessage, ended('failure', 'x'))).toEqual([expect.stringContaining(QUESTION)]);
  });

  it('is not reported while the run waits for the answer, or where the reason to stop quotes it', () => {
    expect(notes(begin(1), asks(QUESTION))).toEqual([]);
    expect(notes(begin(1), asks(QUESTION), gaveUp, end(1), ended('blocked', 'x', `it asks: "${QUESTION}"`))).toEqual(
      [],
    );
    expect(notes(begin(1), asks('A? B?'), gaveUp, end(1), ended('blocked', 'it asks: "A?', 'B?"'))).toHaveLength(1);
  });

  it('at the end of a message is no news of a run that is done', () => {
    expect(notes(begin(1), inMessage, ended('goal', 'x'))).toEqual([]);
    expect(notes(begin(1), asks(QUESTION), gaveUp, end(1), ended('goal', 'x'))).toHaveLength(1);
  });

  it('at the end of a message gives way to a report of what the agent needs', () => {
    expect(notes(begin(1), claim('blocked', 'the key is missing'), inMessage, ended('failure', 'x'))).toEqual([
      expect.stringMatching(/blocked: "the key is missing"\.$/),
    ]);
  });
});

describe('a question that the agent asked by its tool', () => {
  const asked = (id: string, text: string, choices?: readonly string[]): Draft => ({
    type: 'question-asked',
    question: id,
    text,
    by: 'mcp',
    ...(choices === undefined ? {} : { choices }),
  });
  const two = [begin(1), asked('q1', 'Null or empty?', ['null', 'empty']), asked('q2', 'Which key?'), end(1)];

  const second = 'The agent asked (q2): "Which key?". There is no answer yet.';

  it('and that has no answer is a note, with its id where there are more, and its choices', () => {
    expect(notes(...two, ended('limit', 'x'))).toEqual([
      'The agent asked (q1): "Null or empty?" (1 "null", 2 "empty"). There is no answer yet.',
      second,
    ]);
    expect(notes(begin(1), asked('q1', 'A?'), end(1), ended('limit', 'x'))).toEqual([
      'The agent asked: "A?". There is no answer yet.',
    ]);
  });

  it('is no note once it is answered, while the run waits for the answer, or where the reason to stop quotes it', () => {
    const answer: Draft = {
      type: 'command-received',
      command: { type: 'answer', question: 'q1', text: 'null' },
      by: 'cli',
    };
    expect(notes(begin(1), asked('q1', 'A?'), answer, end(1), ended('limit', 'x'))).toEqual([]);
    const waits: Draft = { type: 'waiting-started', for: 'person', reason: 'A?' };
    expect(notes(begin(1), asked('q1', 'A?'), end(1), waits)).toEqual([]);
    expect(notes(...two, waits)).toEqual([second]);
    expect(notes(...two, ended('blocked', 'x', 'the agent asks you: "Null or empty?"'))).toEqual([second]);
  });

  it('is a note of a run whose process was killed while it waited', () => {
    const waits: Draft = { type: 'waiting-started', for: 'person', reason: 'A?' };
    const state = stateAfter(started(GOAL), begin(1), asked('q1', 'A?'), end(1), waits);
    expect(claimNotes(state, false)).toEqual(['The agent asked: "A?". There is no answer yet.']);
  });
});

describe('a report that the agent is blocked', () => {
  const blocked = (evidence: string) => [begin(2), claim('blocked', evidence), end(2)];

  it('is a note with the iteration and its words, and a question is asked', () => {
    expect(notes(...blocked('the key is missing'), ended('limit', 'x'))).toEqual([
      expect.stringMatching(/said in iteration 2 .*blocked: "the key is missing"\.$/),
    ]);
    expect(notes(...blocked('the key is missing'))).toHaveLength(1);
    expect(notes(...blocked('Which key?'), ended('limit', 'x'))).toEqual([
      expect.stringMatching(/asked in iteration 2: "Which key\?"$/),
    ]);
  });

  it('is none where the goal was met, or the reason to stop quotes it', () => {
    expect(notes(...blocked('the key is missing'), ended('goal', 'x'))).toEqual([]);
    expect(notes(...blocked('the key is missing'), ended('failure', 'blocked: "the key is missing"'))).toEqual([]);
  });
});

describe('a claim to be done', () => {
  it('in the iteration under way is not checked yet', () => {
    expect(notes(begin(1), claim('done', 'works'))).toEqual([expect.stringMatching(/done: "works"; .*not checked/)]);
    expect(notes(begin(1))).toEqual([]);
  });

  it('that was true is no note', () => {
    expect(notes(begin(1), claim('done', 'works'), end(1), ended('goal', 'x'))).toEqual([]);
  });

  it('of an earlier iteration is counted, without the words of an iteration under way', () => {
    const two = [begin(1), claim('done', 'works'), end(1), begin(2)];
    expect(notes(...two)).toEqual([expect.stringMatching(/^The agent said it was done once, but no goal was met\.$/)]);
    expect(notes(...two, claim('done', 'works now'))).toEqual([
      expect.stringMatching(/done: "works now"; .*not checked/),
      expect.stringMatching(/once, but no goal was met\.$/),
    ]);
  });

  it('that the reason to stop quotes is not quoted twice', () => {
    const said = [begin(1), claim('done', 'works'), end(1)];
    expect(notes(...said, ended('failure', 'it says "works"'))).toEqual([expect.stringMatching(/no goal was met\.$/)]);
    expect(notes(...said, ended('failure', 'x'))).toEqual([expect.stringMatching(/no goal was met: "works"\.$/)]);
  });

  it('before a run reached its goal is said to be of before, without its words', () => {
    const said = [begin(1), claim('done', 'works'), end(1), begin(2), claim('done', 'now'), end(2)];
    expect(notes(...said, ended('goal', 'x'))).toEqual([expect.stringMatching(/^Before that.* once, but .*met\.$/)]);
    const silent = [begin(1), claim('done', 'works'), end(1), begin(2), end(2)];
    expect(notes(...silent, ended('goal', 'x'))).toEqual([expect.stringMatching(/^Before that.* once, but .*met\.$/)]);
  });
});

it('a run with limits alone has no goal that a claim could be compared with', () => {
  const limits = [{ type: 'max_iterations', count: 1 }] as const;
  const state = stateAfter(started({ limits }), begin(1), claim('done', 'works'), end(1), ended('limit', 'x'));
  expect(claimNotes(state)[0]).toMatch(/no goal that could be verified/);
});

it('words that the reason to stop shortens count as quoted, and others of the same beginning do not', () => {
  const long = 'Should the parser keep empty fields, or drop them as the old one did?';
  const asked = [begin(1), asks(long), gaveUp, end(1)];
  expect(notes(...asked, ended('blocked', `it asks: "${long}"`))).toEqual([]);
  expect(notes(...asked, ended('blocked', `it asks: "${long.slice(0, 20)}"`))).toHaveLength(1);
  expect(notes(begin(1), asks('A?'), gaveUp, end(1), ended('blocked', 'it asks: "A or B?"'))).toEqual([]);
});

describe('that the tests still failed', () => {
  const red = (number: number) => end(number, { observation: { tests: tests(1, 1) } });
  const green = (number: number) => end(number, { observation: { tests: tests(2, 0) } });
  const STILL_RED = /but the tests still failed/;
  const said = (number: number) => [begin(number), claim('done', 'works')];
  const first = (...drafts: readonly Draft[]) => notes(...drafts)[0];

  it('is said only where they failed after every claim that was false', () => {
    expect(first(...said(1), red(1), ended('failure', 'x'))).toMatch(STILL_RED);
    expect(first(...said(1), green(1), ended('failure', 'x'))).not.toMatch(STILL_RED);
    expect(first(...said(1), red(1), ...said(2), green(2), ended('failure', 'x'))).not.toMatch(STILL_RED);
    expect(first(...said(1), red(1), ...said(2), green(2), ended('goal', 'x'))).toMatch(STILL_RED);
    expect(first(...said(1), red(1), ...said(2), green(2), ...said(3), green(3), ended('goal', 'x'))).not.toMatch(
      STILL_RED,
    );
  });

  it('leaves out tries that the provider refused', () => {
    const refused = [begin(2), end(2, { outcome: 'limited', unanswered: true })];
    expect(first(...said(1), red(1), ...refused, ended('failure', 'x'))).toMatch(STILL_RED);
  });

  it('is not said of a long run, whose first iterations are not kept', () => {
    const state = stateAfter(started(GOAL), ...said(1), red(1), ended('failure', 'x'));
    const recent = state.recent.map((one) => ({ ...one, iteration: 7 }));
    expect(claimNotes({ ...state, recent })[0]).not.toMatch(STILL_RED);
    expect(claimNotes({ ...state, recent: [] })[0]).not.toMatch(STILL_RED);
  });
});

const success = [condition('all_tests_pass'), condition({ file_created: 'DONE.md' })];
const guard = condition({ protected_path_changed: 'test/**' });
const over = (more: Partial<Extract<Draft, { type: 'run-ended' }>> = {}): Draft => ({
  type: 'run-ended',
  state: 'stopped',
  class: 'limit',
  reasons: [],
  ...more,
});

/** A run that was judged after each iteration, and ended. */
function shortfall(policy: Partial<Policy>, drafts: readonly Draft[], ended: Draft | undefined = over()) {
  const verdict = evaluateRun(stateAfter(started(policy), ...drafts));
  const judged: Draft = { type: 'verdict-reached', iteration: 1, verdict };
  return goalShortfall(stateAfter(started(policy), ...drafts, judged, ...(ended === undefined ? [] : [ended])));
}

describe('why a run that ended without its goal is not done', () => {
  const red = iteration(1, { tests: tests(1, 2) });
  const green = iteration(1, { tests: tests(3, 0) });

  it('is each goal in a sentence', () => {
    expect(shortfall({ success, limits: [condition({ max_iterations: 1 })] }, red)).toEqual([
      '2 of 3 tests fail',
      expect.stringContaining('DONE.md'),
    ]);
  });

  it('is nothing of a run that is done, or that has no goal', () => {
    expect(shortfall({ success }, red, over({ state: 'completed', class: 'goal' }))).toEqual([]);
    expect(shortfall({ success }, red, over({ class: 'goal' }))).toEqual([]);
    expect(shortfall({ success }, red, over({ state: 'completed', class: undefined }))).toEqual([]);
    expect(shortfall({ limits: [condition({ max_iterations: 1 })] }, red)).toEqual([]);
    expect(shortfall({ success }, red, undefined)).toHaveLength(2);
  });

  it('is that of the last verdict, and of now where a run broke or has not ended', () => {
    const goals = { success: [condition('all_tests_pass')] };
    const later = [begin(2), end(2, { observation: { tests: tests(2, 1) } })];
    const verdict = evaluateRun(stateAfter(started(goals), ...red));
    const judged = [started(goals), ...red, { type: 'verdict-reached', iteration: 1, verdict } as const, ...later];
    expect(goalShortfall(stateAfter(...judged, over()))).toEqual(['2 of 3 tests fail']);
    expect(goalShortfall(stateAfter(...judged, over({ state: 'error' })))).toEqual(['1 of 3 tests fail']);
    expect(goalShortfall(stateAfter(...judged))).toEqual(['1 of 3 tests fail']);
    expect(goalShortfall(stateAfter(started(goals), ...red, over()))).toEqual([]);
  });

  it('explains a goal that is met and does not count: a rejection, or a guard that could not be checked', () => {
    const goals = { success: [condition('all_tests_pass')], failure: [guard] };
    const guarded = (met: boolean) => ({ probes: { [conditionKey(guard)]: { met } }, tests: tests(3, 0) });
    expect(shortfall(goals, iteration(1, guarded(true)))[0]).toMatch(/^all 3 tests pass, but a rejection/);
    expect(shortfall(goals, green)[0]).toMatch(/^all 3 tests pass, but a guard .*: .*test\/\*\*/);
    expect(shortfall(goals, iteration(1, guarded(false)))).toEqual(['all 3 tests pass']);
  });

  it('explains that goals do not count before --at-least', () => {
    const goals = { success: [condition('all_tests_pass')] };
    expect(shortfall({ ...goals, atLeast: 3 }, green)[0]).toMatch(/^all 3 tests pass, but .*after 3 iterations$/);
    expect(shortfall({ ...goals, atLeast: 1 }, green)).toEqual(['all 3 tests pass']);
    expect(shortfall({ ...goals, atLeast: 3 }, red)).toEqual(['2 of 3 tests fail']);
  });
});

const resumed: Draft = { type: 'run-resumed', cause: 'crash' };
const cut = (number: number, error?: string): Draft[] => [
  begin(number),
  end(number, { outcome: 'interrupted', interruption: 'crash', error }),
  resumed,
];
const broken = (error: string): Draft => ({ type: 'run-ended', state: 'error', reasons: [], error });
const note = (...drafts: readonly Draft[]) => cutShortNote(stateAfter(started(), ...drafts));

describe('iterations that a crash cut short', () => {
  it('are none in a run that nothing cut short', () => {
    expect(note(...iteration(1))).toBeUndefined();
    expect(note(begin(1), end(1, { outcome: 'interrupted', interruption: 'operator' }))).toBeUndefined();
  });

  it('are listed, with what cut them short', () => {
    const two = note(...iteration(1), ...cut(2), ...cut(3), ...iteration(4));
    expect(two).toMatch(/^Iterations 2 and 3 were .*killed or the machine went down.*each time/);
    expect(note(...cut(1), ...cut(2), ...cut(3))).toMatch(/^Iterations 1, 2 and 3 were /);
    expect(note(...iteration(1), ...cut(2), ...iteration(3))).toMatch(
      /^Iteration 2 was .*killed.*; the run was resumed/,
    );
    expect(note(...iteration(1), ...cut(2), ...iteration(3))).not.toMatch(/each time/);
  });

  it('are blamed on Pawl where it failed, and on both where it is not the same each time', () => {
    const full = "ENOSPC: no space left on device, write 'x'";
    expect(note(...cut(1, full), ...iteration(2))).toMatch(/Pawl failed \(the disk is full\)/);
    expect(note(...cut(1, full), ...cut(2))).toMatch(/Pawl was killed or failed/);
    expect(note(...cut(1, full), ...cut(2, full))).toMatch(/Pawl was killed or failed/);
  });

  it('do not hold the one in which the run broke and ended', () => {
    const last = end(2, { outcome: 'interrupted', interruption: 'crash', error: 'x' });
    expect(note(...iteration(1), begin(2), last, broken('x'))).toBeUndefined();
    expect(note(...cut(1), begin(2), last, broken('x'))).toMatch(/^Iteration 1 was /);
    expect(note(...cut(1, 'x'), begin(2), last, broken('x'))).toMatch(/^Iteration 1 was /);
    expect(note(...iteration(1), begin(2), last)).toMatch(/^Iteration 2 was /);
    const killed = end(2, { outcome: 'interrupted', interruption: 'crash' });
    expect(note(...iteration(1), begin(2), killed, broken('x'))).toMatch(/^Iteration 2 was /);
    const stopped: Draft = { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] };
    expect(note(...iteration(1), begin(2), last, stopped)).toMatch(/^Iteration 2 was /);
  });

  it('have a cost that is an estimate, or unknown where nothing was reported before', () => {
    expect(note(...iteration(1), ...cut(2))).toMatch(/\. Its cost is an estimate$/);
    expect(note(...iteration(1), ...cut(2), ...cut(3))).toMatch(/\. Their cost is an estimate$/);
    expect(note(...cut(1), ...cut(2))).toMatch(/\. Their cost is unknown$/);
    expect(note(...cut(1), ...iteration(2), ...cut(3))).toMatch(/\. Their cost is unknown$/);
    const state = stateAfter(started(), ...iteration(1), ...cut(2));
    const recent = state.recent.map((one) => ({ ...one, estimated: false }));
    expect(cutShortNote({ ...state, recent })).toMatch(/the run was resumed on the files as they were then$/);
  });
});
