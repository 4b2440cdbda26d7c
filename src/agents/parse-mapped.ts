import type { AgentEvent } from '../model/agent-event.js';
import type { AgentDefinition, EventRules, FieldMatch, FieldPaths, UsageRule } from '../model/agent-definition.js';
import { valuesAt } from '../model/field-path.js';
import { cleanSpend, isUnknown, type Spend } from '../model/usage.js';
import { parseCommand } from './command.js';
import { type Fields, jsonObject, toolInput, toolOutput } from './agent-events.js';
import { failureEvent } from './provider-failure.js';
import { momentOf } from './reset-time.js';

type RuleOf<K extends keyof EventRules> = NonNullable<EventRules[K]>;
type Found = AgentEvent | undefined;

/** The program gets it back as an argument: it must not look like a flag, and it must be possible to pass it. */
const SESSION_ID = /^(?!-)[^\p{Cc}]{1,1000}$/u;

/** Reads the lines of an agent by its definition. */
export function mappedParser({ events, output }: AgentDefinition): (line: string) => readonly AgentEvent[] {
  if (events === undefined) return output === 'text' ? parseCommand : () => [];
  return (line) => {
    const fields = jsonObject(line);
    const found = fields === undefined ? [] : eventsIn(fields, events);
    return found.length === 0 && output === 'text' ? [{ kind: 'output', text: line }] : found;
  };
}

function eventsIn(fields: Fields, rules: EventRules): readonly AgentEvent[] {
  const found = [
    ...apply(rules.session, fields, session),
    ...apply(rules.text, fields, text),
    ...apply(rules.toolCall, fields, toolCall),
    ...apply(rules.toolResult, fields, toolResult),
    ...apply(rules.usage, fields, usage),
    ...apply(rules.limit, fields, limit),
    ...apply(rules.error, fields, error),
    ...apply(rules.result, fields, result),
  ];
  return found.filter((event) => event !== undefined);
}

function apply<R extends { readonly when: FieldMatch; readonly each?: FieldPaths | undefined }>(
  rule: R | undefined,
  fields: Fields,
  read: (rule: R, entry: unknown) => Found,
): readonly Found[] {
  if (rule === undefined || !matches(rule.when, fields)) return [];
  if (rule.each === undefined) return [read(rule, fields)];
  const list = first(fields, rule.each);
  return Array.isArray(list) ? list.map((entry: unknown) => read(rule, entry)) : [];
}

function matches(match: FieldMatch, root: unknown): boolean {
  return Object.entries(match).every(([path, allowed]) =>
    valuesAt(root, path).some((value) => allowed.some((one) => one === value)),
  );
}

function session(rule: RuleOf<'session'>, root: unknown): Found {
  const id = textIn(root, rule.id);
  return id !== undefined && SESSION_ID.test(id) ? { kind: 'session', id } : undefined;
}

function text(rule: RuleOf<'text'>, root: unknown): Found {
  const said = textIn(root, rule.text);
  return said === undefined || said === '' ? undefined : { kind: 'text', text: said };
}

function toolCall(rule: RuleOf<'toolCall'>, root: unknown): Found {
  const name = textIn(root, rule.name);
  if (name === undefined) return undefined;
  return { kind: 'tool-call', id: textIn(root, rule.id), name, input: toolInput(first(root, rule.input)) };
}

function toolResult(rule: RuleOf<'toolResult'>, root: unknown): Found {
  const output = textIn(root, rule.output);
  if (output === undefined) return undefined;
  const failed = rule.failedWhen !== undefined && matches(rule.failedWhen, root);
  return { kind: 'tool-result', id: textIn(root, rule.id), failed, output: toolOutput(output) };
}

function usage(rule: UsageRule, root: unknown): Found {
  const spend = spendIn(rule, root);
  if (isUnknown(spend)) return undefined;
  const { scope } = rule;
  const [id, session, model] = [rule.id, rule.session, rule.model].map((paths) => textIn(root, paths));
  return { kind: 'usage', scope, id, session, model, spend };
}

/** An agent that counts the cache or its reasoning separately may leave a zero out. */
function spendIn(rule: UsageRule, root: unknown): Spend {
  const { spend: reported, rejected } = cleanSpend({
    inputTokens: numberIn(root, rule.input),
    outputTokens: numberIn(root, rule.output),
    cacheReadTokens: numberIn(root, rule.cacheRead),
    cacheWriteTokens: numberIn(root, rule.cacheWrite),
    reasoningTokens: numberIn(root, rule.reasoning),
    totalTokens: numberIn(root, rule.total),
    costUsd: numberIn(root, rule.cost),
  });
  const withParts = (
    whole: number | undefined,
    ...parts: readonly ('cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens')[]
  ) =>
    whole === undefined || parts.some((part) => rejected.includes(part))
      ? undefined
      : parts.reduce((sum, part) => sum + (reported[part] ?? 0), whole);
  return cleanSpend({
    ...reported,
    totalTokens: numberIn(root, rule.total),
    inputTokens: rule.inputIncludesCache
      ? reported.inputTokens
      : withParts(reported.inputTokens, 'cacheReadTokens', 'cacheWriteTokens'),
    outputTokens: rule.outputIncludesReasoning
      ? reported.outputTokens
      : withParts(reported.outputTokens, 'reasoningTokens'),
  }).spend;
}

function limit(rule: RuleOf<'limit'>, root: unknown): Found {
  const message = textIn(root, rule.message);
  if (message === undefined) return undefined;
  return { kind: 'limit', limit: rule.limit, resetsAt: momentOf(first(root, rule.resetsAt)), message };
}

function error(rule: RuleOf<'error'>, root: unknown): Found {
  const message = textIn(root, rule.message);
  return message === undefined ? undefined : failureEvent(message, { status: numberIn(root, rule.status) });
}

function result(rule: RuleOf<'result'>, root: unknown): Found {
  const text = textIn(root, rule.text);
  if (text === undefined && Object.keys(rule.when).length === 0) return undefined;
  const isSuccess = rule.successWhen === undefined || matches(rule.successWhen, root);
  return { kind: 'result', outcome: isSuccess ? 'success' : 'error', text };
}

function first(root: unknown, paths: FieldPaths | undefined): unknown {
  for (const path of paths ?? []) {
    const [value] = valuesAt(root, path);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Several texts at one path are one text, in lines. */
function textIn(root: unknown, paths: FieldPaths | undefined): string | undefined {
  for (const path of paths ?? []) {
    const texts = valuesAt(root, path).filter((value) => typeof value === 'string');
    if (texts.length > 0) return texts.join('\n');
  }
  return undefined;
}

function numberIn(root: unknown, paths: FieldPaths | undefined): number | undefined {
  const value = first(root, paths);
  return typeof value === 'number' ? value : undefined;
}
