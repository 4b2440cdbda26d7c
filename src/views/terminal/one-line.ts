import { printable } from './printable.js';
import { fit, textWidth } from './text-width.js';

/** Text from outside on one line of at most `width` columns, safe for a terminal. */
export function oneLine(text: string, width: number): string {
  // Far more than will be shown is not looked at.
  const looked = text.slice(0, width * 8 + 400);
  const line = printable(looked).replace(/\s+/g, ' ').trim();
  if (looked.length < text.length && textWidth(line) < width) return `${line}…`;
  return fit(line, width);
}
