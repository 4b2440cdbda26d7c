import { setTimeout as pause } from 'node:timers/promises';
import { PawlError } from '../model/errors.js';
import type { Workspace } from './workspace.js';
import { workspaceHead } from './workspace-head.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** What is committed cannot be pushed, however often it is tried. */
export class PushRefused extends PawlError {
  /** The agent has changed what was pushed before; otherwise the branch has gone on without us. */
  readonly isRewritten: boolean;

  constructor(message: string, isRewritten: boolean) {
    super('InvalidState', isRewritten ? `the agent has changed commits that were pushed: ${message}` : message);
    this.isRewritten = isRewritten;
  }
}

export interface PublisherOptions {
  readonly workspace: Workspace;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The run is not ours any more. */
  readonly signal: AbortSignal;
  /** Nobody waits any longer for a remote that takes nothing: it is tried once, and not again. */
  readonly givesUp: AbortSignal;
  readonly onWarning: (message: string) => void;
}

/** Brings the work of a run to its branch. */
export class WorkPublisher {
  readonly #options: PublisherOptions;
  #published: string;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#published = options.workspace.start;
  }

  /**
   * Resolves when the branch holds all that is committed. A remote that cannot be reached is tried until it can be: what is
   * not pushed would be lost with this worker. Rejects when the branch has gone on without us.
   */
  async publish(): Promise<void> {
    const { workspace, environment, signal, givesUp, onWarning } = this.#options;
    const commit = await workspaceHead({ workingDir: workspace.path, environment, signal });
    if (commit === this.#published) return;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      // oxlint-disable-next-line no-await-in-loop -- until it is there
      const answer = await workspace.publish(commit, signal);
      if (answer === 'pushed') break;
      if ('refused' in answer) throw new PushRefused(answer.refused, answer.isRewritten);
      onWarning(`${answer.failed}; it is tried again in ${pauseMs / 1000} s`);
      // oxlint-disable-next-line no-await-in-loop -- not at once
      await pause(pauseMs, undefined, { signal: AbortSignal.any([signal, givesUp]) });
    }
    this.#published = commit;
  }
}
