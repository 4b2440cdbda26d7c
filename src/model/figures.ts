import { CLAIM_WORDS, type ClaimType } from './claim.js';

/** `1,234,567`. */
export function count(value: number): string {
  if (value < 1000) return String(value);
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 iteration`, `3 iterations`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `$3.10`, `$0.0042`: cut, never rounded up, so that a sum below a limit does not look like the limit. */
export function usd(value: number): string {
  if (value > 0 && value < 0.0001) return `$${value.toPrecision(2)}`;
  return cutTo(value, decimalsOf(value));
}

/** A limit as it was given: `$5.00`, `$0.125`. */
export function usdLimit(value: number): string {
  return decimalsOf(value) === 4 || value >= 1 ? usd(value) : cutTo(value, 4).replace(/0{1,2}$/, '');
}

function cutTo(value: number, decimals: number): string {
  return `$${(Math.floor(value * 10 ** decimals + 1e-6) / 10 ** decimals).toFixed(decimals)}`;
}

/** Two; below a cent four. */
function decimalsOf(value: number): number {
  return value >= 0.01 || value === 0 ? 2 : 4;
}

/** What is left to a limit: rounded up, so that it makes up the limit with what `usd` shows of the sum. */
export function usdLeft(value: number, limit = value): string {
  if (value > 0 && value < 0.0001) return usd(value);
  const decimals = Math.max(decimalsOf(value), decimalsOf(Math.max(0, limit - value)));
  return cutTo(Math.ceil(value * 10 ** decimals - 1e-6) / 10 ** decimals, decimals);
}

/** `37.5%`. */
export function percent(part: number): string {
  return `${Math.round(part * 1000) / 10}%`;
}

/** Shortens a text from outside to one line that fits into a sentence. */
export function quote(text: string, characters = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `"${line.length > characters ? `${line.slice(0, characters - 1)}…` : line}"`;
}

/** `stop requested (keyboard)`, `stop requested (pawl stop, pid 12)`. */
export function stopRequested(by: string): string {
  return `stop requested (${by.replace(/^the /, '').replace(/ \(([^()]*)\)$/, ', $1')})`;
}

/** Whether a text asks something: `Null or empty? Both occur.` */
export function isQuestion(text: string): boolean {
  return /\?(?:\s|$)/.test(text);
}

/** `the agent says it is done: "all 12 tests pass"`; an agent that is blocked by a question asks it. */
export function claimSentence(claim: ClaimType, evidence: string, characters = 160): string {
  if (claim === 'blocked' && isQuestion(evidence)) return `the agent asks: ${quote(evidence, characters)}`;
  return `the agent says ${CLAIM_WORDS[claim]}: ${quote(evidence, characters)}`;
}

/** The first few names of a list. */
export function list(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/** `2 of 5 iterations`; a limit that is reached is not repeated: `5 iterations`. */
export function ofLimit(value: number, limit: number, noun: string): string {
  return value < limit ? `${count(value)} of ${plural(limit, noun)}` : plural(value, noun);
}

/** `4 iterations (counted as 2.7 of 5: ...)`, where some weigh less than others. Only the number when the limit is reached. */
export function weighted(
  often: number,
  weight: number,
  limit: number,
  unit: string,
  why = 'those that wrote something new count less',
): string {
  const times = plural(often, unit);
  if (weight >= limit) return times;
  return `${times} (counted as ${Math.round(weight * 10) / 10} of ${limit}: ${why})`;
}

/** `3 halt the run`. */
export function haltsAt(limit: number): string {
  return `${count(limit)} ${limit === 1 ? 'halts' : 'halt'} the run`;
}

/** With a full stop, unless the sentence ends already. */
export function endedSentence(text: string): string {
  return /[.!?…]["”]?$/.test(text) ? text : `${text}.`;
}

/** How many iterations that weigh two thirds reach a limit. */
export function moreWithWork(limit: number): number {
  return Math.ceil(limit * 1.5);
}

/** A longer word than this is not a usable key: it may be cut anywhere. */
const WORD_CHARACTERS = 512;
const OF_WORD = /[\w.+/=~:-]/;

/** The beginning of a text. It ends before a word that would not fit: half a key would look like any other word. */
export function headOf(text: string, most: number): string {
  return text.slice(0, most >= text.length ? most : boundary(text, most, -1));
}

/** The end of a text, likewise. */
export function tailOf(text: string, most: number): string {
  const at = text.length - most;
  return at <= 0 ? text : text.slice(boundary(text, at, 1));
}

/** The end of the word at the place, in the direction; the place itself when the word is too long for a key. */
function boundary(text: string, at: number, step: 1 | -1): number {
  const [start, end] = [edgeOf(text, at, -1), edgeOf(text, at, 1)];
  if (end - start > WORD_CHARACTERS) return at;
  return step === 1 ? end : start;
}

function edgeOf(text: string, at: number, step: 1 | -1): number {
  let place = at;
  while (Math.abs(place - at) <= WORD_CHARACTERS && isWithin(text, place)) place += step;
  return place;
}

/** Whether the place is in the middle of a word. */
function isWithin(text: string, place: number): boolean {
  return OF_WORD.test(text[place - 1] ?? '') && OF_WORD.test(text[place] ?? '');
}

/** What a run counts. The steps of a pipeline are attempts. */
export type Unit = 'iteration' | 'attempt';

export function unitOf({ pipeline }: { readonly pipeline?: unknown }): Unit {
  return pipeline === undefined ? 'iteration' : 'attempt';
}
