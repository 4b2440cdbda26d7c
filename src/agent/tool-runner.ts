import type { ModelMessage, Tool, ToolCallPart, ToolResultPart, ToolSet } from 'ai';
import type { AgentEvent } from '../model/agent-event.js';
import type { PartSink } from './agent-stream.js';
import { asksPerson, type Question, questionOf } from './ask-person.js';
import type { Conversation } from './conversation.js';
import type { QuestionDesk } from './question-desk.js';
import { errorOutput, isFailed, outputText, runTool } from './run-tool.js';
import type { TurnClock } from './turn-clock.js';

type ToolOutput = ToolResultPart['output'];

export interface ToolRunnerOptions {
  readonly tools: ToolSet;
  readonly desk: QuestionDesk;
  readonly clock: TurnClock;
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
  readonly tell: (event: AgentEvent) => void;
  readonly record: (message: ModelMessage) => void;
  readonly onPart?: PartSink | undefined;
}

/** Runs the tools of one answer side by side. Each result is on record as soon as it is there. */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  #isClosed = false;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  async run(calls: readonly ToolCallPart[]): Promise<void> {
    // Without the answer that the calls are in, as the AI SDK hands it to tools.
    const messages = messagesBefore(this.#options.conversation);
    await Promise.all(calls.map((call) => this.#runOne(call, messages)));
  }

  /** What comes too late is not recorded: the call is made again when the run continues. */
  close(): void {
    this.#isClosed = true;
  }

  /** In place of the result of a call that no one waits for. */
  giveUp(call: ToolCallPart, why: string): void {
    this.#recordResult(call, errorOutput(why));
  }

  async #runOne(call: ToolCallPart, messages: readonly ModelMessage[]): Promise<void> {
    const { tell, onPart } = this.#options;
    const { toolCallId, toolName, input } = call;
    tell({ kind: 'tool-call', id: toolCallId, name: toolName, input: inputText(input) });
    onPart?.({ type: 'tool-call', toolCallId, toolName, input });
    const output = await this.#outputOf(call, messages);
    if (output === undefined || this.#isClosed) return;
    this.#recordResult(call, output);
  }

  #recordResult({ toolCallId, toolName }: ToolCallPart, output: ToolOutput): void {
    const { tell, record, onPart } = this.#options;
    record({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    const failed = isFailed(output);
    const text = outputText(output);
    const denied = output.type === 'execution-denied';
    if (denied) tell({ kind: 'permission-denied', tool: toolName, id: toolCallId, detail: text });
    tell({ kind: 'tool-result', id: toolCallId, failed, output: text, ...(denied ? { denied } : {}) });
    onPart?.({ type: 'tool-result', toolCallId, toolName, output: text, failed });
  }

  /** Undefined when a person was asked and the run could not wait for the answer. */
  async #outputOf(call: ToolCallPart, messages: readonly ModelMessage[]): Promise<ToolOutput | undefined> {
    const { tools, conversation, signal } = this.#options;
    const why = conversation.whyInvalid(call.toolCallId);
    if (why !== undefined) return errorOutput(why);
    const tool = (Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined) as Tool | undefined;
    if (asksPerson(tool)) {
      const answer = await this.#ask(questionOf(call.input));
      return answer === undefined ? undefined : { type: 'text', value: answer };
    }
    if (tool !== undefined && (await needsApproval(tool, call, messages))) {
      const question = `May the tool ${call.toolName} run with ${inputText(call.input)}? (yes or no)`;
      const answer = await this.#ask({ question });
      if (answer === undefined) return undefined;
      if (!isYes(answer)) return { type: 'execution-denied', reason: answer };
    }
    // A tool that was cut off by the run has not answered: it is called again.
    const output = await runTool(tool, call, { messages, signal });
    return signal.aborted && isFailed(output) ? undefined : output;
  }

  #ask({ question: text, choices }: Question): Promise<string | undefined> {
    const { desk, clock, tell, onPart, signal } = this.#options;
    return desk.ask(
      signal,
      () => {
        clock.pause();
        const asked = { text, ...(choices === undefined ? {} : { choices }) };
        onPart?.({ type: 'question', ...asked });
        tell({ kind: 'question', ...asked });
      },
      (isAnswered) => {
        if (!this.#isClosed) tell({ kind: 'answered', reason: isAnswered ? 'answered' : 'interrupted' });
        if (!signal.aborted) clock.start();
      },
    );
  }
}

/** One that cannot say so needs it. */
async function needsApproval(tool: Tool, call: ToolCallPart, messages: readonly ModelMessage[]): Promise<boolean> {
  const { needsApproval: needs } = tool;
  if (typeof needs !== 'function') return needs === true;
  try {
    const options = { toolCallId: call.toolCallId, messages: [...messages], context: undefined };
    return await needs(call.input, options);
  } catch {
    return true;
  }
}

/** Only a whole answer: "ok no" and "allow nothing" are none. */
function isYes(answer: string): boolean {
  return /^(?:y|yes|ok|okay|approve|approved|allow)[.!]*$/i.test(answer.trim());
}

function inputText(input: unknown): string {
  try {
    return JSON.stringify(input) ?? '';
  } catch {
    return 'an input that cannot be shown';
  }
}

function messagesBefore({ messages }: Conversation): readonly ModelMessage[] {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(0, Math.max(0, answer));
}
