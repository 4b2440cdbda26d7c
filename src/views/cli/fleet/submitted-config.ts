import { dirname, extname, resolve } from 'node:path';
import { readConfigFile } from '../../../config/config-file.js';
import { type LoadedConfig, loadConfig } from '../../../config/load-config.js';
import {
  type Environment,
  type Flags,
  givenVariables,
  CONFIG_VARIABLE,
  OVERRIDES,
} from '../../../config/override-table.js';
import { outsidePrompt } from '../../../config/project-commands.js';
import { textWithModels } from '../../../config/read-models.js';
import { ConfigError, type Issue } from '../../../model/errors.js';
import { shownPath } from '../../../app/shown-path.js';
import { configFlags } from '../config-flags.js';
import { LARGEST_PROMPT_BYTES, promptFileKind } from '../../../app/prompt-file.js';
import { checkEdited, checkPrompt, withPromptFile } from '../../../app/prompt-checks.js';
import { submittedFile } from './submitted-file.js';
import { type SubmittedText, unkeepableIssues } from './submitted-text.js';
import type { CommandContext } from '../command-context.js';

/** A config as every run of a submission has it. */
export interface SubmittedConfig {
  readonly loaded: LoadedConfig;
  /** The text of the file; empty when there is none. */
  readonly text: string;
  /** Without a prompt. */
  readonly flags: Flags;
  /** Undefined: that of the repository. */
  readonly prompt?: SubmittedText | undefined;
  /** What the database would keep of the config and the flags. */
  readonly texts: readonly SubmittedText[];
  readonly warnings: readonly Issue[];
}

export interface ConfigRequest {
  readonly cwd: string;
  readonly file?: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** The words after `--`. */
  readonly command?: readonly string[] | undefined;
  readonly environment: Environment;
}

/** No settings of a user are read: a worker has others, and a run is to be the same on all of them. */
const WITHOUT_USER = { HOME: '' };

/** Checks the config of a run that is worked on elsewhere, and reads here what is not there. Throws ConfigError. */
export function submittedConfig(
  { cwd, file, options, command, environment }: ConfigRequest,
  context: CommandContext,
): SubmittedConfig {
  if (command?.length === 0) throw refused('', 'there is no command after --');
  const { flags: variables, warnings } = variableFlags(environment);
  const own = configFlags(options);
  const { 'prompt-path': _known, ...others } = variables;
  const given = withPromptFile({ ...(own['prompt'] === undefined ? variables : others), ...own }, undefined, cwd);
  const flags = command === undefined ? given : { ...given, command };
  const asked = file ?? (environment[CONFIG_VARIABLE] === '' ? undefined : environment[CONFIG_VARIABLE]);
  const loaded = loadedFor(asked, cwd, flags, environment);
  const { prompt: _text, 'prompt-path': _path, ...rest } = flags;
  const { text, written } = textOf(loaded, cwd, context);
  const prompt = promptOf(loaded, context.cwd);
  return {
    loaded,
    text,
    flags: rest,
    prompt,
    texts: [...written, ...flagTexts(rest, own), ...(prompt === undefined || isWritten(loaded) ? [] : [prompt])],
    warnings: [...warnings, ...uselessIn(loaded)],
  };
}

function loadedFor(asked: string | undefined, cwd: string, flags: Flags, environment: Environment): LoadedConfig {
  const loaded = loadedOrRefused(asked, cwd, flags, environment);
  const place = loaded.origins['working_dir'];
  if (place !== undefined && place.source !== 'default') {
    const message = 'a run of the fleet works at the top of the repository; leave it out';
    throw new ConfigError([
      { path: 'working_dir', message, ...(place.place === undefined ? {} : { place: place.place }) },
    ]);
  }
  return loaded;
}

function loadedOrRefused(asked: string | undefined, cwd: string, flags: Flags, { PATH }: Environment): LoadedConfig {
  try {
    return loadConfig({ cwd, configPath: asked, env: { ...WITHOUT_USER, PATH }, flags });
  } catch (error) {
    const issues = error instanceof ConfigError ? error.issues : [];
    const isManifest = ['items', 'generate'].every((key) =>
      issues.some(({ path, unknownKey }) => unknownKey === true && path === key),
    );
    if (!isManifest) throw error;
    const message = 'is the manifest of a pipeline, and a fleet works on runs: give its items with --matrix';
    throw refused(asked ?? 'the config', message);
  }
}

