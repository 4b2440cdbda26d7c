import type { RunRow } from '../../wire/api.js';
import { money } from '../text/figures.js';

/** What a run has cost; where no one has reported, that it is not known. */
export function RunCost({ run: { costUsd, leastCostUsd } }: { readonly run: RunRow }) {
  if (costUsd !== undefined) return money(costUsd);
  return leastCostUsd === undefined ? <span className="dim">unknown</span> : `≥ ${money(leastCostUsd)}`;
}
