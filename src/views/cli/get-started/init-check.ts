import { join } from 'node:path';
import { parse } from 'yaml';
import { DEFAULT_AGENT } from '../../../agents/find-adapter.js';
import type { Environment } from '../../../config/override-table.js';
import { parseLayer } from '../../../config/file-layer.js';
import { projectCommands } from '../../../config/project-commands.js';
import { type ResolvedConfig, resolveLayers } from '../../../config/load-config.js';
import { leavesOf } from '../../../model/condition.js';
import { ConfigError } from '../../../model/errors.js';
import { canonicalJson } from '../../../model/json.js';
import type { RunSpec } from '../../../model/run-spec.js';
import { allowedCommands } from '../../../setup/config-text.js';
import type { SetupChoices } from '../../../setup/setup-choices.js';

/** A config that would be refused, or executes anything that was not chosen, is not written. Throws ConfigError. */
export function checkWritten(text: string, folder: string, choices: SetupChoices, environment: Environment): void {
  const written = resolved(text, 'pawl.yaml', folder, environment);
  checkGoals(written.spec);
  const meant = resolved(JSON.stringify(commandsOf(choices)), 'pawl.json', folder, environment);
  if (executedBy(written) === executedBy(meant)) return;
  const message =
    'it would contain other commands than those you chose, because of a name in this folder; nothing was written';
  throw new ConfigError([{ path: '', place: 'pawl.yaml', message }]);
}

function resolved(text: string, name: string, folder: string, environment: Environment): ResolvedConfig {
  const options = { source: 'project-file', path: join(folder, name), cwd: folder, required: true } as const;
  const { layer, issues } = parseLayer(text, name, options);
  if (layer === undefined) throw new ConfigError(issues);
  return resolveLayers([layer], { cwd: folder, defaultAgent: DEFAULT_AGENT, environment }, { issues, warnings: [] });
}

/** All of a config that has anything executed. */
function commandsOf(choices: SetupChoices) {
  const { agent, model, tests, goals, review } = choices;
  const allow = agent.hasAllow ? { allow: allowedCommands(choices) } : {};
  return {
    agent: { name: agent.name, permissions: 'edit', ...(model === undefined ? {} : { model }), ...allow },
    ...(tests === undefined ? {} : { tests }),
    ...(review === undefined ? {} : { review: { agent: review.name, model: review.smallModel } }),
    stop: { success: goals.map((goal) => parse(goal) as unknown) },
  };
}

function executedBy(config: ResolvedConfig): string {
  const { agent, workingDir, prompt } = config.spec;
  const commands = projectCommands({ ...config, folders: [workingDir] }).map(({ path, what, whole }) => [
    path,
    what,
    whole,
  ]);
  return canonicalJson({ commands, agent, workingDir, prompt });
}

/** A goal of tests that no one runs would be the agent's word. */
function checkGoals({ tests, policy }: RunSpec): void {
  const ofTests = policy.success.flatMap(leavesOf).filter(({ type }) => type.endsWith('_tests_pass'));
  if (tests !== undefined || ofTests.length === 0) return;
  const message = `${ofTests[0]?.type} needs tests, but no test command is set; add --tests, or use another goal`;
  throw new ConfigError([{ path: '', place: '--goal', message }]);
}
