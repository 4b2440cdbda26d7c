import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve, delimiter } from 'node:path';
import type * as z from 'zod/mini';
import { DEFAULT_AGENT } from '../agents/find-adapter.js';
import { CONDITION_CATALOG, needsOf } from '../model/condition-catalog.js';
import { type Issue, ConfigError } from '../model/errors.js';
import { isRecord } from '../model/show-value.js';
import { deepFreeze } from '../model/json.js';
import { didYouMean } from '../model/nearest.js';
import type { RunSpec } from '../model/run-spec.js';
import { buildSpec, defaultPromptPath, ownAgentIssues } from './build-spec.js';
import { visitConditions } from './condition-place.js';
import { userFilePath } from './config-file.js';
import { itemPath, keyPath } from '../model/read-value.js';
import { CONFIG_KEYS, type ConfigValues } from './config-shape.js';
import { readFileLayer } from './file-layer.js';
import type { Layer, Origin, Origins } from './layer.js';
import { mergePolicy, type WrittenCondition } from './merge-policy.js';
import { overrideLayer, withDayLimit } from './override-layer.js';
import { type Environment, type Flags, givenFlags, givenVariables, CONFIG_VARIABLE } from './override-table.js';
import { MOST_ISSUES } from './read-shape.js';
import { fallbackOf, type Keys, keysOf, shortOf, valuesOf } from './shape.js';

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
  /** The folders that the user has chosen: the one that he is in, and that of the project's file. */
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
  const defaultAgent = options.defaultAgent ?? DEFAULT_AGENT;
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

/** A config that is ready to run, who set each value, and what is odd about it. */
export interface ResolvedConfig {
  readonly spec: RunSpec;
  readonly origins: Origins;
  readonly warnings: readonly Issue[];
}

interface ResolveOptions {
  readonly cwd: string;
  /** Where scripts that are named without a folder are searched for. */
  readonly environment: Environment;
  /** Taken when no layer names an agent; the caller knows what is installed. */
  readonly defaultAgent: string;
  /** The reviewer is given in code. */
  readonly hasReviewer?: boolean | undefined;
}

/** Merges the layers, weakest first; throws a ConfigError with every issue, those found before included. */
export function resolveLayers(
  layers: readonly Layer[],
  options: ResolveOptions,
  before: { readonly issues: readonly Issue[]; readonly warnings: readonly Issue[] },
): ResolvedConfig {
  const issues: Issue[] = [...before.issues];
  const origins = new Map<string, Origin>();
  const values = mergeSettings(layers, { agent: options.defaultAgent }, origins);
  const { review } = values;
  const merged = mergePolicy(layers, { hasTests: values.tests !== undefined, review }, origins, issues);
  const { written } = merged;
  const policy = withDayLimit(merged.policy, layers, issues);
  const isNamed = review?.agent !== undefined || review?.command !== undefined;
  if (review !== undefined && isNamed === (options.hasReviewer === true)) {
    const layer = layers.findLast((one) => one.values.review !== undefined);
    const message = isNamed
      ? 'the reviewer is set in code: leave out `agent` and `command`'
      : `no reviewer is configured: add ${layer?.source === 'flag' ? '`--review claude`, or to pawl.yaml ' : ''}\`review: { agent: claude }\` or \`review: { command: ./review.sh }\``;
    const issue = { path: 'review', message };
    issues.push(layer?.locate(issue) ?? issue);
  }
  if (isSure(before.issues, 'agents', 'agent')) issues.push(...ownAgentIssues(values, layers));
  const workingDir = resolve(options.cwd, values.working_dir ?? '.');
  if (!isThere(workingDir, 'directory')) {
    const layer = layers.findLast((one) => one.values.working_dir !== undefined);
    const issue = { path: 'working_dir', message: `${JSON.stringify(workingDir)} is not a directory` };
    issues.push(layer?.locate(issue) ?? issue);
  } else {
    const known: Known = {
      checks: isSure(before.issues, 'checks') ? new Set(Object.keys(values.checks ?? {})) : undefined,
      workingDir: isSure(before.issues, 'working_dir', 'workingDir') ? workingDir : undefined,
      environment: options.environment,
      hasSnapshots: values.track_file_changes !== false,
    };
    for (const one of written) {
      if (issues.length > MOST_ISSUES) break;
      issues.push(...referenceIssues(one, known));
    }
  }
  if (issues.length > 0) throw new ConfigError(capped(issues));
  const isPromptNamed = origins.get('prompt_path')?.source !== 'default';
  const promptPath = isPromptNamed ? resolve(workingDir, values.prompt_path ?? '') : defaultPromptPath(workingDir);
  const spec = deepFreeze(buildSpec(values, policy, { workingDir, promptPath }));
  return { spec, origins: Object.fromEntries(origins), warnings: before.warnings };
}

