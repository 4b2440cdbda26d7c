import type { ConditionConfig, LoopConfig } from '../config/loop-config.js';
import { resolveConfig } from '../config/resolve-config.js';
import { type ConditionFunction, type ConditionFunctions, withFunction } from '../model/condition-function.js';
import { leavesOf } from '../model/condition.js';
import { needsOf } from '../model/condition-catalog.js';
import { ConfigError } from '../model/errors.js';
import { policyEntries } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { nameFunctions } from '../run/name-functions.js';
import type { DeepFactorAgentOptions } from './agent-options.js';
import { codeHashes } from './changed-options.js';
import { directoryIssues } from './directory-conditions.js';
import { AGENT_NAME } from './in-process-agent.js';

/** An agent keeps its conversation for as long as it likes. */
const SESSION_TIMEOUT = '8760h';
const FAILURES_WITHOUT_DIRECTORY: readonly ConditionConfig[] = [{ type: 'consecutive_failures', count: 3 }];

export interface AgentPlan {
  readonly spec: RunSpec;
  readonly functions: ConditionFunctions;
}

/** What a run of the agent is to be. Throws ConfigError. */
export function planAgent(
  options: DeepFactorAgentOptions,
  prompt: string,
  modelId: string,
  ownGoal: ConditionFunction,
): AgentPlan {
  const given = configOf(options, prompt, modelId);
  const hasReviewer = options.reviewer !== undefined;
  const { review: _review, ...unreviewed } = given;
  const needsGoal = options.verifyCompletion !== undefined || !hasGoal(resolved(unreviewed, false).spec);
  const plan = resolved(needsGoal ? withGoal(given, ownGoal, options.confirm) : given, hasReviewer);
  checkDirectory(options, plan.spec);
  const functions = { ...options.functions, ...plan.functions };
  checkFunctions(plan.spec, functions);
  const agent = { ...plan.spec.agent, codeHashes: codeHashes(options) };
  return { spec: { ...plan.spec, agent }, functions };
}

function resolved(config: LoopConfig, hasReviewer: boolean): AgentPlan {
  const { config: serialisable, functions } = nameFunctions(config);
  return { spec: resolveConfig(serialisable, { hasReviewer }).spec, functions };
}

function configOf(options: DeepFactorAgentOptions, prompt: string, modelId: string): LoopConfig {
  const { workingDir, contextManagement, hooks, notify, prices, tests, checks, review } = options;
  const { iterationTimeout, idleTimeout, maxWait } = options;
  const isInDirectory = workingDir !== undefined;
  const place = isInDirectory ? workingDir : typeof options.journal === 'string' ? options.journal : undefined;
  const redline = contextManagement?.redlinePercent;
  return {
    prompt,
    agent: { name: AGENT_NAME, model: modelId },
    iterationDelay: 0,
    session: { timeout: SESSION_TIMEOUT },
    trackFileChanges: isInDirectory,
    parseTests: isInDirectory,
    statusLine: false,
    stop: { conditions: stopList(options), ...(isInDirectory ? {} : { failure: FAILURES_WITHOUT_DIRECTORY }) },
    ...(place === undefined ? {} : { workingDir: place }),
    ...(redline === undefined ? {} : { contextRedlinePercent: redline }),
    ...(tests === undefined ? {} : { tests }),
    ...(checks === undefined ? {} : { checks }),
    ...(review === undefined ? {} : { review }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(notify === undefined ? {} : { notify }),
    ...(prices === undefined ? {} : { prices }),
    ...(iterationTimeout === undefined ? {} : { iterationTimeout }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(maxWait === undefined ? {} : { maxWait }),
  };
}

function stopList({ stopWhen }: DeepFactorAgentOptions): readonly ConditionConfig[] {
  if (stopWhen === undefined) return [];
  return Array.isArray(stopWhen) ? (stopWhen as readonly ConditionConfig[]) : [stopWhen as ConditionConfig];
}

function withGoal(config: LoopConfig, ownGoal: ConditionFunction, confirm: number | undefined): LoopConfig {
  const condition = { type: 'function', name: ownGoal.name, ...(confirm === undefined ? {} : { confirm }) } as const;
  return { ...config, stop: { ...config.stop, success: [withFunction(condition, ownGoal)] } };
}

function hasGoal({ policy }: RunSpec): boolean {
  return policyEntries(policy).some((entry) => entry.class === 'goal');
}

/** A name that no one answers for would be a condition that never holds. */
function checkFunctions({ policy }: RunSpec, functions: ConditionFunctions): void {
  const issues = policyEntries(policy).flatMap(({ path, condition }) =>
    leavesOf(condition).flatMap((leaf) => {
      const { probe } = needsOf(leaf);
      if (probe?.kind !== 'function') return [];
      const call: unknown = Object.hasOwn(functions, probe.name) ? functions[probe.name] : undefined;
      return typeof call === 'function'
        ? []
        : [{ path, message: `there is no function ${probe.name} in \`functions\`` }];
    }),
  );
  if (issues.length > 0) throw new ConfigError(issues);
}

function checkDirectory({ workingDir, tests, checks, journal }: DeepFactorAgentOptions, { policy }: RunSpec): void {
  if (workingDir !== undefined) {
    if (typeof journal !== 'string') return;
    const message = 'the record of a run is in its working directory: leave out one of the two';
    throw new ConfigError([{ path: 'journal', message }]);
  }
  const needless = Object.entries({ tests, checks }).filter(([, value]) => value !== undefined);
  const issues = [
    ...directoryIssues(policyEntries(policy).map(({ path, condition }) => [path, condition])),
    ...needless.map(([path]) => ({ path, message: 'is run in a working directory: give `workingDir`' })),
  ];
  if (issues.length > 0) throw new ConfigError(issues);
}
