import { resolve } from 'node:path';
import { readConfigFile } from '../../config/config-file.js';
import { readFileLayer } from '../../config/file-layer.js';
import { mergePolicy } from '../../config/merge-policy.js';
import { ConfigError, type Issue } from '../../model/errors.js';
import type { Policy } from '../../model/policy.js';
import type { EventOf } from '../../model/run-event.js';
import { loadManifest } from '../../pipeline/load-manifest.js';
import { haltingConditions, usualBreaker } from '../../pipeline/stop-conditions.js';

/** A policy to try on recorded runs. */
export interface TriedPolicy {
  /** What it is for: a config says when a loop stops, a manifest when a pipeline does. */
  readonly of: 'loop' | 'pipeline';
  readonly policyFor: (run: EventOf<'run-started'>) => Policy;
}

/** A manifest has items; a config, or a file with `stop` alone, has none. */
const MANIFEST_KEY = /^\s*(?:\{\s*)?["']?(?:items|generate)["']?\s*:/m;

/** Reads `--policy`: a config, a file with only `stop`, or a manifest. Throws ConfigError; executes nothing. */
export function readTriedPolicy(path: string): TriedPolicy {
  const cwd = resolve('.');
  const file = readConfigFile(resolve(cwd, path));
  const isManifest = file.kind === 'read' && MANIFEST_KEY.test(file.text);
  return isManifest ? ofManifest(path, cwd) : ofConfig(path, cwd);
}

/** What nobody wrote has its default, as when the run begins. */
function ofConfig(path: string, cwd: string): TriedPolicy {
  const { layer, issues } = readFileLayer({ source: 'project-file', path: resolve(cwd, path), cwd, required: true });
  if (layer === undefined) throw new ConfigError(issues);
  const policyWith = (hasTests: boolean) => {
    const found: Issue[] = [...issues];
    const { policy } = mergePolicy([layer], { hasTests }, new Map(), found);
    if (found.length > 0) throw new ConfigError(found);
    return policy;
  };
  const policies = { withTests: policyWith(true), without: policyWith(false) };
  const isConfigured = layer.values.tests !== undefined;
  return {
    of: 'loop',
    // A file with `stop` alone says nothing of tests: those of the run are meant.
    policyFor: ({ spec }) => (isConfigured || spec?.tests !== undefined ? policies.withTests : policies.without),
  };
}

function ofManifest(path: string, cwd: string): TriedPolicy {
  const { spec, stopConditions, breaker } = loadManifest(path, { cwd, env: process.env });
  return {
    of: 'pipeline',
    policyFor: ({ items = 0 }) => ({
      ...spec.policy,
      failure: haltingConditions(stopConditions, breaker ?? usualBreaker(items)),
    }),
  };
}
