import { resolve } from 'node:path';
import type { Issue } from '../model/errors.js';
import { DEFAULT_AGENT } from '../agents/find-adapter.js';
import { expandShorthands, writtenPath } from './file-layer.js';
import type { Environment } from './override-table.js';
import type { Layer } from './layer.js';
import type { LoopConfig } from './loop-config.js';
import { camelKey, readConfigValues } from './read-shape.js';
import { type ResolvedConfig, resolveLayers } from './load-config.js';

/**
 * A config given in code, through the same rules as a file. Only what is given counts: no file, variable or flag is
 * read.
 *
 * @example
 * const { spec } = resolveConfig({ agent: 'claude', tests: 'npm test', stop: { limits: [{ max_cost: 5 }] } });
 */
export function resolveConfig(
  config: LoopConfig,
  options: {
    readonly cwd?: string;
    readonly defaultAgent?: string;
    readonly environment?: Environment;
    /** The reviewer is given in code. */
    readonly hasReviewer?: boolean;
  } = {},
): ResolvedConfig {
  const cwd = resolve(options.cwd ?? '.');
  const spelled: Issue[] = [];
  const { hasReviewer = false } = options;
  const given = hasReviewer ? { ...config, review: config.review ?? {} } : config;
  const read = readConfigValues(given, { spelling: 'camel', issues: spelled });
  const issues: Issue[] = [];
  const { values, writtenPaths } = expandShorthands(read, issues);
  const locate = (issue: Issue): Issue => ({ ...issue, path: camelPath(writtenPath(issue.path, writtenPaths)) });
  const layer: Layer = { source: 'code', values, originOf: () => ({ source: 'code' }), locate };
  const defaultAgent = options.defaultAgent ?? DEFAULT_AGENT;
  return resolveLayers(
    [layer],
    { cwd, defaultAgent, hasReviewer, environment: options.environment ?? process.env },
    {
      issues: [...spelled, ...issues.map(locate)],
      warnings: [],
    },
  );
}

/** Conditions are written the same everywhere, so what follows a list position is left as it is. */
function camelPath(path: string): string {
  const [keys = '', ...rest] = path.split('[');
  return [camelKey(keys), ...rest].join('[');
}
