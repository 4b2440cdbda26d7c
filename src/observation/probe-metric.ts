import { headOf } from '../model/figures.js';
import { formatDuration, parseDuration } from '../model/duration.js';
import type { Probe } from '../model/judging/needs.js';
import type { ProbeResult } from '../model/observation.js';
import type { Harness } from './harness.js';
import { lastNumber } from './last-number.js';
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
