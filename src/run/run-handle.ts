import type { StopCondition } from '../model/condition.js';
import { checkTreeAtResume } from './start-checks.js';
import { createHistory, type History, type RunResult } from './history.js';
import { LiveHandle, type RunSource } from './live-handle.js';
import { LiveRun } from './live-run.js';
import { runLoop } from './loop.js';
import { checkResumable, prepare, type ResumeWishes } from './prepare.js';
import type { LoopConfig } from '../config/loop-config.js';
import { resolveConfig } from '../config/resolve-config.js';
import { withDefined } from '../iteration/cli-agent.js';
import { newRunId } from '../journal/run-places.js';
import type { RunSpec } from '../model/run-spec.js';
import { nameFunctions } from './name-functions.js';
import { checkRunOptions, type RunOptions } from './run-options.js';
import { newRunSource } from './run-source.js';

export type { RunResult };

export interface StretchOptions {
  /** Limits in place of those of the same type. */
  readonly raise?: readonly StopCondition[];
  /** Told to the agent in the next prompt, such as the answer to its question. */
  readonly steer?: string | undefined;
  /** Judges by the newest rules of the conditions, not by those that the run was started with. */
  readonly newestRules?: boolean | undefined;
  /** Accepts the tests as they are now in place of those of the start. */
  readonly acceptTests?: boolean | undefined;
  /** Stops the run at once. */
  readonly signal?: AbortSignal;
}

/** A run to be started, steered and watched. Keeps no global, installs no handler, prints nothing. */
export class RunHandle extends LiveHandle {
  readonly history: History;
  readonly #source: Pick<RunSource, 'checkStart' | 'changed'>;

  constructor(source: RunSource) {
    super(source);
    this.#source = source;
    this.history = createHistory({
      state: () => this.runState,
      read: () => this.readRecord(),
      folder: source.folder,
    });
  }

  /**
   * Runs until the policy says stop, or continues with a run that was stopped or broke. Limits given here take the place of
   * those of the same type. Resolves however the run ends; rejects only when it cannot be started.
   */
  run({ raise = [], steer, newestRules, acceptTests, signal }: StretchOptions = {}): Promise<RunResult> {
    const wishes = { raise, steer, newestRules, acceptTests, changed: this.#source.changed };
    return this.start({
      signal,
      check: () => this.#check(wishes),
      checkOpen: (parts) => {
        checkResumable(parts.journal.state, wishes);
        return checkTreeAtResume(parts);
      },
      begin: (parts) => {
        const live = new LiveRun(parts);
        return {
          live,
          async go(onRunning) {
            await prepare(live, wishes, onRunning);
            await runLoop(live);
          },
        };
      },
    });
  }

  #check(wishes: ResumeWishes): Promise<void> | undefined {
    checkResumable(this.runState, wishes);
    return this.runState.seq === 0 ? this.#source.checkStart?.() : undefined;
  }
}

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
