import {
  type JSONValue,
  type ModelMessage,
  type Tool,
  type ToolCallPart,
  toolModelMessageSchema,
  type ToolResultPart,
} from 'ai';
import { messageOf } from '../model/errors.js';

type ToolOutput = ToolResultPart['output'];

export interface ToolSetting {
  readonly messages: readonly ModelMessage[];
  readonly signal: AbortSignal;
}

/** Runs one tool for one call. Never rejects: what goes wrong is a result that the model is told. */
export async function runTool(tool: Tool | undefined, call: ToolCallPart, setting: ToolSetting): Promise<ToolOutput> {
  const { toolCallId, toolName, input } = call;
  if (tool === undefined) return errorOutput(`there is no tool ${toolName}`);
  if (tool.execute === undefined) return errorOutput(`the tool ${toolName} cannot be run here`);
  try {
    // AI SDK 7 asks for a context, which no one gives here.
    const options = { toolCallId, messages: [...setting.messages], abortSignal: setting.signal, context: undefined };
    const value = await lastOf(tool.execute(input, options));
    const output = plainOutput(await modelOutput(tool, call, value));
    return isSendable(call, output)
      ? output
      : errorOutput(`what the tool ${toolName} returned cannot be sent to the model`);
  } catch (error) {
    return errorOutput(wordsOf(error));
  }
}

export function errorOutput(message: string): ToolOutput {
  return { type: 'error-text', value: message };
}

export function isFailed({ type }: ToolOutput): boolean {
  return type === 'error-text' || type === 'error-json' || type === 'execution-denied';
}

/** A result in words, for the record of what happened. */
export function outputText(output: ToolOutput): string {
  if (output.type === 'execution-denied') return output.reason ?? 'denied';
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  try {
    return JSON.stringify(output.value);
  } catch {
    return 'a result that cannot be shown';
  }
}

/** Of a tool that tells how far it is, the last value counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (!isAsyncIterable(result)) return result;
  let last: unknown;
  for await (const value of result) last = value;
  return last;
}

async function modelOutput(tool: Tool, { toolCallId, input }: ToolCallPart, output: unknown): Promise<ToolOutput> {
  if (tool.toModelOutput !== undefined) return tool.toModelOutput({ toolCallId, input, output });
  if (typeof output === 'string') return { type: 'text', value: output };
  return { type: 'json', value: (output ?? null) as JSONValue };
}

/** As a provider would be sent it: one value that is not plain JSON makes the SDK refuse the whole conversation. */
function plainOutput(output: ToolOutput): ToolOutput {
  if (output.type !== 'json' && output.type !== 'error-json') return output;
  return { ...output, value: plainJson(output.value) };
}

/** What JSON has no words for is left out or null, dates are text. Throws for what nothing can be made of. */
function plainJson(value: unknown): JSONValue {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as JSONValue);
}

function isSendable({ toolCallId, toolName }: ToolCallPart, output: ToolOutput): boolean {
  const content = [{ type: 'tool-result', toolCallId, toolName, output }];
  return toolModelMessageSchema.safeParse({ role: 'tool', content }).success;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Anything may be thrown, even what cannot be shown. */
function wordsOf(error: unknown): string {
  try {
    return messageOf(error);
  } catch {
    return 'the tool threw something that cannot be shown';
  }
}
