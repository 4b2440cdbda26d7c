import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { needsOf } from '../model/condition-catalog.js';
import type { ConditionFunctions } from '../model/condition-function.js';
import { conditionKey } from '../model/condition-key.js';
import type { ProbeResult } from '../model/observation.js';
import { parseCondition } from '../model/parse-condition.js';
import { observeProbe } from '../observation/probe.js';

export interface ObserveProbesOptions {
  readonly workingDir: string;
  /** The functions that `function` conditions name. */
  readonly functions?: ConditionFunctions | undefined;
  /** Handed to every function. */
  readonly context?: unknown;
  /** For scripts; that of this process unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks at the files, runs the scripts and calls the functions that the conditions name, one after the other. The answers
 * are what the evaluation takes as `probes`. Rejects only with a ConfigError; what is not known is an answer without `met`.
 *
 * @example
 * ```ts
 * import { evaluateStopConditions, fileCreated, maxIterations, observeProbes } from 'pawl';
 *
 * const conditions = [fileCreated('DONE.md'), maxIterations(10)];
 * const probes = await observeProbes(conditions, { workingDir: '.' });
 * console.log(evaluateStopConditions(conditions, { iteration: 3, probes })?.reason); // "DONE.md exists"
 * ```
 */
export async function observeProbes(
  conditions: readonly StopCondition[],
  options: ObserveProbesOptions,
): Promise<Readonly<Record<string, ProbeResult>>> {
  const { environment = process.env, workingDir, ...rest } = options;
  const setting = { ...rest, environment, workingDir: resolve(workingDir), cookie: randomUUID() };
  const probes: Record<string, ProbeResult> = {};
  for (const [key, probe] of probesIn(conditions)) {
    // oxlint-disable-next-line no-await-in-loop -- they share the working directory
    probes[key] = await observeProbe(probe, setting);
  }
  return probes;
}

/** Equal conditions are inspected once. */
function probesIn(conditions: readonly StopCondition[]): ReadonlyMap<string, StopCondition> {
  const leaves = conditions.flatMap((condition, index) => leavesOf(parseCondition(condition, `conditions[${index}]`)));
  return new Map(
    leaves.filter((leaf) => needsOf(leaf).probe !== undefined).map((probe) => [conditionKey(probe), probe]),
  );
}
