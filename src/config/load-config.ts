import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Issue } from '../model/errors.js';
import { userFilePath } from './config-file.js';
import { CONFIG_KEYS } from './config-shape.js';
import { readFileLayer } from './file-layer.js';
import { type Environment, type Flags, givenFlags, givenVariables, CONFIG_VARIABLE } from './override-table.js';
import type { Layer } from './layer.js';
import { overrideLayer } from './override-layer.js';
import { type ResolvedConfig, resolveLayers } from './resolve-layers.js';

export interface LoadOptions {
  /** An absolute path: where the project file is looked for and the run takes place. */
  readonly cwd: string;
  /** From `--config`; a file that was asked for must be there. */
  readonly configPath?: string | undefined;
  readonly env: Environment;
  readonly flags?: Flags | undefined;
  readonly defaultAgent?: string | undefined;
}

export interface LoadedConfig extends ResolvedConfig {
  /** The project's file, as it was named or found; undefined when there is none. */
  readonly projectFile: string | undefined;
  /** The folders that the user has chosen: the one that he stands in, and that of the project's file. */
  readonly folders: readonly string[];
}

const PROJECT_FILES = ['pawl.yaml', 'pawl.yml', 'pawl.json'];

/**
 * The config of a run: defaults, user file, project file, environment, flags, the later over the earlier. Reads those
 * files and executes nothing.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const { cwd, env } = options;
  const issues: Issue[] = [];
  const warnings: Issue[] = [];
  const layers: Layer[] = [];
  const addFile = (source: 'user-file' | 'project-file', path: string, required: boolean) => {
    const file = readFileLayer({ source, path, cwd, required });
    issues.push(...file.issues);
    warnings.push(...file.warnings);
    if (file.layer !== undefined) layers.push(file.layer);
  };

  const userFile = userFilePath(env);
  if (userFile !== undefined) addFile('user-file', userFile, false);
  const asked = options.configPath ?? (env[CONFIG_VARIABLE] === '' ? undefined : env[CONFIG_VARIABLE]);
  const projectFile = asked ?? projectFileIn(cwd, issues);
  if (projectFile !== undefined) addFile('project-file', resolve(cwd, projectFile), asked !== undefined);

  const variables = givenVariables(env);
  const flags = givenFlags(options.flags ?? {});
  warnings.push(...variables.warnings);
  issues.push(...flags.issues);
  for (const [source, given] of [
    ['environment', variables.given],
    ['flag', flags.given],
  ] as const) {
    const override = overrideLayer(source, given, cwd);
    issues.push(...override.issues);
    layers.push(override.layer);
  }
  const defaultAgent = options.defaultAgent ?? CONFIG_KEYS.agent.shape.keys.name.default;
  const folders = projectFile === undefined ? [cwd] : [cwd, dirname(resolve(cwd, projectFile))];
  return {
    ...resolveLayers(layers, { cwd, defaultAgent, environment: options.env }, { issues, warnings }),
    projectFile,
    folders,
  };
}

function projectFileIn(cwd: string, issues: Issue[]): string | undefined {
  const found = PROJECT_FILES.filter((name) => existsSync(join(cwd, name)));
  if (found.length > 1) issues.push({ path: '', message: `there are ${found.join(' and ')}; keep one of them` });
  return found[0];
}
