import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter, tests } from '../../test/support/record.js';
import type { StopClass } from '../model/stop-class.js';
import { claimNotes } from './claim-notes.js';

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
