import type { Policy } from '../../model/policy.js';
import type { RunEvent } from '../../model/run-event.js';
import { plainJudgements, plainReasons } from './plain-sentences.js';

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
  'evidence',
  'message',
  'fingerprint',
  'detail',
  'details',
  'feedback',
  'handover',
  'matches',
]);

/** What the user wrote. */
const OWN_PARTS: ReadonlySet<string> = new Set(['spec', 'policy', 'pipeline', 'limit', 'condition']);

/** An event with its figures and without the words of others. The policy is that of the run at that moment. */
export function withoutText(event: RunEvent, policy: Policy): RunEvent {
  switch (event.type) {
    case 'verdict-reached': {
      const { verdict } = event;
      const reasons = plainReasons(verdict.reasons);
      return { ...event, verdict: { ...verdict, reasons, judgements: plainJudgements(verdict.judgements, policy) } };
    }
    case 'run-ended':
      return { ...(stripped(event) as typeof event), reasons: plainReasons(event.reasons) };
    case 'attempt-ended':
      return { ...(stripped(event) as typeof event), reasons: event.reasons?.filter(isCode) };
    case 'tool-called':
      return stripped({ ...event, name: undefined }) as RunEvent;
    case 'permission-denied':
      return stripped({ ...event, tool: undefined }) as RunEvent;
    case 'paused':
    case 'waiting-started':
    case 'waiting-ended':
      return stripped({ ...event, reason: undefined }) as RunEvent;
    default:
      return stripped(event) as RunEvent;
  }
}

/** A word such as BLURRY sorts attempts; anything longer tells of them. */
export function isCode(reason: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,39}$/.test(reason);
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
