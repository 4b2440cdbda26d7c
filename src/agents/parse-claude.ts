import { headOf } from '../model/cut-text.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { AgentErrorKind } from '../model/run-event.js';
import { addSpend, cleanSpend, largerSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';
import { type Fields, fieldsAt, jsonObject, jsonText, listAt, numberAt, textAt } from './json-fields.js';
import { keepEnds } from './keep-ends.js';
import { momentOf } from './moment.js';
import { errorEvent, failureKind } from './provider-failure.js';

/** What a tool is asked to do is only shown. */
const INPUT_CHARACTERS = 2000;
/** Tests are read off what a tool printed; the record keeps less of it. */
const OUTPUT_CHARACTERS = 200_000;

/**
 * Reads one line of Claude Code's stream-json. Keeps nothing between lines: usage carries the id of its request, and the
 * fold does the counting. Types and fields that are not known are passed over.
 */
export function parseClaude(line: string): readonly AgentEvent[] {
  const fields = jsonObject(line);
  switch (textAt(fields, 'type')) {
    case 'system':
      return fromSystem(fields);
    case 'stream_event':
      return fromStream(fields);
    case 'assistant':
      return fromAssistant(fields);
    case 'user':
      return fromToolResults(fields);
    case 'rate_limit_event':
      return fromRateLimit(fieldsAt(fields, 'rate_limit_info'));
    case 'result':
      return fromResult(fields);
    default:
      return [];
  }
}

function fromSystem(fields: Fields | undefined): readonly AgentEvent[] {
  switch (textAt(fields, 'subtype')) {
    case 'init': {
      const id = textAt(fields, 'session_id');
      return id === undefined ? [] : [{ kind: 'session', id }];
    }
    case 'api_retry': {
      const error = errorKind(textAt(fields, 'error'), numberAt(fields, 'error_status'));
      const message = [textAt(fields, 'error'), numberAt(fields, 'error_status')].filter(Boolean).join(' ');
      return [{ kind: 'retry', error, attempt: Math.max(1, numberAt(fields, 'attempt') ?? 1), message }];
    }
    case 'permission_denied': {
      const detail = textAt(fields, 'message');
      return [
        {
          kind: 'permission-denied',
          tool: textAt(fields, 'tool_name') ?? 'a tool',
          id: textAt(fields, 'tool_use_id'),
          detail,
        },
      ];
    }
    default:
      return [];
  }
}

/** Only here stand the true output tokens of a request: when it begins, and again when it is done. */
function fromStream(fields: Fields | undefined): readonly AgentEvent[] {
  const event = fieldsAt(fields, 'event');
  const message = fieldsAt(event, 'message');
  const usage = fieldsAt(event, 'usage') ?? fieldsAt(message, 'usage');
  const id = textAt(message, 'id') ?? textAt(fields, 'api_message_id');
  return usage === undefined || id === undefined ? [] : [requestUsage(id, textAt(message, 'model'), usage)];
}

/** One line per block; all blocks of a message repeat its usage under its id. */
function fromAssistant(fields: Fields | undefined): readonly AgentEvent[] {
  const message = fieldsAt(fields, 'message');
  const blocks = listAt(message, 'content');
  if (textAt(message, 'model') === '<synthetic>') return fromSynthetic(fields, blocks);
  const events = blocks.flatMap(fromBlock).filter(({ kind }) => kind !== 'text' || !isSubagent(fields));
  const [id, usage] = [textAt(message, 'id'), fieldsAt(message, 'usage')];
  return id === undefined || usage === undefined
    ? events
    : [...events, requestUsage(id, textAt(message, 'model'), usage)];
}

/** What a subagent says is told to the agent, not to us: a promise of its is none of the agent's. */
function isSubagent(fields: Fields | undefined): boolean {
  return textAt(fields, 'parent_tool_use_id') !== undefined;
}

function fromBlock(block: Fields): readonly AgentEvent[] {
  switch (textAt(block, 'type')) {
    case 'text': {
      const text = textAt(block, 'text');
      return text === undefined || text === '' ? [] : [{ kind: 'text', text }];
    }
    case 'tool_use': {
      const input = shorten(jsonText(fieldsAt(block, 'input') ?? {}));
      return [{ kind: 'tool-call', id: textAt(block, 'id'), name: textAt(block, 'name') ?? 'a tool', input }];
    }
    default:
      return [];
  }
}

/** What Claude Code itself says in place of the model: an error, in words meant for people. */
function fromSynthetic(fields: Fields | undefined, blocks: readonly Fields[]): readonly AgentEvent[] {
  const name = textAt(fields, 'error');
  const message = blocks.map((block) => textAt(block, 'text') ?? '').join('\n');
  if (name === undefined && numberAt(fields, 'api_error_status') === undefined) return [];
  if (isUsageLimit(fields, message)) return [{ kind: 'limit', limit: 'usage-limit', message }];
  const error = isTooLong(message) ? 'context' : errorKind(name, numberAt(fields, 'api_error_status'), message);
  return [errorEvent(error, message)];
}

/** No field tells it from other bad requests. The message is Claude Code's, not the model's. */
function isTooLong(message: string): boolean {
  return /^(?:api error: )?(?:\d+ )?prompt is too long/i.test(message);
}

function isUsageLimit(fields: Fields | undefined, message: string): boolean {
  if (textAt(fields, 'api_error') === 'usage_limit_reached') return true;
  return textAt(fields, 'error') === 'rate_limit' && /usage limit|hit your (?:\w+ )?limit/i.test(message);
}

function fromToolResults(fields: Fields | undefined): readonly AgentEvent[] {
  return listAt(fieldsAt(fields, 'message'), 'content')
    .filter((block) => textAt(block, 'type') === 'tool_result')
    .map((block) => ({
      kind: 'tool-result',
      id: textAt(block, 'tool_use_id'),
      failed: block['is_error'] === true,
      output: keepEnds(
        textAt(block, 'content') ??
          listAt(block, 'content')
            .map((part) => textAt(part, 'text') ?? '')
            .join('\n'),
        OUTPUT_CHARACTERS,
      ),
    }));
}

/** The subscription's window. It is told while all is well, too. */
function fromRateLimit(info: Fields | undefined): readonly AgentEvent[] {
  if (textAt(info, 'status') !== 'rejected') return [];
  const resets = numberAt(info, 'resetsAt');
  const message = `the ${(textAt(info, 'rateLimitType') ?? 'usage').replaceAll('_', ' ')} limit is reached`;
  return [
    { kind: 'limit', limit: 'usage-limit', message, ...(resets === undefined ? {} : { resetsAt: momentOf(resets) }) },
  ];
}

/** There may be several per process. */
function fromResult(fields: Fields | undefined): readonly AgentEvent[] {
  return [
    resultUsage(fields),
    ...contextWindow(fields),
    { kind: 'result', outcome: outcomeOf(fields), text: textAt(fields, 'result') ?? errorsOf(fields) },
  ];
}

function outcomeOf(fields: Fields | undefined): Extract<AgentEvent, { kind: 'result' }>['outcome'] {
  const subtype = textAt(fields, 'subtype') ?? '';
  if (subtype === 'error_max_budget_usd') return 'budget';
  if (subtype === 'error_max_turns') return 'turns';
  if (textAt(fields, 'terminal_reason')?.startsWith('aborted') === true) return 'interrupted';
  if (/no conversation found/i.test(errorsOf(fields) ?? '')) return 'no-such-session';
  return fields?.['is_error'] === true || subtype !== 'success' ? 'error' : 'success';
}

function errorsOf(fields: Fields | undefined): string | undefined {
  const errors = fields?.['errors'];
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'string').join('\n') : undefined;
}

