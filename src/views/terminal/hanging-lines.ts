import { lineWidth } from './printable.js';

/** Lines that fit, broken at words; what goes on is indented by two more. A word that is longer than a line stays whole. */
export function hangingLines(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => (lineWidth(line) <= columns ? [line] : broken(line, columns)));
}

function broken(line: string, columns: number): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  // With the blanks before it: a command that is shown keeps all that it has.
  for (const [word] of line.slice(indent.length).matchAll(/\s*\S+/g)) {
    if (current.trim() !== '' && lineWidth(current + word) > columns) {
      lines.push(current);
      current = `${indent}  ${word.trimStart()}`;
    } else current += word;
  }
  return [...lines, current];
}
