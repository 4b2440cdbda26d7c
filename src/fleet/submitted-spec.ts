import * as z from 'zod/mini';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, Flags } from '../config/override-table.js';
import { loadConfig } from '../config/load-config.js';
import { ConfigError } from '../model/errors.js';
import { readValue } from '../model/read-value.js';
import type { RunSpec, WorktreeSpec } from '../model/run-spec.js';

/** What is submitted: enough to make the same run of it in any working tree. */
export interface SubmittedSpec {
  /** The text of a config; empty when there is none. */
  readonly config: string;
  /** In place of what it says, as on the command line. */
  readonly flags: Flags;
}

const SUBMITTED = z.object({
  config: z.string(),
  flags: z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())])),
}) satisfies z.ZodMiniType<SubmittedSpec>;

/**
 * The run that was submitted, in a working tree of this worker. Neither the worker's own settings nor the repository's
 * take part: a run is the same wherever it goes on. Throws ConfigError.
 */
export function specOf(submitted: unknown, worktree: WorktreeSpec, folder: string, { PATH }: Environment): RunSpec {
  const { value: run, faults } = readValue(SUBMITTED, submitted);
  if (run === undefined || faults.length > 0)
    throw new ConfigError([{ path: '', message: 'what was submitted is not a run' }]);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const configPath = join(folder, 'pawl.yaml');
  writeFileSync(configPath, run.config, { mode: 0o600 });
  const { spec } = loadConfig({ cwd: worktree.path, configPath, env: { HOME: '', PATH }, flags: run.flags });
  // What is not committed would be lost with this worker.
  return { ...spec, commit: 'iteration', worktree };
}
