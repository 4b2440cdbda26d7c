import { setTimeout as pause } from 'node:timers/promises';
import { PawlError } from '../model/errors.js';
import { ownTree } from './git.js';
import { checkedOut } from './read-repository.js';
import type { RunClone } from './clone.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A push that takes longer is reported. */
const SLOW_MS = 30_000;
/** For pushes after the run is to end. */
const LAST_TRIES_MS = 30_000;

/** A commit can never be pushed. */
export class PushRefused extends PawlError {
  /** The agent has changed what was pushed before; otherwise someone else has pushed to the branch. */
  readonly isRewritten: boolean;

  constructor(message: string, isRewritten: boolean) {
    super('InvalidState', isRewritten ? `the agent has changed commits that were pushed: ${message}` : message);
    this.isRewritten = isRewritten;
  }
}

/** Time was up before a push succeeded. */
export class PushFailed extends PawlError {
  /** The answer of the remote, or that there is none. */
  readonly why: string;

  constructor(why: string) {
    super('InvalidState', `its work is not pushed: ${why}`);
    this.why = why;
  }
}

export interface PublisherOptions {
  readonly clone: RunClone;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends all pushes and pauses. */
  readonly signal: AbortSignal;
  /** Receives why the work cannot be pushed, with what happens next, and undefined once it is pushed. */
  readonly onTrouble: (trouble: string | undefined, next?: string) => void;
  readonly slowMs?: number | undefined;
  readonly lastTriesMs?: number | undefined;
}

/** Pushes the work of a run to its branch. */
export class WorkPublisher {
  readonly #options: PublisherOptions;
  #published: string;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#published = options.clone.start;
  }

  /**
   * Resolves when the branch contains all commits. Tries until the remote answers: what is not pushed would be lost with
   * this machine. Once the run is to end, it tries a last time. Rejects when that fails, and when someone else has pushed
   * to the branch.
   */
  async publish(ending: AbortSignal): Promise<void> {
    const { clone, environment, signal, onTrouble, lastTriesMs = LAST_TRIES_MS } = this.#options;
    const commit = await checkedOut({ ...ownTree(clone.path), environment, signal });
    if (commit === this.#published) return;
    const over = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const isEnding = () => (timer ??= setTimeout(() => over.abort(), lastTriesMs));
    if (ending.aborted) isEnding();
    else ending.addEventListener('abort', isEnding, { once: true });
    try {
      await this.#insist(commit, ending, AbortSignal.any([signal, over.signal]));
    } finally {
      clearTimeout(timer);
      ending.removeEventListener('abort', isEnding);
    }
    this.#published = commit;
    onTrouble(undefined);
  }

  async #insist(commit: string, ending: AbortSignal, stop: AbortSignal): Promise<void> {
    const { onTrouble } = this.#options;
    let why = 'the remote does not answer';
    for (let pauseMs = FIRST_PAUSE_MS, tries = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS), tries += 1) {
      const isLast = ending.aborted && tries > 1;
      // oxlint-disable-next-line no-await-in-loop -- until it is there
      const failed = await this.#push(commit, stop);
      if (failed === undefined) return;
      // A push that was stopped says nothing about the remote.
      if (!stop.aborted) why = failed;
      if (isLast || stop.aborted) throw new PushFailed(why);
      const waitMs = ending.aborted ? FIRST_PAUSE_MS : pauseMs;
      onTrouble(`its work cannot be pushed: ${why}`, `it is tried again in ${waitMs / 1000} s`);
      const isWoken = ending.aborted ? stop : AbortSignal.any([stop, ending]);
      // oxlint-disable-next-line no-await-in-loop -- not at once
      await pause(waitMs, undefined, { signal: isWoken }).catch(() => undefined);
    }
  }

  /** Why it failed; undefined when it is there. Throws PushRefused. */
  async #push(commit: string, stop: AbortSignal): Promise<string | undefined> {
    const { clone, onTrouble, slowMs = SLOW_MS } = this.#options;
    const slow = `its work is not pushed yet: the remote has not answered for ${Math.round(slowMs / 1000)} s`;
    const timer = setTimeout(() => onTrouble(slow, 'it is waited for'), slowMs);
    const answer = await clone.publish(commit, stop);
    clearTimeout(timer);
    if (answer === 'pushed') return undefined;
    if ('refused' in answer) throw new PushRefused(answer.refused, answer.isRewritten);
    return answer.failed;
  }
}
