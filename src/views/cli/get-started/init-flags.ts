import { DEFAULT_AGENT } from '../../../agents/find-adapter.js';
import { AGENTS } from '../../../agents/index.js';
import type { KnownAgent } from '../../../agents/known-agent.js';
import { type Environment, givenFlags } from '../../../config/override-table.js';
import { overrideLayer } from '../../../config/override-layer.js';
import { resolveLayers } from '../../../config/load-config.js';
import { ConfigError, type Issue } from '../../../model/errors.js';
import { didYouMean } from '../../../model/nearest.js';
import { lowestLimit } from '../../../model/policy.js';

export interface InitOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly tests?: string;
  readonly task?: string;
  readonly goal?: readonly string[];
  readonly review?: string;
  readonly protect?: readonly string[];
  readonly maxCost?: string;
  readonly maxIterations?: string;
  readonly yes?: boolean;
  readonly keep?: boolean;
  readonly force?: boolean;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** The answers that were given by flags. */
export interface InitFlags {
  readonly agent?: KnownAgent | undefined;
  readonly model?: string | undefined;
  /** Null when there are to be none. */
  readonly tests?: string | null | undefined;
  readonly task?: 'repair' | 'build' | undefined;
  readonly goals: readonly string[];
  /** The list of boxes that was chosen as the goal. */
  readonly checklist?: string | undefined;
  readonly review?: KnownAgent | undefined;
  readonly protect?: readonly string[] | undefined;
  readonly maxCostUsd?: number | undefined;
  readonly maxIterations?: number | undefined;
}

/** Reads the flags by the rules of the config. Throws ConfigError with every mistake, each by the flag's name. */
export function readInitFlags(options: InitOptions, folder: string, environment: Environment): InitFlags {
  const { model, tests, maxCost, maxIterations, goal: goals = [], protect } = options;
  const hasTests = tests !== undefined && tests.trim() !== '';
  const vetoes = protect?.map((glob) => JSON.stringify({ type: 'protected_path_changed', paths: [glob] }));
  const { given, issues } = givenFlags({
    model,
    tests: hasTests ? tests : undefined,
    until: goals.length === 0 ? undefined : goals,
    'give-up': vetoes,
    'max-cost': maxCost,
    'max-iterations': maxIterations,
  });
  const agent = AGENTS.find(({ name }) => name === options.agent);
  const review = AGENTS.find(({ name }) => name === options.review);
  const agentIssues = [
    ...(options.agent === undefined || agent !== undefined ? [] : [unknownAgent('--agent', options.agent)]),
    ...(options.review === undefined || review !== undefined ? [] : [unknownAgent('--review', options.review)]),
  ];
  const override = overrideLayer('flag', given, folder);
  const task = TASKS.find((name) => name === options.task);
  const found = [...agentIssues, ...issues, ...override.issues, ...conflicts(options), ...taskIssues(options.task)];
  try {
    const { spec } = resolveLayers(
      [override.layer],
      { cwd: folder, defaultAgent: DEFAULT_AGENT, environment },
      { issues: found, warnings: [] },
    );
    const { limits } = spec.policy;
    return {
      agent,
      model,
      tests: tests === undefined ? undefined : hasTests ? tests : null,
      task,
      goals,
      review,
      protect,
      maxCostUsd: lowestLimit(limits, 'costUsd'),
      maxIterations: maxIterations === undefined ? undefined : (lowestLimit(limits, 'iterations') ?? 0),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.issues.map(byOurNames));
  }
}

const TASKS = ['repair', 'build'] as const;

function taskIssues(task: string | undefined): readonly Issue[] {
  if (task === undefined || TASKS.some((name) => name === task)) return [];
  return [{ path: '', place: '--task', message: `must be repair or build, not ${JSON.stringify(task.slice(0, 60))}` }];
}

function conflicts({ keep, force }: InitOptions): readonly Issue[] {
  return keep === true && force === true
    ? [{ path: '', place: '--keep', message: 'keeps files, and --force overwrites them; use only one of them' }]
    : [];
}

function unknownAgent(place: string, name: string): Issue {
  const names = AGENTS.map((agent) => agent.name);
  const hint = didYouMean(name, names) || `; known agents: ${names.join(', ')}`;
  return { path: '', place, message: `no agent is called ${JSON.stringify(name.slice(0, 60))}${hint}` };
}

/** `init` has other names for two flags of a run. */
function byOurNames(issue: Issue): Issue {
  const rename = (text: string) => text.replace(/^--until\b/, '--goal').replace(/^--give-up\b.*/, '--protect');
  const place = issue.place === undefined ? {} : { place: rename(issue.place) };
  return { ...issue, path: rename(issue.path), ...place };
}
