import { type Fields, fieldsAt, listAt, numberAt, textAt, toolInput, toolOutput } from '../../agents/agent-events.js';
import type { AgentEvent } from '../../model/agent-event.js';
import { cleanSpend, isUnknown } from '../../model/usage.js';
import { eventParts, type SessionPart } from '../session-part.js';

/** mini-swe-agent: `info` and `messages`. */
export function isMiniSweAgent(document: Fields): boolean {
  return Array.isArray(document['messages']) && fieldsAt(document, 'info') !== undefined;
}

/** SWE-agent: `info` and `trajectory`. */
export function isSweAgent(document: Fields): boolean {
  return Array.isArray(document['trajectory']) && fieldsAt(document, 'info') !== undefined;
}

const COMMAND = /```(?:bash|sh|mswea_bash_command)?\s*\n([\s\S]*?)\n```/;
const EXIT_CODE = /<returncode>(-?\d+)<\/returncode>/;
/** Lines of a prompt that are only a tag. */
const TAG_LINE = /^\s*<\/?[\w-]+>\s*$/gm;

export function* readMiniSweAgent(document: Fields): Generator<SessionPart> {
  const info = fieldsAt(document, 'info');
  const version = textAt(info, 'mini_version');
  yield { kind: 'about', about: { version, session: textAt(document, 'instance_id') } };
  let hasPrompt = false;
  /** The id of the command that waits for its output. */
  let open: string | undefined;
  for (const [index, message] of listAt(document, 'messages').entries()) {
    const role = textAt(message, 'role');
    const at = timeOf(message);
    const text = textOf(message);
    if (role === 'assistant') {
      const calls = callsOf(message, text, index);
      open = textAt(calls.at(-1), 'id');
      const response = fieldsAt(fieldsAt(message, 'extra'), 'response');
      const model = textAt(response, 'model');
      yield { kind: 'about', about: { model } };
      yield { kind: 'call', at };
      yield* eventParts([...textEvents(text), ...calls, ...usageEvents(message, response, model)], at);
    } else if (role === 'user' && !hasPrompt) {
      hasPrompt = true;
      yield { kind: 'about', about: { prompt: text.replace(TAG_LINE, '') } };
    } else if ((role === 'user' || role === 'tool') && hasPrompt) {
      const id = textAt(message, 'tool_call_id') ?? open;
      if (id !== undefined) yield* eventParts([answer(id, text)], at);
      open = undefined;
    }
  }
  yield* endOf(info);
}

export function* readSweAgent(document: Fields): Generator<SessionPart> {
  const info = fieldsAt(document, 'info');
  const version = textAt(info, 'swe_agent_version');
  yield { kind: 'about', about: { version, session: textAt(document, 'instance_id'), prompt: promptOf(document) } };
  for (const [index, step] of listAt(document, 'trajectory').entries()) {
    const id = `step ${index + 1}`;
    const command = textAt(step, 'action') ?? '';
    const thought = textAt(step, 'thought') ?? textAt(step, 'response') ?? '';
    const output = toolOutput(textAt(step, 'observation'));
    yield { kind: 'call' };
    yield* eventParts(textEvents(thought));
    if (command.trim() === '') continue;
    yield* eventParts([
      { kind: 'tool-call', id, name: 'bash', input: toolInput({ command: command.trim() }) },
      { kind: 'tool-result', id, failed: false, output },
    ]);
  }
  yield* endOf(info);
}

/** What the run cost in all, and that it handed its work in. */
function* endOf(info: Fields | undefined): Generator<SessionPart> {
  const status = textAt(info, 'exit_status');
  if (status !== undefined && /^submitted$/i.test(status)) yield { kind: 'handed-in', evidence: status };
  const stats = fieldsAt(info, 'model_stats');
  const { spend } = cleanSpend({
    inputTokens: numberAt(stats, 'tokens_sent'),
    outputTokens: numberAt(stats, 'tokens_received'),
    costUsd: numberAt(stats, 'instance_cost'),
  });
  if (!isUnknown(spend)) yield { kind: 'total', spend };
}

function promptOf(document: Fields): string | undefined {
  const first = listAt(document, 'history').find((message) => textAt(message, 'role') === 'user');
  return first === undefined ? undefined : textOf(first).replace(TAG_LINE, '');
}

/** When the answer of the model was made. */
function timeOf(message: Fields): string | undefined {
  const extra = fieldsAt(message, 'extra');
  const seconds = numberAt(fieldsAt(extra, 'response'), 'created') ?? numberAt(extra, 'timestamp');
  const moment = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

function textOf(message: Fields): string {
  const parts = listAt(message, 'content').map((part) => textAt(part, 'text') ?? '');
  return textAt(message, 'content') ?? parts.join('\n');
}

function textEvents(text: string): readonly AgentEvent[] {
  return text.trim() === '' ? [] : [{ kind: 'text', text }];
}

/** Newer versions call a tool; in older ones the command is in a block of code. */
function callsOf(
  message: Fields,
  text: string,
  index: number,
): readonly (AgentEvent & { readonly kind: 'tool-call' })[] {
  const calls = listAt(message, 'tool_calls').map((call) => {
    const called = fieldsAt(call, 'function');
    const input = toolInput(called?.['arguments']);
    return { kind: 'tool-call' as const, id: textAt(call, 'id'), name: textAt(called, 'name') ?? 'a tool', input };
  });
  const command = COMMAND.exec(text)?.[1];
  if (calls.length > 0 || command === undefined) return calls;
  return [{ kind: 'tool-call', id: `message ${index}`, name: 'bash', input: toolInput({ command }) }];
}

function answer(id: string, text: string): AgentEvent {
  const code = EXIT_CODE.exec(text)?.[1];
  return { kind: 'tool-result', id, failed: code !== undefined && code !== '0', output: toolOutput(text) };
}

function usageEvents(message: Fields, response: Fields | undefined, model: string | undefined): readonly AgentEvent[] {
  const usage = fieldsAt(response, 'usage');
  const { spend } = cleanSpend({
    inputTokens: numberAt(usage, 'prompt_tokens'),
    outputTokens: numberAt(usage, 'completion_tokens'),
    cacheReadTokens: numberAt(fieldsAt(usage, 'prompt_tokens_details'), 'cached_tokens'),
    reasoningTokens: numberAt(fieldsAt(usage, 'completion_tokens_details'), 'reasoning_tokens'),
    costUsd: numberAt(usage, 'cost') ?? numberAt(fieldsAt(message, 'extra'), 'cost'),
  });
  return isUnknown(spend) ? [] : [{ kind: 'usage', scope: 'request', id: textAt(response, 'id'), model, spend }];
}
