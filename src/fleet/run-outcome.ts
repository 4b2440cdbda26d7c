import type { RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';

/** How a run ended, as the row of the run tells it; the record tells the rest. */
export interface RunOutcome {
  readonly status: string;
  readonly class?: string | undefined;
  readonly reasons?: readonly string[] | undefined;
  readonly error?: string | undefined;
  /** Where the working tree is kept because it holds what is on no branch, as HOST:PATH. */
  readonly kept?: string | undefined;
}

export function outcomeOf({ status, ended, spend, iterations }: RunState): RunOutcome & {
  readonly iterations: number;
  readonly costUsd?: number | undefined;
} {
  const { costUsd } = totalSpend(spend);
  const reasons = ended?.reasons.map(({ message }) => message);
  return { status, class: ended?.class, reasons, error: ended?.error, iterations, costUsd };
}
