export { type AskPersonOptions, askPerson } from './ask-person.js';
export type {
  CompletionAnswer,
  CompletionContext,
  ContextManagement,
  DeepFactorAgentOptions,
  StopWhen,
  VerifyCompletion,
} from './agent-options.js';
export type { AgentResult } from './agent-result.js';
export type { AgentStep, ToolOutcome } from './agent-result.js';
export type { AgentStream, AgentStreamPart } from './agent-stream.js';
export type { ModelSettings } from './call-model.js';
export { createDeepFactorAgent } from './deep-factor-agent.js';
export { DeepFactorAgent, type LoopOptions, type ResumeLoopOptions } from './deep-factor-agent.js';
export type { DirectoryFreeCondition } from './directory-conditions.js';
export { modelReviewer } from './model-reviewer.js';
export { toAiSdkStopCondition } from './to-ai-sdk-stop-condition.js';