/**
 * What a result says of the spend. The newest versions have what was used since the result before. Older ones have the
 * sum of the process so far, also in a resumed session; what they say of the result alone leaves some requests out.
 */
function resultUsage(fields: Fields | undefined): AgentEvent {
  const { spend: ofResult } = cleanSpend(tokensOf(fieldsAt(fields, 'usage')));
  const [sinceLast, ofProcess] = [
    fieldsAt(fields, 'model_usage_since_last_result'),
    fieldsAt(fields, 'modelUsage'),
  ].map((models) => models && largerSpend(sumOfModels(models), ofResult));
  if (sinceLast !== undefined)
    return { kind: 'usage', scope: 'turn', session: textAt(fields, 'session_id'), spend: sinceLast };
  if (ofProcess !== undefined) return { kind: 'usage', scope: 'session-total', spend: ofProcess };
  const { spend } = cleanSpend({ ...ofResult, costUsd: numberAt(fields, 'total_cost_usd') });
  return { kind: 'usage', scope: 'turn', session: textAt(fields, 'session_id'), spend };
}

/**
 * One sum for all models. They stand here under the names that were asked for, a request under the name that the
 * provider gave it (`claude-sonnet-4-5` and `claude-sonnet-4-5-20250929`): by name, the same tokens would count twice.
 * No model at all is a request that was refused: it cost nothing, which is not the same as not to know.
 */
