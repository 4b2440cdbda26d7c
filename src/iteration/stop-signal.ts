/** Why an iteration is to end before its agent is done. The reason of the signal that ends it. */
export type Interrupt =
  /** A live condition of the policy is met. */
  | 'limit'
  /** One that is about what is spent. */
  | 'budget'
  | 'failure'
  | 'operator'
  /** An operator wants the next iteration. */
  | 'skip'
  /** The agent was refused by its provider and would only try again. */
  | 'refused'
  /** The run cannot be recorded any more. */
  | 'broken';

export function interruptOf(signal: AbortSignal): Interrupt | undefined {
  return signal.aborted ? (signal.reason as Interrupt) : undefined;
}

/** Ends what a run is doing, by steps that only escalate: the agent, the run after this iteration, everything now. */
export class StopSignal {
  #agent = new AbortController();
  #kill = new AbortController();
  #run = new AbortController();
  readonly #now = new AbortController();

  /** Ends the agent, or the review. */
  get agent(): AbortSignal {
    return this.#agent.signal;
  }

  /** The agent gets no more time to end by itself. */
  get kill(): AbortSignal {
    return this.#kill.signal;
  }

  /** The run ends after this iteration: nothing waits for what may take long. */
  get run(): AbortSignal {
    return this.#run.signal;
  }

  /** Ends the observers and the hooks, too. */
  get now(): AbortSignal {
    return this.#now.signal;
  }

  /** Before the next iteration. A request to end everything now stays. */
  renew(): void {
    if (this.now.aborted) return;
    this.#agent = new AbortController();
    this.#kill = new AbortController();
    this.#run = new AbortController();
  }

  /** The first reason counts. */
  endAgent(why: Interrupt): void {
    this.#agent.abort(why);
  }

  endRun(why: Interrupt): void {
    this.endAgent(why);
    this.#run.abort(why);
  }

  endNow(why: Interrupt): void {
    this.endRun(why);
    this.#now.abort(why);
  }

  killAgent(): void {
    this.#kill.abort();
  }
}
