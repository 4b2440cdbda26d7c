import { formatDuration, parseDuration } from '../model/duration.js';
import { showValue } from '../model/show-value.js';
import { headOf } from '../model/figures.js';
import type { Probe } from '../model/judging/needs.js';
import type { ProbeResult } from '../model/observation.js';
import type { Harness } from './harness.js';
import { plainLines } from './plain-lines.js';
import { type CommandOutcome, runCommand } from './run-command.js';

type MetricProbe = Extract<Probe, { readonly kind: 'measurement' }>;

const TIMEOUT_MS = 10 * 60_000;
const KEPT_CHARACTERS = 64 * 1024;
const DETAIL_CHARACTERS = 200;

/** Runs the command and reads the last number on its standard output. What is not a plain number has no value, and says why. */
export async function probeMetric({ command, timeout }: MetricProbe, harness: Harness): Promise<ProbeResult> {
  const timeoutMs = (timeout === undefined ? undefined : parseDuration(timeout)) ?? TIMEOUT_MS;
  let printed = '';
  const onLine = (text: string, source: 'stdout' | 'stderr') => {
    if (source === 'stdout') printed += `${text}\n`;
    // Now and then, so that a flood of lines is not copied again and again.
    if (printed.length > 2 * KEPT_CHARACTERS) printed = printed.slice(-KEPT_CHARACTERS);
  };
  const outcome = await runCommand({ shell: command }, { timeoutMs, onLine }, harness);
  const problem = problemOf(outcome, timeoutMs);
  if (problem !== undefined) return { detail: headOf(problem, DETAIL_CHARACTERS) };
  const found = lastNumber(printed);
  return 'value' in found ? { value: found.value } : { detail: headOf(found.problem, DETAIL_CHARACTERS) };
}

function problemOf(outcome: CommandOutcome, timeoutMs: number): string | undefined {
  if (outcome.aborted) return 'it was interrupted';
  if (outcome.timedOut) return `it did not end within ${formatDuration(timeoutMs)}`;
  if (outcome.notStarted !== undefined) return `it could not be started: ${outcome.notStarted}`;
  if (outcome.signal !== undefined) return `it was killed by ${outcome.signal}`;
  return outcome.exitCode === 0 ? undefined : `it exited with ${outcome.exitCode}`;
}

type FoundNumber = { readonly value: number } | { readonly problem: string };

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
