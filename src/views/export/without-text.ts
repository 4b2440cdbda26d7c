import type { RunEvent } from '../../model/run-event.js';

/** Fields that hold what the agent, its tools or the user's programs wrote. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
  'text',
  'input',
  'output',
  'outputHead',
  'outputTail',
  'stderrTail',
  'summary',
  'error',
  'message',
  'detail',
  'feedback',
  'handover',
  'matches',
]);

/** What the user wrote, and Pawl's own sentences. */
const OWN_PARTS: ReadonlySet<string> = new Set(['spec', 'policy', 'pipeline', 'verdict', 'reasons', 'limit']);

/** An event with its figures and without the words of others. */
export function withoutText(event: RunEvent): RunEvent {
  return stripped(event) as RunEvent;
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !TEXT_KEYS.has(key))
      .map(([key, entry]) => [key, OWN_PARTS.has(key) ? entry : stripped(entry)]),
  );
}
