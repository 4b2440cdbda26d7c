import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourceStrings } from './support/user-strings.js';

describe('the messages of the troubleshooting page', () => {
  const page = readFileSync('docs/guide/troubleshooting.md', 'utf8');
  const messages = [...page.matchAll(/^### `(.+)`$/gm)].map(([, message = '']) => message);
  const texts = sourceStrings().map(({ text }) => text);

  it('are those that the code prints', () => {
    expect(messages.length).toBeGreaterThan(35);
    expect(messages.filter((message) => !texts.some((text) => isPartOf(message, text)))).toEqual([]);
  });
});

/** A message begins and ends where its literal does, or with `…`. */
function isPartOf(message: string, text: string): boolean {
  const inside = message.replace(/^…|…$/g, '');
  if (text === inside.trim()) return true;
  const place = text.indexOf(inside);
  if (place === -1) return false;
  const begins = message.startsWith('…') || place === 0;
  return begins && (message.endsWith('…') || place + inside.length === text.length);
}
