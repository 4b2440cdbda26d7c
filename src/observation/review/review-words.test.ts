import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../model/agent-event.js';
import { ReviewWords } from './review-words.js';

const DONE = '{"answer": "done", "reasons": ["the diff does it"]}';
const NOT_DONE = '{"answer": "not_done", "reasons": ["no docs"]}';

const says = (text: string): AgentEvent => ({ kind: 'text', text });
const prints = (...lines: readonly string[]): readonly AgentEvent[] =>
  lines.map((text) => ({ kind: 'output', text }) as const);
const ends = (text: string, outcome: 'success' | 'error' = 'success'): AgentEvent => ({
  kind: 'result',
  outcome,
  text,
});
const spends: AgentEvent = { kind: 'usage', scope: 'turn', spend: { costUsd: 1 } };

function read(...events: readonly AgentEvent[]) {
  const words = new ReviewWords();
  for (const event of events) words.add(event);
  return words.read();
}

describe('an answer', () => {
  it.each([
    ['alone', [says(DONE)]],
    ['in a code fence', [says(`\`\`\`json\n${DONE}\n\`\`\``)]],
    ['in several lines', prints('{"answer": "done",', '  "reasons": []', '}')],
    ['with other reports between its lines', [...prints('{"answer":'), spends, ...prints('"done"}')]],
    ['after thoughts', [says('I read the diff first.'), says(DONE)]],
    ['with its result', [says(DONE), spends, ends(DONE)]],
    ['as its result', [says('Not done, I thought at first.'), ends(DONE)]],
    ['before blank lines', [says(DONE), ...prints('', ' ')]],
    ['that quotes an answer', [says('{"answer": "done", "reasons": ["it prints \\"answer\\": 1"]}')]],
  ])('%s', (_how, events) => {
    expect(read(...events)).toMatchObject({ answer: 'done' });
  });

  it('of many reasons is read whole, and the first ones are kept', () => {
    const reasons = Array.from({ length: 400 }, (_, n) => `reason ${n} ${'x'.repeat(80)}`);
    const lines = JSON.stringify({ answer: 'not_done', reasons }, null, 1).split('\n');
    expect(read(...prints(...lines))).toMatchObject({ reasons: { length: 10, 0: reasons[0] } });
  });

  it('has no control characters in its reasons', () => {
    const given = JSON.stringify({ answer: 'not_done', reasons: ['\u001b[2Jno\ndocs\u0007 \u009b'] });
    expect(read(says(given))).toMatchObject({ reasons: ['[2Jno docs'] });
  });
});

describe('no answer', () => {
  it.each([
    ['prose that sounds like one', [says('It looks done to me. answer: done')], 'it did not answer in JSON'],
    ['one within prose', [says(`I say: ${DONE}`)], 'it did not answer in JSON'],
    ['two', prints(NOT_DONE, DONE), 'it did not answer in JSON'],
    ['two messages', [says(NOT_DONE), says(DONE)], 'it gave different answers: not_done, done'],
    ['a message, and another one printed', [says(NOT_DONE), ...prints(DONE)], 'it gave different answers'],
    ['a message, and another result', [says(NOT_DONE), ends(DONE)], 'it gave different answers'],
    ['two in one object', [says('{"answer":"not_done","reasons":["x"],"answer":"done"}')], '"answer" more than once'],
    ['one in another', [says('{"answer":"done","first":{"answer":"not_done"}}')], '"answer" more than once'],
    [
      'a refusal far above it',
      prints('No.', ...Array.from({ length: 20_000 }, () => ''), DONE),
      'did not answer in JSON',
    ],
    ['a flood', prints(...Array.from({ length: 20_000 }, () => 'xxxx'), DONE), 'it said more than 64 KB'],
    ['a long line', prints('x'.repeat(100_000), DONE), 'it said more than 64 KB'],
    ['a long message', [says(`{"answer":"done","reasons":["${'x'.repeat(100_000)}"]}`)], 'it said more than 64 KB'],
    ['another language', [says('{"answer":"erledigt"}')], 'its answer is "erledigt", not one of done'],
    ['another key', [says('{"antwort":"done"}')], 'its JSON object has no "answer"'],
    ['an inherited one', [says('{"__proto__":{"answer":"done"}}')], 'more than once|no "answer"'],
    ['a list', [says(`[${DONE}]`)], 'its answer is not a JSON object'],
    ['colours', [says(`\u001b[32m${DONE}\u001b[0m`)], 'it did not answer in JSON: "\\\\u001b'],
    ['nothing', [spends, ends('')], 'it said nothing'],
  ])('%s', (_what, events, problem) => {
    expect(read(...events)).toEqual({ problem: expect.stringMatching(problem) as string });
  });
});
