import type { Outcome } from '../../../../model/outcome.js';

/** What a run is at, with a dot in its colour. */
export function StatusBadge({ outcome: { word, tone } }: { readonly outcome: Outcome }) {
  return (
    <span className={`badge tone-${tone}`}>
      <span className="dot" aria-hidden="true" />
      {word}
    </span>
  );
}
