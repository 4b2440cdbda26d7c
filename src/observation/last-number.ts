import { showValue } from '../model/field-rules.js';
import { plainLines } from './plain-lines.js';

export type FoundNumber = { readonly value: number } | { readonly problem: string };

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?%?$/i;
const NOT_FINITE = /^[+-]?(?:nan|inf(?:inity)?)%?$/i;
const BEGINS_AS_NUMBER = /^[+-]?[$€£]?\.?\d/;
/** What separates words. Colons, quotes and commas do not where they are between two digits, as in 12:30 and 1,234. */
const SEPARATORS = /[ \t=()[\]{}"`;|<>~]+|(?<!\d)[:',\u2019]|[:',\u2019](?!\d)/;

/**
 * The last number that a program prints. The last word that begins with a digit decides: when it is not a plain number, such as
 * `120ms`, `1,234` or `7/12`, the answer is a problem, never an earlier number.
 */
export function lastNumber(output: string): FoundNumber {
  for (const line of plainLines(output).toReversed()) {
    for (const word of line.split(SEPARATORS).toReversed()) {
      const found = numberIn(word.replace(/[.!?]+$/, (end) => (end === '.' && /^[+-]?\d+$/.test(word) ? end : '')));
      if (found !== undefined) return found;
    }
  }
  return { problem: 'it printed no number' };
}

/** Undefined for a word that has nothing to do with numbers: `p95`, `v2`, `done`. */
function numberIn(word: string): FoundNumber | undefined {
  if (NOT_FINITE.test(word)) return { problem: `it printed ${word}, which is not a finite number` };
  if (!BEGINS_AS_NUMBER.test(word)) return undefined;
  const plain = word.replace(/^([+-]?)[$€£]/, '$1');
  const value = NUMBER.test(plain) ? Number(plain.replace('%', '')) : Number.NaN;
  if (Number.isNaN(value))
    return { problem: `its last number is ${showValue(word)}, not a plain number such as 1234.5` };
  if (!Number.isFinite(value)) return { problem: `it printed ${word}, which is not a finite number` };
  return { value: value === 0 ? 0 : value };
}
