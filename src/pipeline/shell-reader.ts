/** How a value can stand at a position of a command: as a word of its own, inside of quotes, or not at all. */
type ValueForm = 'word' | 'quoted' | undefined;

type Kind =
  | 'command'
  | 'substitution'
  | 'group'
  | 'backquote'
  | 'double'
  | 'single'
  | 'arithmetic'
  | 'parameter'
  | 'quoted-parameter'
  | 'document'
  | 'literal-document';

interface HereDocument {
  readonly end: string;
  readonly isLiteral: boolean;
  readonly stripsTabs: boolean;
}

interface Frame {
  readonly kind: Kind;
  /** Here-documents whose text begins after this line. */
  documents: HereDocument[];
  /** How many `case` are open: there a `)` ends a pattern. */
  cases: number;
  readonly document?: HereDocument | undefined;
  /** A pattern in quotes is one of the places where quotes mean something else. */
  readonly isPattern?: boolean | undefined;
}

const COMMANDS: ReadonlySet<Kind> = new Set<Kind>(['command', 'substitution', 'group', 'backquote']);
/** After these words a command begins. */
const BEGINNING = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{']);
const WORD = /(?:[A-Za-z]+|[!{])(?=[\s;&|()<>]|$)/y;
const DOCUMENT = /<<(-?)(?:[ \t]|\\\n)*((?:[^\s;&|()<>'"\\]|\\[^]|'[^']*'|"[^"]*")+)/y;
const PARAMETER = /\$\{(?:[#!]?(?:\w+|[@*#?$!-]))?(:?[-+=?])?/y;

/**
 * Follows a shell command piece by piece and knows what each position is: code, a kind of quotes, a comment, the text of a
 * here-document. Where shells do not agree, or it cannot follow, it is lost, and no value can be put in anywhere.
 */
export class ShellReader {
  readonly #text: string;
  readonly #frames: Frame[] = [frameOf('command')];
  #at = 0;
  #isLost = false;
  /** Here a word would begin, and with `#` a comment. */
  #isWordStart = true;
  /** Here a command would begin. */
  #isCommandStart = true;

  constructor(text: string) {
    this.#text = text;
  }

  get at(): number {
    return this.#at;
  }

  get form(): ValueForm {
    const { kind, isPattern } = this.#top;
    if (this.#isLost || this.#frames.some((frame) => frame.kind === 'arithmetic')) return undefined;
    if (kind === 'single' || kind === 'literal-document' || isPattern === true) return undefined;
    if (kind === 'double') return this.#frames.at(-2)?.kind === 'quoted-parameter' ? undefined : 'quoted';
    return kind === 'document' || kind === 'quoted-parameter' ? 'quoted' : 'word';
  }

  /** Whether everything that was opened is closed. */
  get isWhole(): boolean {
    return !this.#isLost && this.#frames.length === 1 && this.#top.cases === 0;
  }

  /** Goes past a value. */
  pass(length: number): void {
    this.#at += length;
    this.#isWordStart = false;
    this.#isCommandStart = false;
  }

  /** Goes past the next characters that belong together. */
  next(): string {
    const start = this.#at;
    const { kind } = this.#top;
    if (COMMANDS.has(kind)) this.#inCommand();
    else if (kind === 'single' || kind === 'literal-document') this.#inLiteral();
    else this.#inQuotes();
    return this.#text.slice(start, this.#at);
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? frameOf('command');
  }

  #inCommand(): void {
    const word = this.#isWordStart ? matchAt(WORD, this.#text, this.#at)?.[0] : undefined;
    const character = this.#text[this.#at] ?? '';
    if (word !== undefined) return this.#word(word);
    if (this.#isWordStart && character === '#') return this.#comment();
    if (this.#text.startsWith('<<', this.#at)) return this.#documentMark();
    if (this.#expansion()) return;
    this.#at += 1;
    if (character === '\n') return this.#newline();
    if (character === '(') this.#open('group');
    else if (character === ')') return this.#closingBracket();
    else if (character === "'") this.#open('single');
    else if (character === '"') this.#open('double');
    this.#isWordStart = /[\s;&|()<>]/.test(character);
    if (/\S/.test(character)) this.#isCommandStart = /[;&|(]/.test(character);
  }

  #word(word: string): void {
    this.#at += word.length;
    if (this.#isCommandStart && word === 'case') this.#top.cases += 1;
    if (this.#isCommandStart && word === 'esac') this.#top.cases -= 1;
    this.#isCommandStart &&= BEGINNING.has(word);
    this.#isWordStart = false;
  }

  #comment(): void {
    const isInBackquotes = this.#frames.some(({ kind }) => kind === 'backquote');
    this.#at += matchAt(isInBackquotes ? /[^\n`]*/y : /[^\n]*/y, this.#text, this.#at)?.[0].length ?? 1;
  }

  #closingBracket(): void {
    const { kind, cases, documents } = this.#top;
    this.#isCommandStart = true;
    this.#isWordStart = kind !== 'substitution' || cases > 0;
    if (cases > 0) return;
    if (kind !== 'substitution' && kind !== 'group') this.#isLost = true;
    else this.#frames.pop();
    if (documents.length > 0) this.#isLost = true;
  }

  /** What begins with a backslash, a dollar sign or a backquote, wherever these mean something. */
  #expansion(): boolean {
    const { kind } = this.#top;
    const character = this.#text[this.#at];
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (character === '\\') return this.#escape(two);
    if (character === '`') return this.#backquote();
    if (character !== '$') return false;
    const isQuoted = !COMMANDS.has(kind) && kind !== 'parameter';
    this.#isWordStart = false;
    this.#isCommandStart = false;
    if (this.#text.startsWith('$((', this.#at)) {
      this.#open('arithmetic', 'arithmetic');
      this.#at += 3;
    } else if (two === '$(') {
      this.#open('substitution');
      this.#at += 2;
      this.#isWordStart = true;
      this.#isCommandStart = true;
    } else if (two === '${' && !this.#text.startsWith('{{', this.#at + 1)) this.#parameter(isQuoted);
    else {
      // Not every shell reads these two.
      if (two === '$[' || (two === "$'" && !isQuoted)) this.#isLost = true;
      this.#at += two === '$$' ? 2 : 1;
    }
    return true;
  }

  #parameter(isQuoted: boolean): void {
    const [head = '', operator] = matchAt(PARAMETER, this.#text, this.#at) ?? [];
    const isPattern = isQuoted && operator === undefined;
    this.#frames.push({ ...frameOf(isQuoted ? 'quoted-parameter' : 'parameter'), isPattern });
    this.#at += head.length;
  }

  #escape(two: string): boolean {
    // In backquotes it is taken away before anything else is looked at.
    if (/^\\[\\$`"\n]/.test(two) && this.#frames.some(({ kind }) => kind === 'backquote')) this.#isLost = true;
    this.#at += two.length;
    if (two === '\\\n') return true;
    this.#isWordStart = false;
    this.#isCommandStart = false;
    return true;
  }

  #backquote(): boolean {
    const isInside = this.#frames.some(({ kind }) => kind === 'backquote');
    if (this.#top.kind === 'backquote') {
      if (this.#top.cases > 0) this.#isLost = true;
      this.#frames.pop();
    } else if (isInside) this.#isLost = true;
    else this.#open('backquote');
    this.#at += 1;
    this.#isWordStart = !isInside;
    this.#isCommandStart = !isInside;
    return true;
  }

  #inLiteral(): void {
    const character = this.#text[this.#at] ?? '';
    if (/[\\`]/.test(character) && this.#frames.some(({ kind }) => kind === 'backquote')) this.#isLost = true;
    this.#at += 1;
    if (this.#top.kind === 'single' && character === "'") this.#frames.pop();
    if (character === '\n') this.#lookForEnd();
  }

  #inQuotes(): void {
    const { kind } = this.#top;
    if (this.#expansion()) return;
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (character === '\n') this.#lookForEnd();
    else if (kind === 'double') {
      if (character === '"') this.#frames.pop();
    } else if (kind === 'arithmetic') {
      if (character === '(') this.#open('arithmetic');
      if (character === ')') this.#frames.pop();
    } else if (kind !== 'document') this.#inParameter(character);
    this.#isWordStart = false;
    this.#isCommandStart = false;
  }

  #inParameter(character: string): void {
    if (character === '}') this.#frames.pop();
    else if (character === '"') this.#open('double');
    else if (character === "'" && this.#top.kind === 'parameter') this.#open('single');
    else if (character === "'" && this.#top.isPattern === true) this.#open('single');
  }

  #documentMark(): void {
    const found = matchAt(DOCUMENT, this.#text, this.#at);
    const isHereString = this.#text.startsWith('<<<', this.#at);
    this.#isWordStart = isHereString;
    this.#isCommandStart = false;
    if (found === null || isHereString) {
      this.#isLost ||= !isHereString;
      this.#at += isHereString ? 3 : 2;
      return;
    }
    const [whole, dash, word = ''] = found;
    this.#at += whole.length;
    // A name in it would be no name for the shell.
    if (/[`{]|\$[({]/.test(word) || this.#frames.some(({ kind }) => kind === 'backquote')) this.#isLost = true;
    const owner = this.#frames.findLast(({ kind }) => kind !== 'group');
    owner?.documents.push({ end: unquoted(word), isLiteral: /['"\\]/.test(word), stripsTabs: dash === '-' });
  }

  #newline(): void {
    this.#isWordStart = true;
    this.#isCommandStart = true;
    this.#lookForEnd();
    this.#beginDocument();
  }

  #beginDocument(): void {
    const document = this.#frames.findLast(({ kind }) => kind !== 'group')?.documents.shift();
    if (document === undefined) return;
    this.#frames.push({ ...frameOf(document.isLiteral ? 'literal-document' : 'document'), document });
    this.#lookForEnd();
  }

  /** At the beginning of a line: whether it ends the here-document. */
  #lookForEnd(): void {
    for (const frame of this.#frames.filter(({ document }) => document !== undefined)) {
      const { end = '', stripsTabs } = frame.document ?? {};
      const line = matchAt(/[^\n]*/y, this.#text, this.#at)?.[0] ?? '';
      if ((stripsTabs === true ? line.replace(/^\t+/, '') : line) !== end) continue;
      if (frame !== this.#top) this.#isLost = true;
      else this.#endDocument(line.length + 1);
      return;
    }
  }

  #endDocument(length: number): void {
    this.#frames.pop();
    this.#at = Math.min(this.#at + length, this.#text.length);
    this.#isWordStart = true;
    this.#isCommandStart = true;
    this.#beginDocument();
  }

  #open(...kinds: readonly Kind[]): void {
    for (const kind of kinds) this.#frames.push(frameOf(kind));
  }
}

function frameOf(kind: Kind): Frame {
  return { kind, documents: [], cases: 0 };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function unquoted(word: string): string {
  return word.replace(
    /\\([^])|'([^']*)'|"([^"]*)"/g,
    (_all, ...[one, single, double]: (string | undefined)[]) => one ?? single ?? double ?? '',
  );
}
