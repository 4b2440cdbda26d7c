import { KEY_FORMATS, KEY_MARKS, KEY_START, type KeyFormat } from './known-key-formats.js';

/** Takes out of text what is a key by the way it is written, and puts the name of its kind in its place. */
export interface KnownKeys {
  /** Whether it is worth a closer look; also true of the JSON form of a text. */
  readonly mayBeIn: (text: string) => boolean;
  readonly text: (plain: string) => string;
  readonly stream: () => KeyStream;
}

export interface KeyStream {
  write(piece: string): string;
  end(): string;
}

const [words, led] = [
  KEY_FORMATS.filter(({ lead }) => lead === undefined),
  KEY_FORMATS.filter(({ lead }) => lead !== undefined),
];
const FORMATS = [...words, ...led];
const patternOf = ({ lead = '', key }: KeyFormat) => `(${lead})${key}`;
const KEYS = new RegExp(`${KEY_START}(?:${words.map(patternOf).join('|')})|${led.map(patternOf).join('|')}`, 'g');
const MARKS = new RegExp(KEY_MARKS.join('|'));
/** In a stream an address is under way before its password is. */
const OPENINGS = new RegExp([...KEY_MARKS, '://'].join('|'), 'g');

/** As far back as a key is looked for that is not whole yet: a private key of 8192 bits. */
const LONGEST = 8192;
/** From the beginning of a key to the end of its mark. */
const MARK_REACH = 48;
/** What stands before a key decides whether it is one. */
const CONTEXT = 32;

/** Keys that are in `except` stay: the user has written them into the run, which could not go on without them. */
export function createKnownKeys(except: ReadonlySet<string> = new Set()): KnownKeys {
  const inPlaceOf = (match: RegExpExecArray): string => {
    const { lead, name } = partsOf(match);
    return except.has(match[0].slice(lead.length)) ? match[0] : `${lead}[${name}]`;
  };
  const text = (plain: string): string => {
    if (!MARKS.test(plain)) return plain;
    let passed = '';
    let from = 0;
    for (const match of allIn(plain)) {
      passed += plain.slice(from, match.index) + inPlaceOf(match);
      from = match.index + match[0].length;
    }
    return passed + plain.slice(from);
  };
  return { mayBeIn: (plain) => MARKS.test(plain), text, stream: () => createKeyStream(inPlaceOf) };
}

/** A key in a text, without what stands before it. */
export interface FoundKey {
  /** Of its kind. */
  readonly name: string;
  readonly key: string;
  readonly at: number;
}

export function findKeys(text: string): readonly FoundKey[] {
  if (!MARKS.test(text)) return [];
  return Array.from(allIn(text), (match) => {
    const { lead, name } = partsOf(match);
    return { name, key: match[0].slice(lead.length), at: match.index + lead.length };
  });
}

export function keysIn(text: string): readonly string[] {
  return findKeys(text).map(({ key }) => key);
}

function allIn(text: string): IterableIterator<RegExpExecArray> {
  KEYS.lastIndex = 0;
  return text.matchAll(KEYS);
}

function partsOf(match: RegExpExecArray): { readonly lead: string; readonly name: string } {
  const index = match.findIndex((group, at) => at > 0 && group !== undefined) - 1;
  return { lead: match[index + 1] ?? '', name: FORMATS[index]?.name ?? 'key' };
}

function createKeyStream(inPlaceOf: (match: RegExpExecArray) => string): KeyStream {
  let held = '';
  /** So much of it was passed on already. */
  let told = 0;
  let isInsideKey = false;

  const passOn = (until: number, isEnd: boolean): string => {
    let passed = '';
    let from = told;
    let stop = Math.max(told, until);
    KEYS.lastIndex = told;
    for (let match = KEYS.exec(held); match !== null && match.index < stop; match = KEYS.exec(held)) {
      const end = match.index + match[0].length;
      const mayGoOn = !isEnd && end === held.length;
      if (mayGoOn && match[0].length <= LONGEST) {
        stop = match.index;
        break;
      }
      passed += held.slice(from, match.index) + inPlaceOf(match);
      from = end;
      isInsideKey = mayGoOn;
    }
    stop = Math.max(from, stop);
    passed += held.slice(from, stop);
    const kept = Math.max(0, stop - CONTEXT);
    held = held.slice(kept);
    told = stop - kept;
    return passed;
  };
  return {
    write(piece) {
      const news = isInsideKey ? piece.replace(/^[\w.~+/=-]+/, '') : piece;
      isInsideKey &&= news === '';
      held += news;
      return passOn(wholeUntil(held), false);
    },
    end: () => passOn(held.length, true),
  };
}

/** Before this place every key can be seen whole. */
function wholeUntil(text: string): number {
  OPENINGS.lastIndex = Math.max(0, text.length - LONGEST);
  const opening = OPENINGS.exec(text)?.index ?? text.length;
  return Math.min(opening, text.length) - MARK_REACH;
}
