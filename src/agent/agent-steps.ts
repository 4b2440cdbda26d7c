import type { ModelCall } from '../model/run-event.js';
import type { Spend } from '../model/usage.js';
import { callsOf, type KeptMessage, resultsOf, textOf } from './conversation.js';
import { isFailed, outputText } from './run-tool.js';

/** One model call, and what the tools said that it called. */
export interface AgentStep {
  readonly session: string;
  readonly model?: string | undefined;
  readonly text: string;
  readonly finishReason: string;
  readonly usage: Spend;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[];
  readonly toolResults: readonly ToolOutcome[];
}

export interface ToolOutcome {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: string;
  readonly failed: boolean;
}

/** The steps that a record tells of, oldest first. Summaries are none. */
export function stepsOf(kept: readonly KeptMessage[]): readonly AgentStep[] {
  const steps: AgentStep[] = [];
  for (const one of kept) {
    const { message, call, purpose } = one;
    if (call !== undefined && purpose === undefined) steps.push(stepOf(one, call));
    const last = steps.at(-1);
    if (message.role !== 'tool' || last === undefined) continue;
    const toolResults = resultsOf(message).map(({ toolCallId, toolName, output }) => ({
      toolCallId,
      toolName,
      output: outputText(output),
      failed: isFailed(output),
    }));
    steps[steps.length - 1] = { ...last, toolResults: [...last.toolResults, ...toolResults] };
  }
  return steps;
}

function stepOf({ session, message }: KeptMessage, { model, spend, finishReason }: ModelCall): AgentStep {
  const toolCalls = callsOf(message).map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }));
  return { session, model, text: textOf(message), finishReason, usage: spend, toolCalls, toolResults: [] };
}
