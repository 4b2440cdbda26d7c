import { type JournalListener, createPublisher } from '../journal/journal.js';
import type { StopCondition } from '../model/condition.js';
import { AlreadyRunning, ConfigError, InvalidState, type Issue } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunSource } from '../run/live-handle.js';
import { RunHandle } from '../run/run-handle.js';
import { specRedactor } from '../run/spec-redactor.js';
import { type AgentPlan, planAgent } from './agent-config.js';
import type { DeepFactorAgentOptions } from './agent-options.js';
import { type AgentResult, agentResult } from './agent-result.js';
import { AgentSources, makeRecordFolder } from './agent-sources.js';
import { type AgentStream, PartQueue, type PartSink, textOnly } from './agent-stream.js';
import { changedOptions } from './changed-options.js';
import { checkOptions } from './check-options.js';
import { InProcessAgent } from './in-process-agent.js';
import { checkTools } from './model-tools.js';
import type { RecordPlace } from './recorded-conversations.js';
import { ownGoal } from './verify.js';

export interface LoopOptions {
  readonly prompt: string;
  /** Stops the run at once. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResumeLoopOptions {
  readonly signal?: AbortSignal | undefined;
  /** Limits in place of those of the same type. */
  readonly raise?: readonly StopCondition[] | undefined;
}

const DEFAULT_REDLINE_PERCENT = 85;
const DEFAULT_STEPS_PER_TURN = 20;

/** An agent of this process. One run at a time; for another next to it, make another agent. */
export class DeepFactorAgent {
  readonly #options: DeepFactorAgentOptions;
  readonly #sources: AgentSources;
  readonly #publisher = createPublisher(() => undefined);
  readonly #modelId: string;
  #run: AgentRun | undefined;
  #working: InProcessAgent | undefined;
  #isRunning = false;

  constructor(options: DeepFactorAgentOptions) {
    checkOptions(options);
    const { model, tools = {} } = options;
    this.#options = options;
    this.#modelId = typeof model === 'string' ? model : model.modelId;
    this.#sources = new AgentSources(options);
    checkTools(tools);
    makeRecordFolder(options);
    // What is wrong with the options is told now, and not when a run begins.
    this.#plan('-');
  }

  /** The id of the run under way, or of the last one. */
  get runId(): string | undefined {
    return this.#run?.id;
  }

  /** Runs until the goal is met or something stops it. Resolves however it ends; rejects only when it cannot begin. */
  loop({ prompt, signal }: LoopOptions): Promise<AgentResult> {
    return this.#begin(async () => this.#start(prompt, signal));
  }

  /** The same, told as it happens. */
  stream({ prompt, signal }: LoopOptions): AgentStream {
    const queue = new PartQueue();
    const result = this.#begin(async () => this.#start(prompt, signal, queue.push));
    // Anyone who reads the parts is told as well, and need not look at the result.
    result.then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    );
    return { result, textStream: textOnly(queue), [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() };
  }

