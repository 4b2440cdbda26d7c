import { createAgent } from '../iteration/create-agent.js';
import { ConfigError, type Issue } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';

/** Why nobody could make an item: there is no such agent, or its program cannot be run. Starts nothing. */
export function agentIssues(
  spec: RunSpec,
  environment: Readonly<Record<string, string | undefined>>,
): readonly Issue[] {
  try {
    createAgent(spec, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^agent(?=\.|$)/, 'generate.agent') }));
  }
}
