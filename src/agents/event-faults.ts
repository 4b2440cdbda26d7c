import type { AgentEvent } from '../model/agent-event.js';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const time: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);
const spend: Check = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every(optional(count));

const ERROR = oneOf('auth', 'billing', 'overload', 'rate', 'context', 'other');

/** Events that only an agent in this process can report are left out. */
type CliEventKind = Exclude<AgentEvent['kind'], 'message' | 'question' | 'answered'>;

const RULES: { readonly [K in CliEventKind]: Readonly<Record<string, Check>> } = {
  text: { text },
  output: { text },
  'tool-call': { id: optional(text), name: text, input: optional(text) },
  'tool-result': { id: optional(text), failed: flag, denied: optional(flag), output: optional(text) },
  usage: {
    scope: oneOf('request', 'turn', 'session-total'),
    id: optional(text),
    session: optional(text),
    model: optional(text),
    spend,
    unknown: optional((value) => value === true),
  },
  session: { id: text },
  context: { usedTokens: optional(count), windowTokens: optional(count) },
  limit: { limit: oneOf('usage-limit', 'overload'), resetsAt: optional(time), message: text },
  retry: { error: ERROR, attempt: count, message: text },
  error: { error: ERROR, message: text },
  'permission-denied': { tool: text, id: optional(text), detail: optional(text) },
  result: {
    outcome: oneOf('success', 'error', 'interrupted', 'budget', 'turns', 'no-such-session'),
    text: optional(text),
  },
};

/** What is wrong with an event, as `kind.field`. Empty for an event that is valid. */
export function eventFaults(event: unknown): readonly string[] {
  const fields = typeof event === 'object' && event !== null ? (event as Readonly<Record<string, unknown>>) : {};
  const kind = String(fields['kind']);
  const rules = Object.hasOwn(RULES, kind) ? RULES[kind as CliEventKind] : undefined;
  if (rules === undefined) return ['kind'];
  const unknown = Object.keys(fields).filter((key) => key !== 'kind' && !Object.hasOwn(rules, key));
  const wrong = Object.keys(rules).filter((key) => rules[key]?.(fields[key]) !== true);
  return [...unknown, ...wrong].map((key) => `${kind}.${key}`);
}
