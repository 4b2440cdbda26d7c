import type { AgentEvent } from '../../src/model/agent-event.js';

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

const ERROR = oneOf('auth', 'billing', 'overload', 'rate', 'context', 'other');

const RULES: { readonly [K in AgentEvent['kind']]: Readonly<Record<string, Check>> } = {
  text: { text },
  output: { text },
  'tool-call': { id: optional(text), name: text, input: optional(text) },
  'tool-result': { id: optional(text), failed: flag, denied: optional(flag), output: optional(text) },
  usage: {
    scope: oneOf('request', 'turn', 'session-total'),
    id: optional(text),
    session: optional(text),
    model: optional(text),
    spend: (value) => Object.values(value as object).every(optional(count)),
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

/** What is wrong with an event, as `kind.field`; empty for one that keeps its type's promises. */
export function faultsOf(event: AgentEvent): readonly string[] {
  const rules = RULES[event.kind];
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(event).filter((key) => key !== 'kind' && !(key in rules));
  const wrong = Object.keys(rules).filter((key) => rules[key]?.(fields[key]) !== true);
  return [...unknown, ...wrong].map((key) => `${event.kind}.${key}`);
}
