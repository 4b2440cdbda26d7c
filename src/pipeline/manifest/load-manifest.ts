import { dirname, resolve } from 'node:path';
import type { ConfigValues } from '../../config/config-shape.js';
import { DEFAULT_LIMIT } from '../../config/default-policy.js';
import { readFileLayer } from '../../config/file-layer.js';
import type { Layer, Origins } from '../../config/layer.js';
import { typeOf } from '../../config/merge-policy.js';
import { defaultOf } from '../../config/shape.js';
import { userFilePath, placeOutside } from '../../config/config-file.js';
import { resolveLayers } from '../../config/load-config.js';
import { parseDuration } from '../../model/duration.js';
import { ConfigError, type Issue } from '../../model/errors.js';
import type { GenerateSpec } from '../../model/pipeline-spec.js';
import type { CommandSpec, RunSpec } from '../../model/run-spec.js';
import { generateIssues } from './check-generate.js';
import { type ItemSource, readItemSource } from './item-source.js';
import { type ManifestFile, readManifestFile } from './manifest-file.js';
import { AUDIT_KEYS, GENERATE_KEYS, MANIFEST, type ManifestValues, RETRY_KEYS } from './manifest-shape.js';
import { DEFAULT_STOP_CONDITIONS, type StopConditions } from '../stop-conditions.js';
import { createAgent } from '../../iteration/cli-agent.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A manifest that is ready to run, but for its items, which have not been listed yet. */
export interface Manifest {
  /** As it was named. */
  readonly file: string;
  readonly path: string;
  /** Who does the work, what it costs, who is told. Its policy has the limits only. */
  readonly spec: RunSpec;
  readonly origins: Origins;
  /** The folders that the user has chosen: the one that he is in, and that of the manifest. */
  readonly folders: readonly string[];
  readonly warnings: readonly Issue[];
  readonly source: ItemSource;
  readonly generate: GenerateSpec;
  readonly audit?: CommandSpec | undefined;
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly breaker?: number | undefined;
  readonly stopConditions: StopConditions;
  /** File, line and column of what stands at a key path. */
  readonly placeOf: (path: string) => string;
}

interface LoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Someone else does the work than the manifest names, who need not be there then. */
  readonly hasOwnAgent?: boolean | undefined;
  /** The reviewer is given in code. */
  readonly hasReviewer?: boolean | undefined;
  /** It is loaded to resume a run, which an earlier version may have recorded. */
  readonly isRecorded?: boolean | undefined;
}

/** Reads a manifest and checks everything that can be checked without its items. Throws ConfigError; executes nothing. */
export function loadManifest(
  path: string,
  { cwd, env, hasOwnAgent = false, hasReviewer = false, isRecorded }: LoadOptions,
): Manifest {
  const file = readManifestFile(path, cwd, isRecorded);
  const { values, locate, placeOf } = file;
  const found: Issue[] = [...generateIssues(values)];
  const source = values.items === undefined ? undefined : readItemSource(values.items, found, placeOf);
  const issues = [...file.issues, ...found.map(locate)];
  const user = userLayer(env, cwd);
  const layers = [...(user.layer === undefined ? [] : [user.layer]), layerOf(file, resolve(cwd, path), hasReviewer)];
  const {
    spec: resolved,
    origins,
    warnings,
  } = resolveLayers(
    layers,
    { cwd, defaultAgent: 'command', hasReviewer, environment: env },
    { issues: [...user.issues, ...issues], warnings: user.warnings },
  );
  if (source === undefined) throw new ConfigError([locate({ path: 'items', message: 'is missing' })]);
  const spec = withCommand(resolved, values);
  const nobody = hasOwnAgent ? [] : agentIssues(spec, env);
  if (nobody.length > 0) throw new ConfigError(nobody.map(locate));
  return {
    file: path,
    path: resolve(cwd, path),
    spec,
    origins,
    folders: [cwd, dirname(resolve(cwd, path))],
    warnings,
    source,
    generate: generateOf(values.generate ?? {}, spec.workingDir),
    audit: values.audit && {
      command: values.audit.command,
      timeoutMs: milliseconds(values.audit.timeout ?? defaultOf(AUDIT_KEYS.timeout)),
    },
    ...retryOf(values),
    concurrency: values.concurrency ?? defaultOf(MANIFEST.shape.concurrency),
    placeOf,
  };
}

