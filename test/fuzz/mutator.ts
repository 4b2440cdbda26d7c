import { Random, seedOf } from './random.js';

/** One step from a recording to something that no program ever wrote. Texts hold one byte in each character. */
type Step = (text: string, random: Random, corpus: readonly string[]) => string;

const MOST_STEPS = 5;
/** Steps that make much of little are rare: they cost more time than they find. */
const RARELY = 700;

const NUMBERS = [
  '-1',
  '0',
  '-0',
  '1e308',
  '-1e308',
  '1e999',
  '1e-320',
  '9007199254740993',
  '18446744073709551616',
  '2147483648',
  '0.1',
  '00',
  '0x10',
  'NaN',
  'Infinity',
  '-',
  '1_000',
  '١',
];

const VALUES = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '[[]]',
  '[null]',
  '{"":{}}',
  '-1',
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":null,"valueOf":1}',
  '{"then":1}',
  '{"length":-1}',
  '"1970-01-01T00:00:00Z"',
  '"+275760-09-13T00:00:00.001Z"',
];

const ODD_BYTES = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\t',
  '\v',
  '\x1b[2J',
  '\x1b]0;x\x07',
  '\x7f',
  '\x80',
  '\xff',
  '\xfe\xff',
  '\xef\xbb\xbf',
  '\xc0\xaf',
  '\xed\xa0\x80',
  '\xed\xb0\x80',
  '\xf4\x90\x80\x80',
  '\xe2\x80\xae',
  '\xe2\x80\xa8',
  '\xf0\x9f',
  '\\',
  '"',
  "'",
  '\\ud800',
  '\\u0000',
  '${',
  '{{',
  '%00',
  '<![CDATA[',
  ']]>',
  '<!--',
  '&#0;',
  '&x;',
  '<!DOCTYPE x [',
  '---\n',
  '...\n',
  '&a ',
  '*a',
  '!!js/function ',
  '<<: ',
  '? ',
  '- ',
  ': ',
  '# ',
  '|\n',
  '>\n',
  '@',
  '`',
  '../',
  '~',
];

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'type', 'length', ''];

const STEPS: readonly Step[] = [
  flip,
  flip,
  cut,
  cutOff,
  double,
  repeatLine,
  dropLine,
  swapLines,
  splice,
  number,
  value,
];
const MORE_STEPS: readonly Step[] = [...STEPS, number, value, key, odd, odd, bytes];
const COSTLY_STEPS: readonly Step[] = [nest, hugeKey, longLine, manyLines, hugeNumber];

/** The input with this number: the same for the same corpus and seed. */
export function mutantOf(corpus: readonly string[], seed: number, index: number): Buffer {
  const random = new Random(seedOf(seed, index));
  let text = random.pick(corpus);
  for (let left = 1 + random.below(MOST_STEPS); left > 0; left -= 1) {
    const steps = random.once(RARELY) ? COSTLY_STEPS : MORE_STEPS;
    text = random.pick(steps)(text, random, corpus);
  }
  return Buffer.from(text, 'latin1');
}

function flip(text: string, random: Random): string {
  const at = random.below(text.length);
  return put(text, at, 1, String.fromCharCode((text.charCodeAt(at) ^ (1 << random.below(8))) & 0xff));
}

function cut(text: string, random: Random): string {
  return put(text, random.below(text.length), 1 + random.below(40), '');
}

function cutOff(text: string, random: Random): string {
  return random.once(2) ? text.slice(0, random.below(text.length + 1)) : text.slice(random.below(text.length + 1));
}

function double(text: string, random: Random): string {
  const at = random.below(text.length);
  return put(text, at, 0, text.slice(at, at + 1 + random.below(200)));
}

function repeatLine(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  return lines.toSpliced(at, 0, ...Array.from({ length: 1 + random.below(3) }, () => lines[at] ?? '')).join('\n');
}

function dropLine(text: string, random: Random): string {
  const lines = text.split('\n');
  return lines.toSpliced(random.below(lines.length), 1).join('\n');
}

function swapLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const [one, other] = [random.below(lines.length), random.below(lines.length)];
  return lines
    .with(one, lines[other] ?? '')
    .with(other, lines[one] ?? '')
    .join('\n');
}

/** The beginning of one recording and the end of another. */
function splice(text: string, random: Random, corpus: readonly string[]): string {
  const other = random.pick(corpus);
  return text.slice(0, random.below(text.length + 1)) + other.slice(random.below(other.length + 1));
}

function number(text: string, random: Random): string {
  return replaceNext(text, random, /-?\d[\d.eE+]*/g, random.pick(NUMBERS));
}

function value(text: string, random: Random): string {
  return replaceNext(
    text,
    random,
    /(?<=[:,[]\s?)(?:"(?:[^"\\\n]|\\.){0,400}"|true|false|null|-?\d[\d.]*|\[\]|\{\})/g,
    random.pick(VALUES),
  );
}

function key(text: string, random: Random): string {
  if (random.once(2)) return replaceNext(text, random, /"[\w-]{1,40}"(?=\s?:)/g, JSON.stringify(random.pick(KEYS)));
  return replaceNext(text, random, /\{/g, `{${JSON.stringify(random.pick(KEYS))}:${random.pick(VALUES)},`);
}

function odd(text: string, random: Random): string {
  return put(text, random.below(text.length + 1), random.below(2), random.pick(ODD_BYTES));
}

function bytes(text: string, random: Random): string {
  const made = Array.from({ length: 1 + random.below(8) }, () => String.fromCharCode(random.below(256))).join('');
  return put(text, random.below(text.length + 1), random.below(8), made);
}

function nest(text: string, random: Random): string {
  const depth = random.pick([40, 200, 2000, 20_000]);
  const [open, close] = random.pick([
    ['{"a":', '}'],
    ['[', ']'],
    ['<testsuite>', '</testsuite>'],
    ['\n- ', ''],
    ['    ', ''],
  ]);
  const deep = `${open.repeat(depth)}1${close.repeat(random.once(3) ? 0 : depth)}`;
  if (random.once(3)) return put(text, random.below(text.length + 1), 0, deep);
  return replaceNext(text, random, /(?<=[:,[]\s?)(?:"[^"\n]{0,200}"|-?\d+)/g, deep);
}

function hugeKey(text: string, random: Random): string {
  const name = random.pick(['k', 'é', '\\ud83d', ' ', '../', '%2e']).repeat(random.pick([300, 5000, 100_000]));
  return replaceNext(text, random, /\{/g, `{"${name}":1,`);
}

function longLine(text: string, random: Random): string {
  const piece = random.pick(['x', ' ', '(', 'a ', '"', '\\', '=', '0', '1.', '\t', '\x1b', '-', '\xc3\xa9', ': ']);
  return put(text, random.below(text.length + 1), 0, piece.repeat(random.pick([5000, 60_000, 200_000])));
}

function manyLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const line = (lines[at] ?? '').slice(0, 200);
  return lines.toSpliced(at, 0, ...Array.from({ length: random.pick([300, 3000]) }, () => line)).join('\n');
}

function hugeNumber(text: string, random: Random): string {
  return replaceNext(text, random, /\d+/g, random.pick(['9', '0', '1.']).repeat(random.pick([20, 400, 5000])));
}

/** What is found first behind some place, or from the beginning on. */
function replaceNext(text: string, random: Random, pattern: RegExp, by: string): string {
  pattern.lastIndex = random.below(text.length + 1);
  const found = pattern.exec(text) ?? pattern.exec(text);
  return found === null ? put(text, random.below(text.length + 1), 0, by) : put(text, found.index, found[0].length, by);
}

function put(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}
