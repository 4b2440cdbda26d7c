import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TailRing } from './tail-ring.js';

describe('the tail of a stream', () => {
  it('is the last bytes of all that was written, however it was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 30 }), (texts, size) => {
        const ring = new TailRing(size);
        for (const text of texts) ring.write(text);
        const all = Buffer.from(texts.join(''));
        expect(ring.totalBytes).toBe(all.length);
        expect(ring.toString()).toBe(all.subarray(-size).toString('utf8'));
      }),
    );
  });
});
