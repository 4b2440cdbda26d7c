import type { LanguageModel, ModelMessage, SystemModelMessage, ToolSet } from 'ai';
import type { LoopConfig, PriceConfig } from '../config/loop-config.js';
import type { Journal } from '../journal/journal.js';
import type { ConditionFunction, ConditionFunctions } from '../model/condition-function.js';
import type { StopCondition } from '../model/condition.js';
import type { ModelSettings } from './call-model.js';
import type { DirectoryFreeCondition } from './directory-conditions.js';

/** What the model has come to, for anyone who is to say whether it is done. */
export interface CompletionContext {
  /** The model's last words. */
  readonly text: string;
  readonly iteration: number;
  /** The conversation so far. */
  readonly messages: readonly ModelMessage[];
  readonly signal: AbortSignal;
}

/** `reason`: what is missing, which the model is told, or why it is complete, which the result and the record keep. */
export type CompletionAnswer = boolean | { readonly complete: boolean; readonly reason?: string | undefined };

export type VerifyCompletion = (context: CompletionContext) => CompletionAnswer | Promise<CompletionAnswer>;

export interface ContextManagement {
  /** Of the model, in tokens. */
  readonly contextWindow: number;
  /** Above it the conversation is summed up and a fresh one begins; 85 unless given. */
  readonly redlinePercent?: number | undefined;
  /** In place of a call of the same model. */
  readonly summarize?: ((messages: readonly ModelMessage[]) => string | Promise<string>) | undefined;
}

interface CommonOptions {
  /** Any model of the AI SDK. */
  readonly model: LanguageModel;
  readonly tools?: ToolSet | undefined;
  /** The system prompt. */
  readonly instructions?: string | SystemModelMessage | undefined;
  /** For every model call: temperature, providerOptions and the like. */
  readonly settings?: ModelSettings | undefined;
  /** Says whether the goal is met when the model has ended its turn. Without it, and without a goal, its word is trusted. */
  readonly verifyCompletion?: VerifyCompletion | undefined;
  /** How often `verifyCompletion` is asked before the goal counts; once unless given. */
  readonly confirm?: number | undefined;
  /** A model that gives a second opinion: the goal counts only when it agrees. */
  readonly reviewer?: LanguageModel | undefined;
  /** How the work is reviewed, as in the config of a loop: by `reviewer`, or by an agent CLI or a program that is named here. */
  readonly review?: LoopConfig['review'];
  readonly contextManagement?: ContextManagement | undefined;
  /** Functions that `stopWhen` names inside other conditions. */
  readonly functions?: ConditionFunctions | undefined;
  /** Shell commands of the user's at certain moments, as in the config of a loop. */
  readonly hooks?: LoopConfig['hooks'];
  readonly notify?: LoopConfig['notify'];
  readonly prices?: Readonly<Record<string, PriceConfig>> | undefined;
  /** Model calls in one turn; 20 unless given. After them the iteration ends, and the next one continues the conversation. */
  readonly maxStepsPerTurn?: number | undefined;
  /** `30m` unless given; waiting for a person does not count. */
  readonly iterationTimeout?: string | undefined;
  /** How long a model call may show nothing; `10m` unless given. In `loop`, where nothing is streamed: how long it may take. */
  readonly idleTimeout?: string | undefined;
  /** How long a limit of the provider's is waited for; `6h` unless given. */
  readonly maxWait?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Wall time in milliseconds. */
  readonly now?: (() => number) | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

type OneOrMore<T> = T | readonly T[];

/** A condition, or a named function that says so. */
export type StopWhen = StopCondition | ConditionFunction;

/** With a working directory: what changes in it is seen, and the record lies in its `.ralph`. */
interface InDirectory extends CommonOptions {
  readonly workingDir: string;
  readonly stopWhen?: OneOrMore<StopWhen> | undefined;
  readonly tests?: LoopConfig['tests'];
  readonly checks?: LoopConfig['checks'];
  /** `false`: in memory. A folder cannot be given: the record lies in the working directory. */
  readonly journal?: false | Journal | undefined;
}

/** Without one: no condition can look at files, and the record is in memory unless a folder is given. */
interface WithoutDirectory extends CommonOptions {
  readonly workingDir?: undefined;
  readonly stopWhen?: OneOrMore<DirectoryFreeCondition | ConditionFunction> | undefined;
  readonly tests?: undefined;
  readonly checks?: undefined;
  /** A folder for the record, which takes one run at a time; `false`, and nothing at all: in memory. */
  readonly journal?: false | string | Journal | undefined;
}

export type DeepFactorAgentOptions = InDirectory | WithoutDirectory;
