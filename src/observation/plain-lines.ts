const ESCAPE = String.fromCodePoint(0x1b);
const BELL = String.fromCodePoint(0x07);

/** Colours and cursor moves, window titles and links, character sets. */
const CONTROL = new RegExp(
  `${ESCAPE}(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[()][A-Z0-9])`,
  'g',
);

/** The lines of an output as a terminal would leave them: without colours, and what was drawn over is gone. */
export function plainLines(output: string): readonly string[] {
  return output
    .replaceAll(CONTROL, '')
    .split('\n')
    .map((line) => {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      return text.slice(text.lastIndexOf('\r') + 1);
    });
}
