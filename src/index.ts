export type {
  AgentConfig,
  CommandConfig,
  ConditionConfig,
  HookConfig,
  LoopConfig,
  OwnAgentConfig,
  PriceConfig,
  SessionConfig,
  StopConfig,
  StopShorthands,
  TestsConfig,
} from './config/loop-config.js';
export type { Agent, AgentEnd, AgentListener, AgentTask } from './iteration/agent.js';
export type { AgentFunctions, AgentRequest, DefinedAgent, Invocation } from './iteration/cli-agent.js';
export type { Journal, JournalListener } from './journal/journal.js';
export type { AgentEvent } from './model/agent-event.js';
export type { Claim, Claims, ClaimType } from './model/claim.js';
export type { StopCondition } from './model/condition.js';
export { priority } from './model/condition-catalog.js';
export type { ConditionAnswer, ConditionFunction } from './model/condition-function.js';
export { conditionKey } from './model/condition-key.js';
export {
  AlreadyRunning,
  ConfigError,
  FileSystemError,
  InvalidState,
  type Issue,
  IterationTimeout,
  JournalDamaged,
  LockedError,
  PawlError,
  PromptLoadFailed,
} from './model/errors.js';
export { EXIT_CODES, type ExitCode, exitCodeOf } from './model/exit-code.js';
export type { LoopCommand } from './model/loop-command.js';
export { type LoopStats, statsOf } from './model/loop-stats.js';
export { canPause, canResume, canStart, isActive, isTerminal, type LoopState } from './model/loop-state.js';
export type { CheckResult, FileChanges, Observation, ProbeResult } from './model/observation.js';
export { parseCondition } from './model/parse-condition.js';
export type { Policy } from './model/policy.js';
export { reduce, reduceAll } from './model/reduce.js';
export type { Interruption, IterationOutcome, LoopEvent, NewEvent, RunEvent } from './model/run-event.js';
export type { ModelRates, RunSpec } from './model/run-spec.js';
export { type HistorySummary, INITIAL_STATE, type IterationSummary, type RunState } from './model/run-state.js';
export { spendByModel, totalSpend } from './model/spend-account.js';
export type { StopClass } from './model/stop-class.js';
export { allPassed, successRate, type TestDetail, type TestResults, type TestStatus } from './model/test-results.js';
export type { Spend, Usage, Usage as TokenUsage } from './model/usage.js';
export type {
  ConditionStatus,
  Judgement,
  StopConditionResult,
  StopReason,
  Verdict,
} from './model/verdict.js';
export { parseTestOutput } from './observation/parse-test-output.js';
export type { ParsedTests } from './observation/parsed-tests.js';
export { calculateCost } from './pricing/calculate-cost.js';
export { MODEL_PRICING } from './pricing/model-pricing.js';
export { type AgentData, defineAgent } from './run/define-agent.js';
export type { History, Iteration, IterationResult, IterationStatus } from './run/history.js';
export { createRun, LoopRunner } from './run/run-handle.js';
export { type ResumeOptions, resumeRun } from './run/resume-run.js';
export { RunHandle, type RunResult } from './run/run-handle.js';
export type { Notification } from './run/notification.js';
export type { RunOptions } from './run/run-options.js';
export { evaluateCondition, evaluatePolicy, evaluateStopConditions } from './standalone/evaluate.js';
export { observeProbes, type ObserveProbesOptions } from './standalone/observe-probes.js';
export type { StopConditionContext } from './standalone/stop-condition-context.js';
export * from './stop/conditions.js';
export { describe } from './stop/judge.js';
export { type Forecast, forecast } from './stop/forecast.js';
export { VERSION } from './version.js';
