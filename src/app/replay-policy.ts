import { resolve, extname } from 'node:path';
import { readConfigFile } from '../config/config-file.js';
import { type FileLayer, parseLayer, readFileLayer } from '../config/file-layer.js';
import { DEFAULT_LIMIT } from '../config/default-policy.js';
import { withDayLimit } from '../config/override-layer.js';
import { mergePolicy, type WrittenCondition } from '../config/merge-policy.js';
import { ConfigError, type Issue } from '../model/errors.js';
import type { Policy } from '../model/policy.js';
import type { EventOf } from '../model/run-event.js';
import { loadManifest } from '../pipeline/manifest/load-manifest.js';
import { haltingConditions, usualBreaker } from '../pipeline/stop-conditions.js';
import type { Surroundings } from './surroundings.js';
import type { Environment } from '../journal/run-places.js';

/** A policy to try on recorded runs. */
export interface TriedPolicy {
  /** What it is for: a config says when a loop stops, a manifest when a pipeline does. */
  readonly of: 'loop' | 'pipeline';
  readonly policyFor: (run: EventOf<'run-started'>) => Policy;
  /** What it has that no one wrote, in sentences. */
  readonly notes: readonly string[];
}

/** A manifest has items; a config, or a file with `stop` alone, has none. */
const MANIFEST_KEY = /^\s*(?:\{\s*)?["']?(?:items|generate)["']?\s*:/m;

/** Reads `--policy`: a config, a file with only `stop`, or a manifest. Throws ConfigError; executes nothing. */
export function readTriedPolicy(path: string, context: Surroundings): TriedPolicy {
  const cwd = resolve(context.cwd, '.');
  const file = readConfigFile(resolve(cwd, path));
  const isManifest = file.kind === 'read' && MANIFEST_KEY.test(file.text);
  if (isManifest) return ofManifest(path, cwd, context.environment);
  const options = { source: 'project-file', path: resolve(cwd, path), cwd, required: true } as const;
  const part = file.kind === 'read' ? asStopPart(file.text, path) : undefined;
  if (part === undefined) return ofConfig(readFileLayer(options), (issue) => issue);
  return ofConfig(parseLayer(part, path, options), placedInStopPart);
}

/**
 * The same from a text that someone types to try it on one run: `stop`, or what is in it. Whatever the policy of a
 * record can hold may be in it. Throws ConfigError with places that begin with `name`.
 */
export function parseTriedPolicy(text: string, name: string, of: TriedPolicy['of'] = 'loop'): TriedPolicy {
  const part = asStopPart(text, name);
  const options = { source: 'user-file', path: name, cwd: '/', required: true, recordOf: of } as const;
  const layer = parseLayer(part ?? text, name, options);
  return ofConfig(layer, part === undefined ? (issue) => issue : placedInStopPart, { allowsDayLimit: true });
}

/** What no one wrote has its default, as when the run begins. */
function ofConfig(
  { layer, issues }: Omit<FileLayer, 'warnings'>,
  placed: (issue: Issue) => Issue,
  { allowsDayLimit = false } = {},
): TriedPolicy {
  if (layer === undefined) throw new ConfigError(issues.map(placed));
  const policyWith = (hasTests: boolean) => {
    const found: Issue[] = [...issues];
    const { policy, written } = mergePolicy([layer], { hasTests }, new Map(), found);
    // It is refused here as in any file of a project.
    if (!allowsDayLimit) withDayLimit(policy, [layer], found);
    if (found.length > 0) throw new ConfigError(found.map(placed));
    return { policy, notes: written.flatMap(noteOf) };
  };
  const policies = { withTests: policyWith(true), without: policyWith(false) };
  const isConfigured = layer.values.tests !== undefined;
  return {
    of: 'loop',
    // A file with `stop` alone says nothing of tests: those of the run are meant.
    policyFor: ({ spec }) => (isConfigured || spec?.tests !== undefined ? policies.withTests : policies.without).policy,
    notes: policies.without.notes,
  };
}

/** A limit that no one wrote would decide in silence. */
function noteOf({ condition, origin }: WrittenCondition): readonly string[] {
  if (condition.type !== DEFAULT_LIMIT.type || origin.source !== 'default') return [];
  return [`max_iterations: ${condition.count} is the default; 0 means none`];
}

function ofManifest(path: string, cwd: string, environment: Environment): TriedPolicy {
  const { spec, stopConditions, breaker } = loadManifest(path, { cwd, env: environment });
  return {
    of: 'pipeline',
    policyFor: ({ items = 0 }) => ({
      ...spec.policy,
      failure: haltingConditions(stopConditions, breaker ?? usualBreaker(items)),
    }),
    notes: [],
  };
}

const LIST_KEY = /^(?:success|failure|limits|conditions)\s*:/m;
const OTHER = /^(?:stop\s*:|---|\.\.\.|%|\{|\[)/m;

/** A YAML file with the lists of `stop` at its top, put under `stop`; undefined when it is anything else. */
function asStopPart(text: string, path: string): string | undefined {
  if (extname(path).toLowerCase() === '.json' || !LIST_KEY.test(text) || OTHER.test(text)) return undefined;
  return `stop:\n${text.replace(/^(?=.)/gm, '  ')}`;
}

/** What is wrong stands one line above and two columns before the place in the text that was made. */
function placedInStopPart(issue: Issue): Issue {
  const place = issue.place?.replace(
    /:(\d+):(\d+)$/,
    (_, line: string, column: string) => `:${Math.max(1, Number(line) - 1)}:${Math.max(1, Number(column) - 2)}`,
  );
  return place === undefined ? issue : { ...issue, place };
}
