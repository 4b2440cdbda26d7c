import { printable } from './printable.js';
import { charactersOf, textWidth } from './text-width.js';

// oxlint-disable-next-line no-control-regex -- the one kind of control sequence that a line may have
const COLOUR = /(\u001b\[[0-9;]*m)/;

/** A coloured line as far as it fits. Whatever else in it is not text is left out, so that the cursor stays on its line. */
export function clipLine(line: string, columns: number): string {
  const parts = line.split(COLOUR).map((part, index) => (index % 2 === 1 ? part : plain(part)));
  const width = parts.reduce((sum, part, index) => (index % 2 === 1 ? sum : sum + textWidth(part)), 0);
  if (width <= columns) return parts.join('');
  let left = columns - 1;
  const clipped = parts.map((part, index) => {
    // Colours end where they would have ended.
    if (index % 2 === 1 || left < 0) return index % 2 === 1 ? part : '';
    let kept = '';
    for (const character of charactersOf(part)) {
      const own = textWidth(character);
      if (own > left) {
        left = -1;
        return columns > 0 ? `${kept}…` : '';
      }
      left -= own;
      kept += character;
    }
    return kept;
  });
  return clipped.join('');
}

/** A coloured line in as many as it takes: what scrolls away must not lose its end. */
export function breakLine(line: string, columns: number): readonly string[] {
  const lines = [''];
  let left = Math.max(1, columns);
  line.split(COLOUR).forEach((part, index) => {
    const characters = index % 2 === 1 ? [] : charactersOf(plain(part));
    if (index % 2 === 1) lines[lines.length - 1] += part;
    for (const character of characters) {
      const own = textWidth(character);
      if (own > left && left < columns) {
        lines.push('');
        left = columns;
      }
      lines[lines.length - 1] += character;
      left -= own;
    }
  });
  return lines;
}

function plain(text: string): string {
  return printable(text).replace(/\s/g, ' ');
}

/** The columns of a coloured line. */
export function lineWidth(line: string): number {
  return line.split(COLOUR).reduce((sum, part, index) => (index % 2 === 1 ? sum : sum + textWidth(part)), 0);
}
