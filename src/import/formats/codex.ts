import {
  type Fields,
  fieldsAt,
  jsonObject,
  jsonText,
  listAt,
  textAt,
  toolInput,
  toolOutput,
} from '../../agents/agent-events.js';
import { rolloutReader } from '../../agents/codex/rollout.js';
import { failureEvent } from '../../agents/provider-failure.js';
import type { AgentEvent } from '../../model/agent-event.js';
import { eventParts, type RecordingReader, type SessionPart } from '../session-part.js';

const TYPES: ReadonlySet<string | undefined> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'token_usage_record',
  'compacted',
]);

/** Whether an object is a line of a rollout, the record that Codex keeps of a thread. */
export function isCodexLine(fields: Fields): boolean {
  return TYPES.has(textAt(fields, 'type')) && fieldsAt(fields, 'payload') !== undefined;
}

/** What the model wrote in a call; the others are answers to it. */
const OF_MODEL: ReadonlySet<string | undefined> = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'web_search_call',
]);

/** A call ends with its usage. In a record without usage it ends where the answers of its tools do. */
export function codexReader(): RecordingReader {
  let usage: ((line: string) => readonly AgentEvent[]) | undefined;
  let hasUsage = false;
  let isOver = true;
  return {
    read(line) {
      const fields = jsonObject(line);
      const [payload, at] = [fieldsAt(fields, 'payload'), textAt(fields, 'timestamp')];
      const type = textAt(fields, 'type');
      const about = aboutOf(type, payload);
      usage ??= rolloutReader(textAt(payload, 'id') ?? '', '1970-01-01T00:00:00.000Z');
      const spent = usage(line).flatMap((event) => usageParts(event, at));
      if (spent.length > 0) [hasUsage, isOver] = [true, true];
      if (type === 'event_msg') return [...about, ...messageParts(payload, at), ...spent];
      if (type !== 'response_item') return [...about, ...spent];
      const item = textAt(payload, 'type');
      const isOfModel = OF_MODEL.has(item) || (item === 'message' && textAt(payload, 'role') === 'assistant');
      const begins: readonly SessionPart[] = isOfModel && isOver ? [{ kind: 'call', at }] : [];
      if (isOfModel) isOver = false;
      else if (!hasUsage && item?.endsWith('_output') === true) isOver = true;
      return [...begins, ...askedParts(item, payload, at), ...eventParts(itemEvents(item, payload), at), ...spent];
    },
  };
}

function aboutOf(type: string | undefined, payload: Fields | undefined): readonly SessionPart[] {
  if (type === 'turn_context') return [{ kind: 'about', about: { model: textAt(payload, 'model') } }];
  if (type !== 'session_meta') return [];
  const [session, version, folder] = ['id', 'cli_version', 'cwd'].map((key) => textAt(payload, key));
  return [{ kind: 'about', about: { session, version, folder } }];
}

/** The running total covers all calls. */
function usageParts(event: AgentEvent, at: string | undefined): readonly SessionPart[] {
  if (event.kind !== 'usage' || event.scope === 'request') return eventParts([event], at);
  return [{ kind: 'total', spend: event.spend }];
}

function messageParts(payload: Fields | undefined, at: string | undefined): readonly SessionPart[] {
  switch (textAt(payload, 'type')) {
    case 'user_message':
      return [
        { kind: 'about', about: { prompt: textAt(payload, 'message') } },
        { kind: 'prompt', at },
      ];
    case 'error':
      return eventParts([failureEvent(textAt(payload, 'message') ?? 'Codex reports an error', {})], at);
    case 'task_complete':
      return eventParts([{ kind: 'result', outcome: 'success', text: textAt(payload, 'last_agent_message') }], at);
    case 'turn_aborted':
      return eventParts([{ kind: 'result', outcome: 'interrupted' }], at);
    default:
      return [];
  }
}

/** Codex writes of the folder and its rules under the name of the user, too. */
const OF_CODEX = /^\s*(?:<[a-z_ ]+>|# AGENTS\.md )/;

/** Newer versions record what a person wrote as a message alone. */
function askedParts(
  item: string | undefined,
  payload: Fields | undefined,
  at: string | undefined,
): readonly SessionPart[] {
  if (item !== 'message' || textAt(payload, 'role') !== 'user') return [];
  const prompt = textOf(payload);
  if (prompt === '' || OF_CODEX.test(prompt)) return [];
  return [
    { kind: 'about', about: { prompt } },
    { kind: 'prompt', at },
  ];
}

function textOf(message: Fields | undefined): string {
  return listAt(message, 'content')
    .map((part) => textAt(part, 'text') ?? '')
    .join('\n');
}

function itemEvents(type: string | undefined, item: Fields | undefined): readonly AgentEvent[] {
  const id = textAt(item, 'call_id');
  switch (type) {
    case 'message': {
      if (textAt(item, 'role') !== 'assistant') return [];
      const text = textOf(item);
      return text === '' ? [] : [{ kind: 'text', text }];
    }
    case 'function_call':
    case 'custom_tool_call': {
      const input = textAt(item, 'arguments') ?? textAt(item, 'input');
      return [{ kind: 'tool-call', id, name: textAt(item, 'name') ?? 'a tool', input: toolInput(input) }];
    }
    case 'local_shell_call':
      return [{ kind: 'tool-call', id, name: 'shell', input: toolInput(fieldsAt(item, 'action')) }];
    case 'web_search_call':
      return [
        { kind: 'tool-call', id, name: 'web_search', input: toolInput(textAt(fieldsAt(item, 'action'), 'query')) },
      ];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ kind: 'tool-result', id, ...answerOf(item) }];
    default:
      return [];
  }
}

/** The output is a text, parts of one, or (in a text, too) an object with the exit code. */
function answerOf(item: Fields | undefined): { readonly failed: boolean; readonly output: string | undefined } {
  const text = textAt(item, 'output');
  const fields = text === undefined ? fieldsAt(item, 'output') : jsonObject(text);
  const exitCode =
    fieldsAt(fields, 'metadata')?.['exit_code'] ??
    /^(?:Process exited with code|Exit code:) (\d+)$/m.exec(text ?? '')?.[1];
  const parts = listAt(item, 'output')
    .map((part) => textAt(part, 'text') ?? '')
    .join('\n');
  const output = textAt(fields, 'output') ?? textAt(fields, 'content') ?? text ?? (parts === '' ? undefined : parts);
  const failed = (exitCode !== undefined && Number(exitCode) !== 0) || fields?.['success'] === false;
  return { failed, output: toolOutput(output ?? (fields === undefined ? undefined : jsonText(fields))) };
}
