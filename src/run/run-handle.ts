import type { StopCondition } from '../model/condition.js';
import { checkTreeAtResume } from './check-tree.js';
import { createHistory, type History } from './history.js';
import { LiveHandle, type RunSource } from './live-handle.js';
import { LiveRun } from './live-run.js';
import { runLoop } from './loop.js';
import { checkResumable, prepare, type ResumeWishes } from './prepare.js';
import type { RunResult } from './run-result.js';

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
   * Runs until the policy says stop, or goes on with a run that was stopped or broke. Limits given here take the place of
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
