import { type Fields, fieldsAt, jsonObject, listAt, textAt } from '../../agents/agent-events.js';
import { readClaude } from '../../agents/claude/parse.js';
import type { AgentEvent } from '../../model/agent-event.js';
import { isNothing } from '../../model/usage.js';
import { eventParts, type RecordingReader, type SessionPart } from '../session-part.js';

const TYPES: ReadonlySet<string | undefined> = new Set(['system', 'assistant', 'user', 'result', 'stream_event']);

/** Whether an object is a line of Claude Code's stream-json, or of the transcripts that it keeps. */
export function isClaudeLine(fields: Fields): boolean {
  const type = textAt(fields, 'type');
  if (type === 'summary' || type === 'file-history-snapshot' || type === 'queue-operation') return true;
  return TYPES.has(type) && (textAt(fields, 'session_id') ?? textAt(fields, 'sessionId')) !== undefined;
}

/** Both have the same messages. A transcript has their times, and no result. */
export const CLAUDE_READER: RecordingReader = {
  read(line) {
    const fields = jsonObject(line);
    const at = textAt(fields, 'timestamp');
    const [about, call] = [aboutOf(fields), callOf(fields, at)];
    const events = readClaude(fields).flatMap((event) => partsOf(event, fields, at));
    return [...about, ...promptOf(fields), ...call, ...events];
  },
};

function aboutOf(fields: Fields | undefined): readonly SessionPart[] {
  const session = textAt(fields, 'session_id') ?? textAt(fields, 'sessionId');
  if (session === undefined || textAt(fields, 'type') === 'stream_event') return [];
  const version = textAt(fields, 'claude_code_version') ?? textAt(fields, 'version');
  const model = textAt(fields, 'model') ?? textAt(fieldsAt(fields, 'message'), 'model');
  const folder = textAt(fields, 'cwd');
  return [{ kind: 'about', about: { session, version, folder, model: model === '<synthetic>' ? undefined : model } }];
}

/** What a person wrote. What Claude Code adds itself, and what a subagent is asked, is not. */
function promptOf(fields: Fields | undefined): readonly SessionPart[] {
  if (textAt(fields, 'type') !== 'user' || fields?.['isMeta'] === true || isSubagent(fields)) return [];
  const message = fieldsAt(fields, 'message');
  const blocks = listAt(message, 'content');
  if (blocks.some((block) => textAt(block, 'type') === 'tool_result')) return [];
  const prompt = textAt(message, 'content') ?? blocks.map((block) => textAt(block, 'text') ?? '').join('\n');
  if (prompt.trim() === '') return [];
  return [
    { kind: 'about', about: { prompt } },
    { kind: 'prompt', at: textAt(fields, 'timestamp') },
  ];
}

/** A line per block: all blocks of a call have the id of its message. */
function callOf(fields: Fields | undefined, at: string | undefined): readonly SessionPart[] {
  const message = fieldsAt(fields, 'message');
  if (textAt(fields, 'type') !== 'assistant' || textAt(message, 'model') === '<synthetic>') return [];
  return [{ kind: 'call', id: textAt(message, 'id'), at }];
}

function partsOf(event: AgentEvent, fields: Fields | undefined, at: string | undefined): readonly SessionPart[] {
  if (event.kind === 'text' && isSubagent(fields)) return [];
  if (event.kind !== 'usage') return eventParts([event], at);
  // Some proxies report nothing as zero: no call uses none.
  if (isNothing({ ...event.spend, costUsd: event.spend.costUsd ?? 0 })) return [];
  switch (event.scope) {
    case 'request':
      return [{ kind: 'call', id: event.id, at }, ...eventParts([event], at)];
    case 'turn':
      return [{ kind: 'turn', spend: event.spend }];
    case 'session-total':
      return [{ kind: 'total', spend: event.spend }];
    default:
      return event.scope satisfies never;
  }
}

function isSubagent(fields: Fields | undefined): boolean {
  return fields?.['isSidechain'] === true || textAt(fields, 'parent_tool_use_id') !== undefined;
}
