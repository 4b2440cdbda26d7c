import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxCost } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import { createDeepFactorAgent } from './index.js';

class Point {
  readonly x = 1;
  double(): number {
    return this.x * 2;
  }
}

const gives = (value: unknown) => tool({ inputSchema: z.object({}), execute: () => value as string });
const CALL = { toolCalls: [{ name: 'look' }] };
const DATE = new Date('2026-01-31T06:00:00Z');

describe('a result that is not strict JSON', () => {
  it.each<[string, unknown, string]>([
    ['a date', DATE, '"2026-01-31T06:00:00.000Z"'],
    ['a date inside', { at: [DATE] }, '{"at":["2026-01-31T06:00:00.000Z"]}'],
    ['a date that is none', new Date(Number.NaN), 'null'],
    ['NaN', Number.NaN, 'null'],
    ['Infinity inside', { far: Number.POSITIVE_INFINITY }, '{"far":null}'],
    ['a map', new Map([['a', 1]]), '{}'],
    ['a set', { all: new Set([1]) }, '{"all":{}}'],
    ['an instance', new Point(), '{"x":1}'],
    ['a buffer', Buffer.from('hi'), '{"type":"Buffer","data":[104,105]}'],
    ['numbers', new Uint16Array([7]), '{"0":7}'],
    ['an address', new URL('https://example.org/'), '"https://example.org/"'],
    ['an error', new Error('x'), '{}'],
    ['a function', () => 1, 'null'],
    ['a symbol', Symbol('x'), 'null'],
    ['nothing', undefined, 'null'],
    ['a method', { a: 1, f: () => 1 }, '{"a":1}'],
    ['toJSON', { toJSON: () => ({ b: 2 }) }, '{"b":2}'],
    ['holes', Object.assign([], { 1: 'b' }), '[null,"b"]'],
    ['undefined in a list', [undefined], '[null]'],
    ['a promise inside', { later: Promise.resolve(1) }, '{"later":{}}'],
    ['a mark of the journal', { 'pawl:date': 'never' }, '{"pawl:date":"never"}'],
  ])('%s is told as a provider would be sent it', async (_, value, output) => {
    const model = scriptedModel([CALL, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools: { look: gives(value) } });
    const result = await agent.loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 1, text: 'ok' });
    expect(result.steps[0]?.toolResults).toMatchObject([{ output, failed: false }]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain(`"value":${output}`);
  });

  it('goes on from the record as it was told', async () => {
    const model = scriptedModel([CALL, CALL, { text: 'ok' }]);
    const agent = createDeepFactorAgent({ model, tools: { look: gives({ at: DATE }) }, stopWhen: maxCost(0.0008) });
    const { runId } = await agent.loop({ prompt: 'go' });
    expect(await agent.resume(runId, { raise: [maxCost(1)] })).toMatchObject({ status: 'completed', text: 'ok' });
  });

  it('words for the model that no provider takes are an error of the tool, and not of the conversation', async () => {
    const odd = tool({
      inputSchema: z.object({}),
      execute: () => 'x',
      toModelOutput: () => ({ type: 'text', value: 7 as unknown as string }),
    });
    const model = scriptedModel([CALL, { text: 'ok' }]);
    const result = await createDeepFactorAgent({ model, tools: { look: odd } }).loop({ prompt: 'go' });
    expect(result).toMatchObject({ status: 'completed', iterations: 1 });
    expect(result.steps[0]?.toolResults).toMatchObject([{ failed: true }]);
  });
});
