import { endOf, loopStateOf } from '../model/phase.js';
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

export function outcomeOf(state: RunState): RunOutcome & {
  readonly iterations: number;
  readonly costUsd?: number | undefined;
} {
  const { iterations } = state;
  const { costUsd } = totalSpend(state.spend);
  const status = loopStateOf(state);
  const ended = endOf(state);
  const reasons = ended?.reasons.map(({ message }) => message);
  return { status, class: ended?.class, reasons, error: ended?.error, iterations, costUsd };
}