/** What a config may say and a fleet does otherwise. */
const USELESS: Readonly<Record<string, string>> = {
  commit: 'a run of the fleet commits after each iteration, whatever this says',
  'session.state_dir':
    'is a folder of the worker that has the run; its contents stay there when another worker continues the run',
};

function uselessIn({ origins, spec }: LoadedConfig): readonly Issue[] {
  return Object.entries(USELESS).flatMap(([path, message]) => {
    const origin = origins[path];
    if (origin === undefined || origin.source === 'default' || (path === 'commit' && spec.commit === 'iteration')) {
      return [];
    }
    return [{ path, message, ...(origin.place === undefined ? {} : { place: origin.place }) }];
  });
}

function flagTexts(flags: Flags, own: Flags): readonly SubmittedText[] {
  return Object.entries(flags).flatMap(([flag, value]) => {
    const variable = OVERRIDES.find((override) => override.flag === flag)?.variable;
    const place = flag === 'command' ? 'the command after --' : Object.hasOwn(own, flag) ? `--${flag}` : variable;
    const texts = [value].flat().filter((text) => typeof text === 'string');
    return texts.map((text) => ({ place: place ?? `--${flag}`, text }));
  });
}

/** What the environment says is said once, here, as by flags. */
function variableFlags(environment: Environment): { readonly flags: Flags; readonly warnings: readonly Issue[] } {
  const { given, warnings } = givenVariables(environment);
  const flagless = given.filter(({ override }) => override.flag === undefined);
  const ignored = flagless.map(({ name }) => ({ path: '', place: name, message: 'does not take part in the fleet' }));
  const flags = given.flatMap(({ override: { flag }, value }) => (flag === undefined ? [] : [[flag, value] as const]));
  return { flags: Object.fromEntries(flags), warnings: [...warnings, ...ignored] };
}

/** As the workers get it, and as it was written. */
function textOf(
  { projectFile }: LoadedConfig,
  cwd: string,
  context: CommandContext,
): { readonly text: string; readonly written: readonly SubmittedText[] } {
  if (projectFile === undefined) return { text: '', written: [] };
  const read = readConfigFile(resolve(cwd, projectFile));
  if (read.kind !== 'read') throw refused(projectFile, 'existed before, but can no longer be read');
  // The workers read YAML, of which JSON in one line is a part.
  const isJson = extname(projectFile).toLowerCase() === '.json' && read.text.trim() !== '';
  const own = isJson ? JSON.stringify(JSON.parse(read.text)) : read.text;
  const text = textWithModels(own, dirname(resolve(cwd, projectFile)));
  return {
    text,
    written: [{ place: shownPath(resolve(cwd, projectFile), context.cwd), text: read.text, isFile: true }],
  };
}

/** The prompt stands in the text of the config. */
function isWritten({ spec, origins }: LoadedConfig): boolean {
  return spec.prompt !== undefined && origins['prompt']?.source === 'project-file';
}

/** The prompt that is here; one that only a config names, or nobody, may be in the repository. */
function promptOf(loaded: LoadedConfig, cwd: string): SubmittedText | undefined {
  const { prompt, promptPath } = loaded.spec;
  const isAsked = loaded.origins['prompt_path']?.source === 'flag';
  if (prompt === undefined && !isAsked && promptFileKind(promptPath) === 'missing') return undefined;
  checkPrompt(loaded, cwd);
  checkEdited(loaded, cwd);
  if (prompt === undefined) {
    const shown = shownPath(promptPath, cwd);
    if (outsidePrompt(loaded) !== undefined) {
      const { place = '' } = loaded.origins['prompt_path'] ?? {};
      throw refused(place, `the prompt ${shown} lies outside this folder: name it yourself, with --prompt-path`);
    }
    const request = { path: promptPath, shown, role: 'the prompt', limitBytes: LARGEST_PROMPT_BYTES };
    return { place: shown, isFile: true, text: submittedFile(request) };
  }
  if (!isWritten(loaded)) return { place: '-p', text: prompt };
  const written = { place: loaded.origins['prompt']?.place ?? '', path: 'prompt', text: prompt };
  const issues = unkeepableIssues(written);
  if (issues.length > 0) throw new ConfigError(issues);
  return written;
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([place === '' ? { path: '', message } : { path: '', place, message }]);
}
