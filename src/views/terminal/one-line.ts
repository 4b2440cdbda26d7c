import { printable } from './printable.js';

const segmenter = new Intl.Segmenter();

/** Text from outside on one line of at most `width` characters, safe for a terminal. */
export function oneLine(text: string, width: number): string {
  // Far more than will be shown is not looked at.
  const looked = text.slice(0, width * 8 + 400);
  const line = printable(looked).replace(/\s+/g, ' ').trim();
  if (line.length <= width && looked.length === text.length) return line;
  const characters = Array.from(segmenter.segment(line), ({ segment }) => segment);
  if (characters.length <= width && looked.length === text.length) return line;
  const kept = characters.slice(0, Math.max(0, width - 1));
  return `${kept.join('').trimEnd()}…`;
}
