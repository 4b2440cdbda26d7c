import { describe, expect, it } from 'vitest';
import type { Json } from '../model/json.js';
import { fromJson, toJson } from './message-json.js';

const again = (value: unknown): unknown => fromJson(JSON.parse(JSON.stringify(toJson(value))) as Json);

describe('a message in the journal', () => {
  it('has the same bytes, addresses and dates when it is read again', () => {
    const message = {
      role: 'user',
      content: [
        { type: 'image', image: new Uint8Array([0, 255, 7]), mediaType: 'image/png' },
        { type: 'file', data: new URL('https://example.org/a?b=c'), mediaType: 'text/plain' },
        { type: 'tool-call', input: { at: new Date('2026-01-31T06:00:00Z'), list: [1, null, 'x', true] } },
      ],
    };
    expect(again(message)).toEqual(message);
    expect(again({ data: new Uint8Array([1, 2]).buffer })).toEqual({ data: new Uint8Array([1, 2]) });
    expect(again(Buffer.from('hi'))).toEqual(new Uint8Array([104, 105]));
  });

  it('that looks like one of the marks is not taken for it', () => {
    const sly = { 'pawl:bytes': 'AAAA', nested: { 'pawl:object': { 'pawl:url': 'not an address' } } };
    expect(again(sly)).toEqual(sly);
    expect(again({ 'pawl:date': 'never' })).toEqual({ 'pawl:date': 'never' });
  });

  it('what JSON has no words for is left out, and what nothing can be made of is an error', () => {
    expect(again({ a: undefined, b: () => 1, c: Number.NaN })).toEqual({ c: null });
    expect(() => toJson({ big: 1n })).toThrow('BigInt');
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(() => toJson(circle)).toThrow(RangeError);
  });
});
