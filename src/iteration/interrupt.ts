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
