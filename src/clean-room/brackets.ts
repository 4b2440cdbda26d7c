/** The languages whose tests can be taken apart. */
export type Language = 'script' | 'python' | 'go' | 'rust';

const OPENING = '([{';
const CLOSING = ')]}';
const COMMENT: Readonly<Record<Language, RegExp>> = {
  script: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  go: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  rust: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  python: /#[^\n]*/y,
};
const STRING: Readonly<Record<Language, RegExp>> = {
  script: /(['"`])(?:(?!\1)[^\\]|\\[\s\S])*\1/y,
  go: /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+'/y,
  rust: /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)'/y,
  python: /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y,
};
/** After these signs, a slash begins a regular expression. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};\n])\s*$/;
const PATTERN = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;

/** Where what begins at this place ends: a comment, a text or a single sign. */
function endOfPiece(text: string, at: number, language: Language): number {
  const tried = [COMMENT[language], STRING[language]];
  if (language === 'script' && text[at] === '/' && BEFORE_PATTERN.test(text.slice(Math.max(0, at - 20), at)))
    tried.push(PATTERN);
  for (const pattern of tried) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return at + 1;
}

/** The place behind the bracket that closes the one at `start`; undefined when there is none. */
export function endOfBracket(text: string, start: number, language: Language): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at = endOfPiece(text, at, language)) {
    const sign = text[at] ?? '';
    if (OPENING.includes(sign)) depth += 1;
    if (CLOSING.includes(sign)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** The parts between signs that are in no bracket, no text and no comment. */
export function splitOutside(text: string, signs: string, language: Language): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const next = endOfPiece(text, at, language);
    const sign = next === at + 1 ? (text[at] ?? '') : '';
    if (sign !== '' && OPENING.includes(sign)) depth += 1;
    if (sign !== '' && CLOSING.includes(sign)) depth -= 1;
    if (depth === 0 && sign !== '' && signs.includes(sign)) {
      parts.push(text.slice(start, next));
      start = next;
    }
    at = next;
  }
  return start < text.length ? [...parts, text.slice(start)] : parts;
}
