import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { headOf, tailOf } from '../model/figures.js';

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

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object on a line of output. Undefined for anything else: agents also print other text. */
export function jsonObject(line: string): Fields | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields that may be missing or of another type: agents change between versions. */
export function fieldsAt(fields: Fields | undefined, key: string): Fields | undefined {
  const value = own(fields, key);
  return isFields(value) ? value : undefined;
}

export function listAt(fields: Fields | undefined, key: string): readonly Fields[] {
  const value = own(fields, key);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textAt(fields: Fields | undefined, key: string): string | undefined {
  const value = own(fields, key);
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(fields: Fields | undefined, key: string): number | undefined {
  const value = own(fields, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A value as JSON. A value that could be read may be nested too deeply to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
}

function own(fields: Fields | undefined, key: string): unknown {
  return fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** What a tool gets is only shown. */
export const INPUT_CHARACTERS = 2000;
/** Tests are read from the output of tools. The record keeps less of it. */
const OUTPUT_CHARACTERS = 200_000;

export function toolInput(input: unknown): string | undefined {
  if (input === undefined || input === null) return undefined;
  const text = typeof input === 'string' ? input : jsonText(input);
  return text.length > INPUT_CHARACTERS ? `${headOf(text, INPUT_CHARACTERS)}…` : text;
}

export function toolOutput(output: string | undefined): string | undefined {
  return output === undefined ? undefined : keepEnds(output, OUTPUT_CHARACTERS);
}

/** The beginning and the end of a long text: errors and totals are at the ends. */
export function keepEnds(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  const half = Math.floor(mostCharacters / 2);
  const head = wholeCharacters(headOf(text, half));
  const tail = wholeCharacters(tailOf(text, half));
  const omitted = text.length - head.length - tail.length;
  return `${head}\n[... ${omitted} characters left out ...]\n${tail}`;
}

/** A cut may split a pair of surrogates. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