/** What is known for certain although something is wrong: a key that is misspelled, or a file that is not read, may be the one. */
function isSure(found: readonly Issue[], ...keys: readonly string[]): boolean {
  return found.every(({ path, unknownKey }) => {
    const [key = ''] = path.split(/[.[]/);
    return unknownKey !== true && key !== '' && !keys.includes(key);
  });
}

/** What a condition may name; undefined where that is not known. */
interface Known {
  readonly hasSnapshots: boolean;
  readonly checks: ReadonlySet<string> | undefined;
  readonly workingDir: string | undefined;
  readonly environment: Environment;
}

/** What a condition names must be there: its check, its script. */
function referenceIssues({ condition, path, locate }: WrittenCondition, known: Known): readonly Issue[] {
  const { checks, workingDir, environment, hasSnapshots } = known;
  const issues: Issue[] = [];
  visitConditions(condition, path, (inner, at) => {
    const { check, probe, snapshots } = needsOf(inner);
    if (snapshots !== undefined && !hasSnapshots) {
      const message = `${snapshots} needs snapshots of the files, and track_file_changes is false; set it to true`;
      issues.push(locate({ path: `${at}.${snapshots}`, message }));
    }
    const field = `${at}.${CONDITION_CATALOG[inner.type].short}`;
    if (check !== undefined && checks !== undefined && !checks.has(check)) {
      const there =
        checks.size === 0
          ? 'no checks are defined under `checks`'
          : `the checks are ${[...checks].slice(0, 20).join(', ')}`;
      const message = `no check is called ${JSON.stringify(check.slice(0, 60))}${didYouMean(check, checks) || `; ${there}`}`;
      issues.push(locate({ path: field, message }));
    }
    const isProgram = probe?.kind === 'program' && workingDir !== undefined;
    if (isProgram && !isScriptThere(probe.script, workingDir, environment)) {
      const onPath = probe.script.includes('/') ? '' : 'on the PATH or ';
      const message = `there is no script ${JSON.stringify(probe.script.slice(0, 200))} ${onPath}in ${JSON.stringify(workingDir)}`;
      issues.push(locate({ path: field, message }));
    }
  });
  return issues;
}

/** A name without a slash is looked for like a shell does, then in the working directory. */
function isScriptThere(script: string, workingDir: string, { PATH = '' }: Environment): boolean {
  const folders = script.includes('/') ? [] : PATH.split(delimiter);
  return [...folders, '.'].some((folder) => isThere(resolve(workingDir, folder, script), 'file'));
}

function isThere(path: string, kind: 'file' | 'directory'): boolean {
  try {
    const stats = statSync(path);
    return kind === 'file' ? stats.isFile() : stats.isDirectory();
  } catch {
    return false;
  }
}

function capped(issues: readonly Issue[]): readonly Issue[] {
  if (issues.length <= MOST_ISSUES) return issues;
  return [...issues.slice(0, MOST_ISSUES), { path: '', message: 'there is more; these come first' }];
}

/** `stop` and `max_iterations` have rules of their own; see merge-policy.ts. */
const POLICY_KEYS = new Set(['stop', 'stop_conditions', 'max_iterations']);
const SETTING_KEYS: Keys = Object.fromEntries(Object.entries(CONFIG_KEYS).filter(([key]) => !POLICY_KEYS.has(key)));

type Schema = z.core.$ZodType;
type Values = Readonly<Record<string, unknown>>;
type OriginMap = Map<string, Origin>;

/** The settings of all layers, the later over the earlier, completed by the defaults; `origins` learns who set what. */
function mergeSettings(layers: readonly Layer[], defaults: { agent: string }, origins: OriginMap): ConfigValues {
  let merged: Values = {};
  for (const layer of layers) {
    const values: Values = { ...layer.values };
    if (values['prompt_path'] !== undefined) merged = without(merged, 'prompt', origins);
    if (values['prompt'] !== undefined) merged = without(merged, 'prompt_path', origins);
    merged = mergeKeys(SETTING_KEYS, merged, values, '', { layer, origins });
    merged = withAgentArguments(merged, layer, origins);
  }
  const agent = merged['agent'] ?? {};
  const named = isRecord(agent) && agent['name'] === undefined ? { ...agent, name: defaults.agent } : agent;
  if (named !== agent) origins.set('agent.name', { source: 'default' });
  return fillKeys(SETTING_KEYS, { ...merged, agent: named }, '', origins);
}

interface Merging {
  readonly layer: Layer;
  readonly origins: OriginMap;
}

function mergeKeys(keys: Keys, below: Values, above: Values, path: string, merging: Merging): Values {
  const result: [string, unknown][] = Object.entries(below).filter(([key]) => above[key] === undefined);
  for (const [key, value] of Object.entries(above)) {
    const schema = keys[key];
    if (schema === undefined || value === undefined) continue;
    result.push([key, mergeValue(schema, below[key], value, keyPath(path, key), merging)]);
  }
  return Object.fromEntries(result);
}

function mergeValue(schema: Schema, below: unknown, above: unknown, path: string, merging: Merging): unknown {
  const keys = keysOf(schema);
  if (isRecord(above) && keys !== undefined && !restates(schema, below, above)) {
    return mergeKeys(keys, isRecord(below) ? below : {}, above, path, merging);
  }
  if (isRecord(above) && valuesOf(schema) !== undefined) {
    const before = isRecord(below) ? below : {};
    for (const [name, value] of Object.entries(above)) replace(before[name], value, keyPath(path, name), merging);
    return { ...before, ...above };
  }
  replace(below, above, path, merging);
  return above;
}

/** Another agent, another command: what went with the earlier one (its model, its timeout) does not go with this. */
function restates(schema: Schema, below: unknown, above: Values): boolean {
  const short = shortOf(schema);
  if (short === undefined || !isRecord(below)) return false;
  const before = below[short];
  const now = above[short];
  return now !== undefined && before !== undefined && now !== before;
}

function replace(below: unknown, above: unknown, path: string, merging: Merging): void {
  forget(below, path, merging.origins);
  setOrigins(above, path, merging);
}

function setOrigins(value: unknown, path: string, merging: Merging): void {
  if (!isRecord(value)) merging.origins.set(path, merging.layer.originOf(path));
  else for (const [key, inner] of Object.entries(value)) setOrigins(inner, keyPath(path, key), merging);
}

function forget(value: unknown, path: string, origins: OriginMap): void {
  origins.delete(path);
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) forget(inner, keyPath(path, key), origins);
}

