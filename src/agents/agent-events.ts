import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { type Fields, listAt, textAt } from './json-fields.js';
import { toolOutput } from './tool-text.js';

/** Events that several agents report in the same way. */

export function sessionEvent(id: string | undefined): readonly AgentEvent[] {
  return id === undefined || id === '' ? [] : [{ kind: 'session', id }];
}

export function textEvent(text: string | undefined): readonly AgentEvent[] {
  return text === undefined || text === '' ? [] : [{ kind: 'text', text }];
}

/** A result of a tool that the agent was not allowed to use. */
export function deniedEvents(
  result: AgentEventOf<'tool-result'>,
  tool: string,
  detail: string | undefined,
): readonly AgentEvent[] {
  return [
    { kind: 'permission-denied', tool, id: result.id, detail },
    { ...result, denied: true },
  ];
}

/** Many CLIs report only on standard error that the session to resume does not exist. */
export function missingSession(pattern: RegExp): (line: string) => readonly AgentEvent[] {
  return (line) => (pattern.test(line) ? [{ kind: 'result', outcome: 'no-such-session', text: line }] : []);
}

/** A result of a tool, as Anthropic's messages have it. */
export function toolResultBlock(block: Fields): readonly AgentEvent[] {
  if (textAt(block, 'type') !== 'tool_result') return [];
  const output = textAt(block, 'content') ?? textsIn(block);
  const failed = block['is_error'] === true;
  return [{ kind: 'tool-result', id: textAt(block, 'tool_use_id'), failed, output: toolOutput(output) }];
}

/** The texts of a message or a result, in lines. */
function textsIn(fields: Fields): string {
  return listAt(fields, 'content')
    .map((part) => textAt(part, 'text') ?? '')
    .join('\n');
}
