import { describe, expect, it } from 'vitest';
import { Excerpt } from './speech.js';

const KEY = 'aB3dE5fG7hJ9kL2mN4pQ6rS8';

function excerptOf(lines: readonly string[]): Excerpt {
  const excerpt = new Excerpt();
  for (const line of lines) excerpt.add(line, Buffer.byteLength(line));
  return excerpt;
}

describe('the beginning and the end of an output', () => {
  it('never contain part of a key, wherever the cut falls', () => {
    for (let before = 0; before <= 60; before++) {
      const line = `${'-'.repeat(before)} "${KEY}" after`;
      const excerpt = excerptOf([...Array.from({ length: 120 }, () => line), ' '.repeat(before)]);
      for (const part of [excerpt.head ?? '', excerpt.tail ?? '']) {
        const keys = part.replaceAll(KEY, '');
        expect([keys.includes(KEY.slice(0, 6)), keys.includes(KEY.slice(-6))]).toEqual([false, false]);
      }
    }
  });

  it('are all of a short output, once', () => {
    const excerpt = excerptOf(['one', 'two']);
    expect([excerpt.head, excerpt.tail, excerpt.bytes]).toEqual(['one\ntwo\n', undefined, 8]);
  });
});