function retryOf({ retry = {} }: Partial<ManifestValues>) {
  const { max_attempts, backoff, circuit_breaker, stop_conditions } = retry;
  return {
    maxAttempts: max_attempts ?? defaultOf(RETRY_KEYS.max_attempts),
    backoffMs: milliseconds(backoff ?? defaultOf(RETRY_KEYS.backoff)),
    breaker: circuit_breaker,
    stopConditions: { ...DEFAULT_STOP_CONDITIONS, ...stop_conditions } as StopConditions,
  };
}

function generateOf(generate: Partial<ManifestValues['generate']>, workingDir: string): GenerateSpec {
  const { command, prompt, prompt_path, output, timeout } = generate;
  return {
    ...(command === undefined ? {} : { command }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(prompt_path === undefined ? {} : promptFileOf(resolve(workingDir, prompt_path), workingDir)),
    ...(output === undefined ? {} : { output }),
    timeoutMs: milliseconds(timeout ?? defaultOf(GENERATE_KEYS.timeout)),
  };
}

function promptFileOf(promptPath: string, workingDir: string): Pick<GenerateSpec, 'promptPath' | 'promptPlace'> {
  const promptPlace = placeOutside(promptPath, workingDir);
  return promptPlace === undefined ? { promptPath } : { promptPath, promptPlace };
}

/** What a manifest shares with a config, as a layer of one. */
function layerOf(file: ManifestFile, path: string, hasReviewer: boolean): Layer {
  const { values, placeOf, locate } = file;
  const {
    generate = {},
    limits = [],
    working_dir,
    agents,
    notify,
    prices,
    review,
  } = values as Partial<ManifestValues> & {
    generate?: Partial<ManifestValues['generate']>;
  };
  const timeout = generate.timeout ?? defaultOf(GENERATE_KEYS.timeout);
  const hasCount = limits.some((entry) => typeOf(entry) === DEFAULT_LIMIT.type);
  const layer: ConfigValues = {
    ...(working_dir === undefined ? {} : { working_dir: resolve(dirname(path), working_dir) }),
    agent: generate.command === undefined ? generate.agent : { name: 'command' },
    agents,
    env: generate.env,
    prompt: generate.prompt ?? '{{item.id}}',
    iteration_timeout: timeout,
    idle_timeout: timeout,
    iteration_delay: 0,
    track_file_changes: false,
    parse_tests: false,
    status_line: false,
    session: { mode: 'fresh' },
    ...(hasCount ? {} : { max_iterations: 0 }),
    stop: { success: [], failure: [], limits },
    ...(review === undefined && !hasReviewer ? {} : { review: review ?? {} }),
    notify,
    prices,
  };
  const written = (at: string) =>
    at.replace(/^(agent|env)(?=[.[]|$)/, 'generate.$1').replace(/^stop\.limits/, 'limits');
  return {
    source: 'project-file',
    values: layer,
    originOf: (at) => ({ source: 'project-file', place: placeOf(written(at)) }),
    locate: (issue) => locate({ ...issue, path: written(issue.path) }),
  };
}

/** Of the user's own config counts what is about money and about whom to tell. */
function userLayer(env: Environment, cwd: string) {
  const path = userFilePath(env);
  if (path === undefined) return { layer: undefined, issues: [], warnings: [] };
  const { layer, issues, warnings } = readFileLayer({ source: 'user-file', path, cwd, required: false });
  if (layer === undefined) return { layer, issues, warnings };
  const { max_cost_per_day, prices, notify, agents } = layer.values;
  return { layer: { ...layer, values: { max_cost_per_day, prices, notify, agents } }, issues, warnings };
}

/** The shell gets the values of an item as variables: the command line is the same for every item. */
function withCommand(spec: RunSpec, { generate }: Partial<ManifestValues>): RunSpec {
  if (generate?.command === undefined) return spec;
  const { prompt: _none, ...rest } = spec;
  const command = ['/bin/sh', '-c', generate.command];
  return { ...rest, agent: { ...spec.agent, command } };
}

function milliseconds(duration: string | 0): number {
  return duration === 0 ? 0 : (parseDuration(duration) ?? 0);
}

/** Why no one could make an item: there is no such agent, or its program cannot be run. Starts nothing. */
function agentIssues(spec: RunSpec, environment: Readonly<Record<string, string | undefined>>): readonly Issue[] {
  try {
    createAgent(spec, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^agent(?=\.|$)/, 'generate.agent') }));
  }
}
