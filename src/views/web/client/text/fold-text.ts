const FOLDED_LINES = 24;
const CHARACTERS_PER_LINE = 66;
/** More at once makes a browser stand still. */
const STEP_CHARACTERS = 100_000;

export interface FoldedText {
  readonly shown: string;
  /** Characters that are not shown. */
  readonly hidden: number;
}

/** The beginning of a long text; how much of it is shown grows with each time that someone asks for more. */
export function foldText(text: string, asked: number, lines = FOLDED_LINES): FoldedText {
  const end = asked === 0 ? foldedEnd(text, lines) : asked * STEP_CHARACTERS;
  // A little more would take as much room as the button.
  if (end >= text.length || (asked === 0 && text.length - end < 120 && !text.slice(end).includes('\n'))) {
    return { shown: text, hidden: 0 };
  }
  const whole = isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
  return { shown: text.slice(0, whole), hidden: text.length - whole };
}

function foldedEnd(text: string, lines: number): number {
  const most = lines * CHARACTERS_PER_LINE;
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1 || end > most) return Math.min(text.length, most);
  }
  return end;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
