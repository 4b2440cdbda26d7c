import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { readConfigFile } from '../../config/config-file.js';
import { type Flags, givenVariables } from '../../config/given-overrides.js';
import { type LoadedConfig, loadConfig } from '../../config/load-config.js';
import { CONFIG_VARIABLE } from '../../config/override-table.js';
import { ConfigError, type Issue, PromptLoadFailed } from '../../model/errors.js';
import { configFlags } from './config-flags.js';
import { promptFileKind } from './prompt-file.js';
import { checkPrompt, withPromptFile } from './run-prompt.js';

/** A config as every run of a submission has it. */
export interface SubmittedConfig {
  readonly loaded: LoadedConfig;
  /** The text of the file; empty when there is none. */
  readonly text: string;
  /** Without a prompt. */
  readonly flags: Flags;
  /** Undefined: that of the repository. */
  readonly prompt?: string | undefined;
  readonly warnings: readonly Issue[];
}

export interface ConfigRequest {
  readonly cwd: string;
  readonly file?: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** The words after `--`. */
  readonly command?: readonly string[] | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** No settings of a user are read: a worker has others, and a run is to be the same on all of them. */
const WITHOUT_USER = { HOME: '' };

/** Checks the config of a run that is worked on elsewhere, and reads here what is not there. Throws ConfigError. */
export function submittedConfig({ cwd, file, options, command, environment }: ConfigRequest): SubmittedConfig {
  if (command?.length === 0) throw refused('', 'which command? There is none after --');
  const { flags: variables, warnings } = variableFlags(environment);
  const own = configFlags(options);
  const { 'prompt-path': _known, ...others } = variables;
  const given = withPromptFile({ ...(own['prompt'] === undefined ? variables : others), ...own }, undefined, cwd);
  const flags = command === undefined ? given : { ...given, command };
  const asked = file ?? (environment[CONFIG_VARIABLE] === '' ? undefined : environment[CONFIG_VARIABLE]);
  const loaded = loadConfig({ cwd, configPath: asked, env: WITHOUT_USER, flags });
  const place = loaded.origins['working_dir'];
  if (place !== undefined && place.source !== 'default') {
    const message = 'a run of the fleet works at the top of the repository; leave it out';
    throw new ConfigError([
      { path: 'working_dir', message, ...(place.place === undefined ? {} : { place: place.place }) },
    ]);
  }
  const { prompt: _text, 'prompt-path': _path, ...rest } = flags;
  return { loaded, text: textOf(loaded, cwd), flags: rest, prompt: promptOf(loaded), warnings };
}

/** What the environment says is said once, here, as by flags. */
function variableFlags(environment: NodeJS.ProcessEnv): { readonly flags: Flags; readonly warnings: readonly Issue[] } {
  const { given, warnings } = givenVariables(environment);
  const flagless = given.filter(({ override }) => override.flag === undefined);
  const ignored = flagless.map(({ name }) => ({ path: '', place: name, message: 'does not take part in the fleet' }));
  const flags = given.flatMap(({ override: { flag }, value }) => (flag === undefined ? [] : [[flag, value] as const]));
  return { flags: Object.fromEntries(flags), warnings: [...warnings, ...ignored] };
}

function textOf({ projectFile }: LoadedConfig, cwd: string): string {
  if (projectFile === undefined) return '';
  const read = readConfigFile(resolve(cwd, projectFile));
  if (read.kind !== 'read') throw refused(projectFile, 'was there and cannot be read any more');
  // The workers read YAML, of which JSON in one line is a part.
  return extname(projectFile).toLowerCase() === '.json' && read.text.trim() !== ''
    ? JSON.stringify(JSON.parse(read.text))
    : read.text;
}

/** The prompt that is here; one that only a config names, or nobody, may be in the repository. */
function promptOf(loaded: LoadedConfig): string | undefined {
  const { prompt, promptPath } = loaded.spec;
  const isAsked = loaded.origins['prompt_path']?.source === 'flag';
  if (prompt === undefined && !isAsked && promptFileKind(promptPath) === 'missing') return undefined;
  checkPrompt(loaded);
  if (prompt !== undefined) return prompt;
  try {
    return readFileSync(promptPath, 'utf8');
  } catch (error) {
    throw new PromptLoadFailed(promptPath, error);
  }
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([place === '' ? { path: '', message } : { path: '', place, message }]);
}
