import type { AgentEvent } from '../../model/agent-event.js';
import type { AgentErrorKind } from '../../model/run-event.js';
import { addSpend, cleanSpend, largerSpend, NOTHING_SPENT, type Spend } from '../../model/usage.js';
import {
  sessionEvent,
  textEvent,
  toolResultBlock,
  type Fields,
  fieldsAt,
  jsonObject,
  listAt,
  numberAt,
  textAt,
  toolInput,
} from '../agent-events.js';
import { errorEvent, failureKind } from '../provider-failure.js';
import { momentOf } from '../reset-time.js';

/**
 * Reads one line of Claude Code's stream-json. Nothing is kept between lines: usage has the id of its request, and the
 * reducer counts. Unknown types and fields are ignored.
 */
export function parseClaude(line: string): readonly AgentEvent[] {
  return readClaude(jsonObject(line));
}

/** The same for a line that is parsed already. */
export function readClaude(fields: Fields | undefined): readonly AgentEvent[] {
  switch (textAt(fields, 'type')) {
    case 'system':
      return fromSystem(fields);
    case 'stream_event':
      return fromStream(fields);
    case 'assistant':
      return fromAssistant(fields);
    case 'user':
      return listAt(fieldsAt(fields, 'message'), 'content').flatMap(toolResultBlock);
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
    case 'init':
      return sessionEvent(textAt(fields, 'session_id'));
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

/** Only these lines have the true output tokens of a request: at its start and at its end. */
function fromStream(fields: Fields | undefined): readonly AgentEvent[] {
  const event = fieldsAt(fields, 'event');
  const message = fieldsAt(event, 'message');
  const usage = fieldsAt(event, 'usage') ?? fieldsAt(message, 'usage');
  const id = textAt(message, 'id') ?? textAt(fields, 'api_message_id');
  return usage === undefined || id === undefined ? [] : [requestUsage(id, textAt(message, 'model'), usage)];
}

/** A line per block. Every block of a message repeats its usage with its id. */
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

/** A subagent reports to the agent, not to Pawl: its promises do not count. */
function isSubagent(fields: Fields | undefined): boolean {
  return textAt(fields, 'parent_tool_use_id') !== undefined;
}

function fromBlock(block: Fields): readonly AgentEvent[] {
  switch (textAt(block, 'type')) {
    case 'text':
      return textEvent(textAt(block, 'text'));
    case 'tool_use': {
      const input = toolInput(fieldsAt(block, 'input') ?? {});
      return [{ kind: 'tool-call', id: textAt(block, 'id'), name: textAt(block, 'name') ?? 'a tool', input }];
    }
    default:
      return [];
  }
}

/** A message of Claude Code instead of the model: an error, in words for people. */
function fromSynthetic(fields: Fields | undefined, blocks: readonly Fields[]): readonly AgentEvent[] {
  const name = textAt(fields, 'error');
  const message = blocks.map((block) => textAt(block, 'text') ?? '').join('\n');
  if (name === undefined && numberAt(fields, 'api_error_status') === undefined) return [];
  if (isUsageLimit(fields, message)) return [{ kind: 'limit', limit: 'usage-limit', message }];
  const error = isTooLong(message) ? 'context' : errorKind(name, numberAt(fields, 'api_error_status'), message);
  return [errorEvent(error, message)];
}

/** No field distinguishes it from other bad requests. The message is Claude Code's, not the model's. */
function isTooLong(message: string): boolean {
  return /^(?:api error: )?(?:\d+ )?prompt is too long/i.test(message);
}

function isUsageLimit(fields: Fields | undefined, message: string): boolean {
  if (textAt(fields, 'api_error') === 'usage_limit_reached') return true;
  return textAt(fields, 'error') === 'rate_limit' && /usage limit|hit your (?:\w+ )?limit/i.test(message);
}

/** The window of a subscription. It is reported even if nothing is refused. */
function fromRateLimit(info: Fields | undefined): readonly AgentEvent[] {
  if (textAt(info, 'status') !== 'rejected') return [];
  const resets = numberAt(info, 'resetsAt');
  const message = `the ${(textAt(info, 'rateLimitType') ?? 'usage').replaceAll('_', ' ')} limit is reached`;
  return [
    { kind: 'limit', limit: 'usage-limit', message, ...(resets === undefined ? {} : { resetsAt: momentOf(resets) }) },
  ];
}

/** A process may report several. */
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
 * The usage of a result. The newest versions report what was used since the previous result. Older ones report the sum of
 * the process so far, also in a resumed session; their figures of the result alone miss some requests.
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
 * One sum for all models. A model has the requested name here, but the provider's name in a request (`claude-sonnet-4-5`
 * and `claude-sonnet-4-5-20250929`): by name, the same tokens would count twice. No model means that the request was
 * refused: it cost nothing, which is known.
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

/** The window of the largest model. The requests show how much of it is used. */
function contextWindow(fields: Fields | undefined): readonly AgentEvent[] {
  const models = fieldsAt(fields, 'modelUsage');
  const windows = Object.keys(models ?? {}).map((model) => numberAt(fieldsAt(models, model), 'contextWindow') ?? 0);
  const windowTokens = windows.reduce((largest, window) => Math.max(largest, window), 0);
  return windowTokens === 0 ? [] : [{ kind: 'context', windowTokens }];
}

function requestUsage(id: string, model: string | undefined, usage: Fields): AgentEvent {
  return { kind: 'usage', scope: 'request', id, model, spend: cleanSpend(tokensOf(usage)).spend };
}

/** Anthropic's `input_tokens` are without the cache; ours are all input. */
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

/** Unknown without the first. A part that is not reported counts as 0. */
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
