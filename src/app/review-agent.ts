import type { AgentAdapter } from '../agents/adapter.js';
import { findAdapter } from '../agents/find-adapter.js';
import { mappedAgent } from '../agents/mapped.js';
import type { Origins } from '../config/layer.js';
import type { LoadedConfig } from '../config/load-config.js';
import { type Warning, withPlace } from '../config/review-policy.js';
import type { Environment } from '../journal/run-places.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import { count } from '../model/figures.js';
import { policyEntries } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { alsoFiles, type GuardedFiles } from '../observation/guarded-files.js';
import { listedContextWindow } from '../pricing/price-list.js';
import { findPrice } from '../pricing/price-usage.js';
import { checkBudgetIsEnforceable } from '../run/start-checks.js';

/**
 * What the agent does not report, so that a limit or the redline cannot work. `check` also hears what may only be so, and
 * what no one asked for. Throws ConfigError for what a run refuses.
 */
export function reviewAgent(spec: RunSpec, origins: Origins, isCheck = false): readonly Warning[] {
  const { name, definition } = spec.agent;
  const adapter = definition === undefined ? findAdapter(name) : mappedAgent(definition);
  if (adapter === undefined) return [];
  checkBudgetIsEnforceable(spec.policy, adapter);
  const ofPolicy = policyEntries(spec.policy).flatMap(({ path, condition }) =>
    leavesOf(condition).flatMap((leaf) =>
      leafProblems(leaf, spec, adapter, isCheck).map((message) => ({ path, message })),
    ),
  );
  const why = contextProblem(spec, adapter);
  const isAsked = isCheck || (origins['context_redline_percent']?.source ?? 'default') !== 'default';
  const hasRedline =
    isAsked && adapter.canResume && spec.session.mode === 'continue' && spec.contextRedlinePercent < 100;
  const redline = {
    path: 'context_redline_percent',
    message: `the redline has no effect: ${why}; a session ends only by its timeout`,
  };
  const warnings = why === undefined || !hasRedline ? ofPolicy : [...ofPolicy, redline];
  return warnings.map((warning) => withPlace(warning, origins));
}

function leafProblems(leaf: StopCondition, spec: RunSpec, adapter: AgentAdapter, isCheck: boolean): readonly string[] {
  const { warnOfAgent, spend } = CONDITION_CATALOG[leaf.type];
  const warning = warnOfAgent?.(leaf, {
    contextProblem: contextProblem(spec, adapter),
    hasPrice: (model) => findPrice(model, { overrides: spec.prices }) !== undefined,
  });
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(spend === true && isCheck && adapter.name === 'command'
      ? [`the run stops after its first iteration unless the command ${USAGE}`]
      : []),
  ];
}

const USAGE = 'reports its usage (docs/guide/own-agent.md); 0 or no limit runs without it';

/** Why the use of the context cannot be known. */
function contextProblem({ agent }: RunSpec, { name, context, namesModel }: AgentAdapter): string | undefined {
  if (context === 'reported') return undefined;
  if (context === undefined) return `${name} does not report the tokens of each request`;
  if (agent.model === undefined) {
    return namesModel === false ? `${name} does not name its model, and agent.model is not set` : undefined;
  }
  return listedContextWindow(agent.model) === undefined
    ? `the context window of ${agent.model} is not known`
    : undefined;
}

/** All of them are compared after each iteration. */
const MOST_FILES = 10_000;

/** Patterns of `progress.also` that are probably not meant: they match nothing, or very much. */
export async function reviewAlso(
  { spec, origins }: Pick<LoadedConfig, 'spec' | 'origins'>,
  environment: Environment,
  most = MOST_FILES,
): Promise<readonly Warning[]> {
  const patterns = spec.progressAlso ?? [];
  const problems = spec.trackFileChanges
    ? await Promise.all(
        patterns.map((pattern) => problemOf(alsoFiles(spec.workingDir, [pattern], environment['HOME']), pattern, most)),
      )
    : [patterns.length === 0 ? undefined : 'it has no effect, because track_file_changes is false'];
  const messages = problems.filter((message) => message !== undefined);
  return messages.map((message) => withPlace({ path: 'progress.also', message }, origins));
}

async function problemOf(files: GuardedFiles, pattern: string, most: number): Promise<string | undefined> {
  try {
    const found = await files.count(most);
    if (found === 0) return `${pattern} matches no file yet`;
    if (found <= most) return undefined;
    return `${pattern} matches more than ${count(most)} files, which are all compared after each iteration; name fewer`;
  } catch (error) {
    return `whether ${pattern} changes cannot be observed: ${messageOf(error)}`;
  }
}