function sumOfModels(models: Fields): Spend {
  return Object.keys(models)
    .map((model) => modelSpend(fieldsAt(models, model)))
    .reduce(addSpend, NOTHING_SPENT);
}

function modelSpend(usage: Fields | undefined): Spend {
  const cacheReadTokens = numberAt(usage, 'cacheReadInputTokens');
  const cacheWriteTokens = numberAt(usage, 'cacheCreationInputTokens');
  return cleanSpend({
    inputTokens: sum(numberAt(usage, 'inputTokens'), cacheReadTokens, cacheWriteTokens),
    outputTokens: numberAt(usage, 'outputTokens'),
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: numberAt(usage, 'cacheCreationEphemeral1hInputTokens'),
    reasoningTokens: numberAt(usage, 'thinkingTokens'),
    costUsd: textAt(usage, 'costBasis') === 'unknown' ? undefined : numberAt(usage, 'costUSD'),
  }).spend;
}

/** The window of the largest model; how much of it is used, its requests tell. */
function contextWindow(fields: Fields | undefined): readonly AgentEvent[] {
  const models = fieldsAt(fields, 'modelUsage');
  const windows = Object.keys(models ?? {}).map((model) => numberAt(fieldsAt(models, model), 'contextWindow') ?? 0);
  const windowTokens = windows.reduce((largest, window) => Math.max(largest, window), 0);
  return windowTokens === 0 ? [] : [{ kind: 'context', windowTokens }];
}

function requestUsage(id: string, model: string | undefined, usage: Fields): AgentEvent {
  return { kind: 'usage', scope: 'request', id, model, spend: cleanSpend(tokensOf(usage)).spend };
}

/** Anthropic's `input_tokens` leave the cache out; ours are all input. */
function tokensOf(usage: Fields | undefined): Spend {
  const cacheReadTokens = numberAt(usage, 'cache_read_input_tokens');
  const cacheWriteTokens = numberAt(usage, 'cache_creation_input_tokens');
  return {
    inputTokens: sum(numberAt(usage, 'input_tokens'), cacheReadTokens, cacheWriteTokens),
    outputTokens: numberAt(usage, 'output_tokens'),
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: numberAt(fieldsAt(usage, 'cache_creation'), 'ephemeral_1h_input_tokens'),
    reasoningTokens: numberAt(fieldsAt(usage, 'output_tokens_details'), 'thinking_tokens'),
  };
}

/** Without the first nothing is known; a part of the cache that is not told is none. */
function sum(first: number | undefined, ...parts: readonly (number | undefined)[]): number | undefined {
  return first === undefined ? undefined : parts.reduce<number>((total, part) => total + (part ?? 0), first);
}

const BY_NAME: ReadonlyMap<string | undefined, AgentErrorKind> = new Map([
  ['authentication_failed', 'auth'],
  ['billing_error', 'billing'],
  ['overloaded', 'overload'],
  ['rate_limit', 'rate'],
  ['server_error', 'overload'],
]);

function errorKind(name: string | undefined, status: number | undefined, message = ''): AgentErrorKind {
  const kind = BY_NAME.get(name) ?? failureKind(message, status);
  return kind === 'usage-limit' ? 'rate' : kind;
}

function shorten(text: string): string {
  return text.length > INPUT_CHARACTERS ? `${headOf(text, INPUT_CHARACTERS)}…` : text;
}