function without(values: Values, key: string, origins: OriginMap): Values {
  if (values[key] === undefined) return values;
  origins.delete(key);
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

function withAgentArguments(values: Values, { agentArguments, originOf }: Layer, origins: OriginMap): Values {
  if (agentArguments === undefined || agentArguments.length === 0) return values;
  const agent = isRecord(values['agent']) ? values['agent'] : {};
  const args = Array.isArray(agent['args']) ? (agent['args'] as string[]) : [];
  const before = origins.get('agent.args');
  // Whose the first ones are is still to be told: a project's may not go as the user's own.
  if (before !== undefined) for (const index of args.keys()) origins.set(itemPath('agent.args', index), before);
  origins.set('agent.args', originOf('--agent-arg'));
  return { ...values, agent: { ...agent, args: [...args, ...agentArguments] } };
}

/** Completes what is there with the defaults of the table. */
function fillKeys(keys: Keys, values: Values, path: string, origins: OriginMap): Values {
  const result: Record<string, unknown> = { ...values };
  for (const [key, schema] of Object.entries(keys)) {
    const at = keyPath(path, key);
    const fallback = fallbackOf(schema);
    const isMapping = keysOf(schema) !== undefined && shortOf(schema) === undefined;
    const value = values[key] ?? (isMapping ? {} : undefined);
    if (value !== undefined) result[key] = fillValue(schema, value, at, origins);
    else if (fallback !== undefined) {
      result[key] = fallback;
      origins.set(at, { source: 'default' });
    }
  }
  return result;
}

function fillValue(schema: Schema, value: unknown, path: string, origins: OriginMap): unknown {
  if (!isRecord(value)) return value;
  const keys = keysOf(schema);
  if (keys !== undefined) return fillKeys(keys, value, path, origins);
  const values = valuesOf(schema);
  if (values === undefined) return value;
  const filled = Object.entries(value).map(([name, one]) => [
    name,
    fillValue(values, one, keyPath(path, name), origins),
  ]);
  return Object.fromEntries(filled) as Values;
}
