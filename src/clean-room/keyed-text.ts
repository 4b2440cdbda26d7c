/** TOML, INI and `.env` as sections of entries. Each keeps its exact text, so that what is not touched stays the same. */
export interface Section {
  /** Empty before the first header. The name of an array's member is the last part: `['bin', 'app']`. */
  readonly path: readonly string[];
  readonly isArray: boolean;
  readonly head: string;
  readonly entries: readonly Entry[];
}

export interface Entry {
  /** Undefined for comments and empty lines. */
  readonly path?: readonly string[] | undefined;
  readonly text: string;
}

export type Dialect = 'toml' | 'ini' | 'env';
type IsTestKey = (path: readonly string[]) => boolean;

/** The text of now with the original entries wherever the path says how tests run. */
export function putKeysBack(dialect: Dialect, original: string, now: string, isTestKey: IsTestKey): string {
  const before = sectionsOf(dialect, original);
  const after = sectionsOf(dialect, now);
  if (testText(before, isTestKey) === testText(after, isTestKey)) return now;
  const kept = after
    .filter(({ path }) => !isTestKey(path))
    .map((section) => ({ ...section, entries: section.entries.filter(({ path }) => !path || !isTestKey(path)) }));
  const places = new Map(kept.map(({ path }, at) => [path.join('\0'), at]));
  const added: Section[] = [];
  for (const section of before) {
    const isWhole = isTestKey(section.path);
    const entries = section.entries.filter(({ path }) => isWhole || (path && isTestKey(path)));
    if (!isWhole && entries.length === 0) continue;
    const at = isWhole ? undefined : places.get(section.path.join('\0'));
    const found = at === undefined ? undefined : kept[at];
    if (at !== undefined && found !== undefined) kept[at] = { ...found, entries: [...entries, ...found.entries] };
    else if (isWhole || !section.isArray) added.push({ ...section, entries });
  }
  // Entries without a section go before the first one.
  const [first, rest] = [added.filter(({ head }) => head === ''), added.filter(({ head }) => head !== '')];
  return joinedLines([...first, ...kept, ...rest].map(printed));
}

function printed({ head, entries }: Section): string {
  return joinedLines([head, ...entries.map(({ text }) => text)]);
}

/** Parts of a text, each of which begins a line. */
export function joinedLines(parts: readonly string[]): string {
  const filled = parts.filter((part) => part !== '');
  return filled.map((part, at) => (at < filled.length - 1 && !part.endsWith('\n') ? `${part}\n` : part)).join('');
}

function testText(sections: readonly Section[], isTestKey: IsTestKey): string {
  return sections
    .flatMap(({ path, entries }) => [
      ...(isTestKey(path) ? [JSON.stringify(path)] : []),
      ...entries.flatMap((entry) =>
        entry.path && isTestKey(entry.path) ? [`${JSON.stringify(entry.path)} ${entry.text.trim()}`] : [],
      ),
    ])
    .sort()
    .join('\n');
}

function sectionsOf(dialect: Dialect, text: string): Section[] {
  const sections: { path: readonly string[]; isArray: boolean; head: string; entries: Entry[] }[] = [];
  let current = { path: [] as readonly string[], isArray: false, head: '', entries: [] as Entry[] };
  sections.push(current);
  for (const piece of dialect === 'toml' ? tomlPieces(text) : iniPieces(text, dialect)) {
    const header = dialect === 'env' ? undefined : headerOf(dialect, piece);
    if (header !== undefined) {
      current = { ...header, head: piece, entries: [] };
      sections.push(current);
      continue;
    }
    const key = dialect === 'toml' ? tomlKey(piece, 0, '=') : iniKey(piece, dialect);
    if (key !== undefined && current.isArray && key.join() === 'name') {
      current.path = [...current.path, piece.slice(piece.indexOf('=') + 1).trim()];
    }
    current.entries.push({ path: key, text: piece });
  }
  return sections.map((section) => ({
    ...section,
    entries: section.entries.map(({ path, text }) => ({ text, path: path && [...section.path, ...path] })),
  }));
}

function headerOf(dialect: Dialect, piece: string): { path: readonly string[]; isArray: boolean } | undefined {
  if (dialect === 'ini') {
    const name = /^\[([^\]]+)\]/.exec(piece)?.[1];
    return name === undefined ? undefined : { path: [name.trim()], isArray: false };
  }
  const start = piece.trimStart();
  if (!start.startsWith('[')) return undefined;
  const isArray = start.startsWith('[[');
  const path = tomlKey(start, isArray ? 2 : 1, ']');
  return path === undefined ? undefined : { path, isArray };
}

/** A dotted key from the place up to the sign; undefined when there is no such key. */
function tomlKey(text: string, start: number, sign: '=' | ']'): readonly string[] | undefined {
  const part = /[ \t]*(?:([\w-]+)|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')[ \t]*([.=\]])/y;
  const path: string[] = [];
  for (let at = start; ; at = part.lastIndex) {
    part.lastIndex = at;
    const [, bare, basic, literal, end] = part.exec(text) ?? [];
    if (end === undefined) return undefined;
    path.push(bare ?? literal ?? unescaped(basic ?? ''));
    if (end === sign) return path;
    if (end !== '.') return undefined;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})|\\(.)/g, (_, code: string | undefined, other: string) =>
    code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function iniKey(piece: string, dialect: Dialect): readonly string[] | undefined {
  const key =
    dialect === 'env' ? /^\s*(?:export\s+)?([\w.-]+)\s*[=:]/.exec(piece) : /^([^\s#;[=:][^=:\n]*)[=:]/.exec(piece);
  return key?.[1] === undefined ? undefined : [key[1].trim()];
}

/** Lines, each with those that continue it. */
function* iniPieces(text: string, dialect: Dialect): Generator<string> {
  let piece = '';
  for (const line of text.split(/(?<=\n)/)) {
    const isKey = iniKey(line, dialect) !== undefined;
    const continues = dialect === 'env' ? !isKey && !/^\s*(?:#|$)/.test(line) : /^[ \t]+\S/.test(line);
    if (piece !== '' && !continues) {
      yield piece;
      piece = '';
    }
    piece += line;
  }
  if (piece !== '') yield piece;
}

/** Lines, each with the rest of a string or an array that is still open at its end. */
function* tomlPieces(text: string): Generator<string> {
  let piece = '';
  let open = { quote: '', depth: 0 };
  for (const line of text.split(/(?<=\n)/)) {
    piece += line;
    open = openAfter(line, open.quote, open.depth);
    if (open.quote !== '' || open.depth > 0) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function openAfter(line: string, openQuote: string, openDepth: number): { quote: string; depth: number } {
  let [quote, depth] = [openQuote, openDepth];
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote !== '') {
      if (character === '\\' && quote.startsWith('"')) at += 1;
      else if (line.startsWith(quote, at)) {
        at += quote.length - 1;
        quote = '';
      }
    } else if (character === '#') break;
    else if (character === '"' || character === "'") {
      quote = line.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
      at += quote.length - 1;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
  }
  // A string of one line ends with it.
  return { quote: quote.length === 1 ? '' : quote, depth };
}
