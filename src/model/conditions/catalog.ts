// Made by `npm run conditions` from the other files of this folder. Do not edit.
import type { Whole } from '../judging/condition-definition.js';
import { type AgentReportsBlocked, definition as agentReportsBlockedDefinition } from './agent-reports-blocked.js';
import { type AgentReportsDone, definition as agentReportsDoneDefinition } from './agent-reports-done.js';
import { type All, definition as allDefinition } from './all.js';
import { type AllTestsPass, definition as allTestsPassDefinition } from './all-tests-pass.js';
import { type Any, definition as anyDefinition } from './any.js';
import { type CheckPasses, definition as checkPassesDefinition } from './check-passes.js';
import { type CircuitBreaker, definition as circuitBreakerDefinition } from './circuit-breaker.js';
import { type ConsecutiveFails, definition as consecutiveFailsDefinition } from './consecutive-fails.js';
import { type ConsecutiveFailures, definition as consecutiveFailuresDefinition } from './consecutive-failures.js';
import { type ContextAbove, definition as contextAboveDefinition } from './context-above.js';
import { type CustomScript, definition as customScriptDefinition } from './custom-script.js';
import { type Deadline, definition as deadlineDefinition } from './deadline.js';
import { type DiffExceeds, definition as diffExceedsDefinition } from './diff-exceeds.js';
import { type FalseDone, definition as falseDoneDefinition } from './false-done.js';
import { type FileContains, definition as fileContainsDefinition } from './file-contains.js';
import { type FileCreated, definition as fileCreatedDefinition } from './file-created.js';
import { type For, definition as forDefinition } from './for.js';
import { type NamedFunction, definition as namedFunctionDefinition } from './function.js';
import { type MaxCost, definition as maxCostDefinition } from './max-cost.js';
import { type MaxCostOfBatch, definition as maxCostOfBatchDefinition } from './max-cost-of-batch.js';
import { type MaxCostPerDay, definition as maxCostPerDayDefinition } from './max-cost-per-day.js';
import { type MaxDuration, definition as maxDurationDefinition } from './max-duration.js';
import { type MaxInputTokens, definition as maxInputTokensDefinition } from './max-input-tokens.js';
import { type MaxIterations, definition as maxIterationsDefinition } from './max-iterations.js';
import { type MaxOutputTokens, definition as maxOutputTokensDefinition } from './max-output-tokens.js';
import { type MaxTokens, definition as maxTokensDefinition } from './max-tokens.js';
import { type NeedsPerson, definition as needsPersonDefinition } from './needs-person.js';
import { type Never, definition as neverDefinition } from './never.js';
import { type NoProgress, definition as noProgressDefinition } from './no-progress.js';
import { type Not, definition as notDefinition } from './not.js';
import { type OnError, definition as onErrorDefinition } from './on-error.js';
import { type Oscillation, definition as oscillationDefinition } from './oscillation.js';
import { type OutputPattern, definition as outputPatternDefinition } from './output-pattern.js';
import { type PermissionDenied, definition as permissionDeniedDefinition } from './permission-denied.js';
import { type ProtectedPathChanged, definition as protectedPathChangedDefinition } from './protected-path-changed.js';
import { type RejectRate, definition as rejectRateDefinition } from './reject-rate.js';
import { type RepeatedError, definition as repeatedErrorDefinition } from './repeated-error.js';
import { type RetryRate, definition as retryRateDefinition } from './retry-rate.js';
import { type SameToolFailure, definition as sameToolFailureDefinition } from './same-tool-failure.js';
import { type Settled, definition as settledDefinition } from './settled.js';
import { type SpecificTestsPass, definition as specificTestsPassDefinition } from './specific-tests-pass.js';
import { type TestFailureStreak, definition as testFailureStreakDefinition } from './test-failure-streak.js';
import { type UserSignal, definition as userSignalDefinition } from './user-signal.js';

/** Every condition. */
export type Shape =
  | MaxIterations
  | MaxDuration
  | Deadline
  | MaxTokens
  | MaxInputTokens
  | MaxOutputTokens
  | MaxCost
  | MaxCostPerDay
  | MaxCostOfBatch
  | TestFailureStreak
  | AllTestsPass
  | SpecificTestsPass
  | NoProgress
  | Oscillation
  | ConsecutiveFailures
  | RepeatedError
  | FileCreated
  | FileContains
  | OutputPattern
  | AgentReportsDone
  | AgentReportsBlocked
  | OnError
  | CustomScript
  | CheckPasses
  | ProtectedPathChanged
  | DiffExceeds
  | PermissionDenied
  | ContextAbove
  | UserSignal
  | RetryRate
  | RejectRate
  | ConsecutiveFails
  | CircuitBreaker
  | NamedFunction
  | All<Whole<Shape>>
  | Any<Whole<Shape>>
  | Not<Whole<Shape>>
  | For<Whole<Shape>>
  | Never
  | FalseDone
  | SameToolFailure
  | Settled
  | NeedsPerson;

export const DEFINITIONS = {
  max_iterations: maxIterationsDefinition,
  max_duration: maxDurationDefinition,
  deadline: deadlineDefinition,
  max_tokens: maxTokensDefinition,
  max_input_tokens: maxInputTokensDefinition,
  max_output_tokens: maxOutputTokensDefinition,
  max_cost: maxCostDefinition,
  max_cost_per_day: maxCostPerDayDefinition,
  max_cost_of_batch: maxCostOfBatchDefinition,
  test_failure_streak: testFailureStreakDefinition,
  all_tests_pass: allTestsPassDefinition,
  specific_tests_pass: specificTestsPassDefinition,
  no_progress: noProgressDefinition,
  oscillation: oscillationDefinition,
  consecutive_failures: consecutiveFailuresDefinition,
  repeated_error: repeatedErrorDefinition,
  file_created: fileCreatedDefinition,
  file_contains: fileContainsDefinition,
  output_pattern: outputPatternDefinition,
  agent_reports_done: agentReportsDoneDefinition,
  agent_reports_blocked: agentReportsBlockedDefinition,
  on_error: onErrorDefinition,
  custom_script: customScriptDefinition,
  check_passes: checkPassesDefinition,
  protected_path_changed: protectedPathChangedDefinition,
  diff_exceeds: diffExceedsDefinition,
  permission_denied: permissionDeniedDefinition,
  context_above: contextAboveDefinition,
  user_signal: userSignalDefinition,
  retry_rate: retryRateDefinition,
  reject_rate: rejectRateDefinition,
  consecutive_fails: consecutiveFailsDefinition,
  circuit_breaker: circuitBreakerDefinition,
  function: namedFunctionDefinition,
  all: allDefinition,
  any: anyDefinition,
  not: notDefinition,
  for: forDefinition,
  never: neverDefinition,
  false_done: falseDoneDefinition,
  same_tool_failure: sameToolFailureDefinition,
  settled: settledDefinition,
  needs_person: needsPersonDefinition,
};
