import type { LoopConfig } from '../config/loop-config.js';
import { resolveConfig } from '../config/resolve-config.js';
import { withDefined } from '../iteration/create-agent.js';
import { newRunId } from '../journal/run-places.js';
import type { RunSpec } from '../model/run-spec.js';
import { nameFunctions } from './name-functions.js';
import { RunHandle } from './run-handle.js';
import { checkRunOptions, type RunOptions } from './run-options.js';
import { newRunSource } from './run-source.js';

/**
 * A loop: one agent on one prompt, again and again, until the policy says stop. Throws ConfigError when the config cannot
 * be used.
 *
 * @example
 * ```ts
 * import { allTestsPass, LoopRunner, maxCost } from 'pawl';
 *
 * const runner = new LoopRunner({
 *   agent: 'claude',
 *   tests: 'npm test',
 *   stop: { success: [allTestsPass()], limits: [maxCost(5)] },
 * });
 * const { status, reasons } = await runner.run();
 * console.log(status, reasons[0]?.message);
 * ```
 */
export class LoopRunner extends RunHandle {
  readonly spec: RunSpec;

  constructor(config: LoopConfig, options: RunOptions = {}) {
    checkRunOptions(options);
    const { config: serialisable, functions } = nameFunctions(config);
    const { spec: resolved } = resolveConfig(serialisable, { hasReviewer: options.reviewer !== undefined });
    const spec = withDefined(resolved, options.agent);
    super(
      newRunSource(spec, options.journal?.state.runId ?? newRunId(), {
        ...options,
        functions: { ...functions, ...options.functions },
      }),
    );
    this.spec = spec;
  }
}

/** The same as `new LoopRunner`. */
export function createRun(config: LoopConfig, options: RunOptions = {}): LoopRunner {
  return new LoopRunner(config, options);
}

/** A run of a spec that is resolved already, such as the command line makes. */
export function createSpecRun(spec: RunSpec, options: RunOptions = {}, runId: string = newRunId()): RunHandle {
  return new RunHandle(newRunSource(spec, runId, options));
}
