import type { LanguageModel, ModelMessage, SystemModelMessage, ToolSet } from 'ai';
import type { PartSink } from './agent-stream.js';
import type { ModelSettings } from './call-model.js';
import type { RecordPlace } from './recorded-conversations.js';

/** What an agent in this process is made of. */
export interface InProcessOptions {
  readonly model: LanguageModel;
  /** As it was given, for usage that names no model. */
  readonly modelId: string;
  readonly instructions?: string | SystemModelMessage | undefined;
  readonly tools: ToolSet;
  readonly settings?: ModelSettings | undefined;
  readonly prompt: string;
  readonly maxStepsPerTurn: number;
  readonly contextWindow?: number | undefined;
  readonly redlinePercent: number;
  readonly summarize?: ((messages: readonly ModelMessage[]) => string | Promise<string>) | undefined;
  /** What an earlier process has recorded, for a run that continues. */
  readonly record?: (() => RecordPlace) | undefined;
  readonly onPart?: PartSink | undefined;
  readonly now: () => number;
}