  /**
   * Continues a run after a crash or a stop: in the same conversation, without another call for what is on record. A tool
   * that was running is called again, with the same id. The options of this agent hold from now on: what differs from
   * those that the run was started with is recorded, and reported to `onWarning`.
   */
  resume(runId: string, { signal, raise }: ResumeLoopOptions = {}): Promise<AgentResult> {
    return this.#begin(async () => {
      const { recorded, source } = await this.#sources.recorded(runId);
      const { prompt, promptPath, workingDir, worktree } = recorded.spec;
      const { spec: planned, functions } = this.#plan(prompt ?? '-');
      const spec = { ...planned, prompt, promptPath, workingDir, worktree };
      const { environment = process.env, onWarning } = this.#options;
      const changed = changedOptions(recorded, spec, specRedactor(spec, environment).text);
      for (const change of changed?.changes ?? []) onWarning?.(`changed since the run was started: ${change}`);
      const agent = this.#agent(spec, true);
      return this.#drive(source(spec, { agent, functions, changed }), agent, { signal, raise });
    });
  }

  /** Tells every event of this agent's runs once it is recorded. Returns a function that ends it. */
  subscribe(listener: JournalListener): () => void {
    return this.#publisher.subscribe(listener);
  }

  /** Resolves when the command is recorded and under way; rejects with InvalidState when the state does not allow it. */
  async send(command: LoopCommand, by = 'code'): Promise<void> {
    if (this.#run === undefined) throw new InvalidState('idle', command.type);
    await this.#run.send(command, by);
  }

  /** Answers what the agent has asked. Rejects with InvalidState when it has asked nothing, and refuses an empty answer. */
  async answer(text: string): Promise<void> {
    if (typeof text !== 'string' || text.trim() === '') {
      throw new ConfigError([{ path: 'answer', message: 'must be a text that is not empty' }]);
    }
    if (this.#working?.desk.isAsking !== true) {
      throw new InvalidState(this.#run?.state() ?? 'idle', 'answer', 'cannot answer: nothing was asked');
    }
    await this.send({ type: 'steer', text });
  }

  async #begin(run: () => Promise<AgentResult>): Promise<AgentResult> {
    if (this.#isRunning) throw new AlreadyRunning(this.runId ?? '');
    this.#isRunning = true;
    try {
      return await run();
    } catch (error) {
      throw inWords(this.#options, error);
    } finally {
      this.#isRunning = false;
    }
  }

  #start(prompt: string, signal: AbortSignal | undefined, onPart?: PartSink): Promise<AgentResult> {
    if (typeof prompt !== 'string' || prompt.trim() === '') {
      throw new ConfigError([{ path: 'prompt', message: 'must be a text that is not empty' }]);
    }
    const { spec, functions } = this.#plan(prompt);
    const agent = this.#agent(spec, false, onPart);
    return this.#drive(this.#sources.fresh(spec, { agent, functions }), agent, { signal, onPart });
  }

  async #drive(
    source: RunSource,
    agent: InProcessAgent,
    { signal, raise, onPart }: ResumeLoopOptions & { readonly onPart?: PartSink | undefined },
  ): Promise<AgentResult> {
    const run = new AgentRun(source);
    this.#run = run;
    this.#working = agent;
    run.subscribe((event, state) => {
      hear(event, agent, onPart);
      this.#publisher.publish(event, state);
    });
    const stretch = { ...(signal === undefined ? {} : { signal }), ...(raise === undefined ? {} : { raise }) };
    const result = await run.run(stretch);
    return agentResult(result, agent.conversations.kept);
  }

  #plan(prompt: string): AgentPlan {
    const { verifyCompletion } = this.#options;
    const goal = ownGoal(verifyCompletion, () => this.#working);
    return inOptionWords(this.#options, () => planAgent(this.#options, prompt, this.#modelId, goal));
  }

  #agent(spec: RunSpec, isRecorded: boolean, onPart?: PartSink): InProcessAgent {
    const { model, tools = {}, instructions, settings, contextManagement, now = Date.now } = this.#options;
    const { maxStepsPerTurn = DEFAULT_STEPS_PER_TURN } = this.#options;
    return new InProcessAgent({
      model,
      modelId: this.#modelId,
      instructions,
      tools,
      settings,
      prompt: spec.prompt ?? '',
      maxStepsPerTurn,
      contextWindow: contextManagement?.contextWindow,
      redlinePercent: contextManagement?.redlinePercent ?? DEFAULT_REDLINE_PERCENT,
      summarize: contextManagement?.summarize,
      record: isRecorded ? () => this.#recordPlace() : undefined,
      onPart,
      now,
    });
  }

  #recordPlace(): AgentRun['record'] {
    if (this.#run === undefined) throw new InvalidState('idle', 'read');
    return this.#run.record;
  }
}

/** What the record tells is an answer to a question, and where a stream is. */
function hear(event: RunEvent, agent: InProcessAgent, onPart: PartSink | undefined): void {
  if (event.type === 'command-received' && event.command.type === 'steer' && event.refused === undefined) {
    agent.desk.answer(event.command.text);
  }
  if (event.type === 'iteration-started') onPart?.({ type: 'iteration-started', iteration: event.iteration });
  if (event.type === 'iteration-ended') {
    onPart?.({ type: 'iteration-ended', iteration: event.iteration, outcome: event.outcome });
  }
}

/** Runs something and names what is wrong by the options of an agent, not by the config that is made of them. */
function inOptionWords<T>(options: DeepFactorAgentOptions, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw inWords(options, error);
  }
}

/** The error, with the paths of a ConfigError as anyone who wrote the options knows them. */
function inWords(options: DeepFactorAgentOptions, error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  return new ConfigError(error.issues.map((issue) => ({ ...issue, path: pathOf(options, issue) })));
}

function pathOf({ stopWhen }: DeepFactorAgentOptions, { path }: Issue): string {
  const isList = Array.isArray(stopWhen);
  return path
    .replace(/^stop\.conditions\[(\d+)\]/, (_, index: string) => (isList ? `stopWhen[${index}]` : 'stopWhen'))
    .replace(/^stop\.success\[\d+\]\.confirm$/, 'confirm')
    .replace(/^contextRedlinePercent$/, 'contextManagement.redlinePercent');
}

/** A run whose record its own agent reads. */
class AgentRun extends RunHandle {
  readonly #folder: string | undefined;

  constructor(source: RunSource) {
    super(source);
    this.#folder = source.folder;
  }

  get record(): RecordPlace {
    return { read: (): AsyncIterable<RunEvent> => this.readRecord(), folder: this.#folder };
  }
}

/**
 * An agent in this process, on any model of the AI SDK: it works turn by turn until the goal is verified or something stops
 * it, and everything that it says, calls and spends is on record. Throws ConfigError.
 *
 * @example
 * ```ts
 * import { maxCost, maxIterations } from 'pawl';
 * import { createDeepFactorAgent } from 'pawl/agent';
 *
 * const agent = createDeepFactorAgent({
 *   model,
 *   tools,
 *   stopWhen: [maxIterations(10), maxCost(1)],
 *   verifyCompletion: ({ text }) => text.includes('DONE') || { complete: false, reason: 'Say DONE when all is done.' },
 * });
 * const { status, stopReason, costUsd } = await agent.loop({ prompt: 'Sort the tickets.' });
 * ```
 */
export function createDeepFactorAgent(options: DeepFactorAgentOptions): DeepFactorAgent {
  return new DeepFactorAgent(options);
}
