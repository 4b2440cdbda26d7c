import type { RunRow } from '../../wire/api.js';
import { Meter } from '../parts/meter.js';
import { shownText } from '../text/shown-text.js';

/** Why a run ended or waits; of one at work, the limit that it is closest to. */
export function RunWhy({ run: { why, closest, isLive } }: { readonly run: RunRow }) {
  const said = why === undefined ? '' : shownText(why);
  if (said !== '' || closest === undefined || !isLive) return <span title={said}>{said}</span>;
  const sentence = shownText(closest.sentence);
  return (
    <span className="closest" title={sentence}>
      <Meter label={sentence} progress={closest.progress} kind="limit" />
      <span className="dim">{sentence}</span>
    </span>
  );
}
