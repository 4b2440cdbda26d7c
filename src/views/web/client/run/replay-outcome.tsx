import { formatDuration } from '../../../../model/duration.js';
import { type Unit, plural } from '../../../../model/figures.js';
import type { ReplayAnswer } from '../../wire/api.js';
import { money } from '../text/figures.js';
import { shownText } from '../text/shown-text.js';

const LEAST_MS = 1000;

interface ReplayOutcomeProps {
  readonly answer: ReplayAnswer;
  readonly isPipeline: boolean;
}

/** Where another policy would have stopped the same run, and what that would have saved. */
export function ReplayOutcome({ answer: { stop, saved, missing, notes }, isPipeline }: ReplayOutcomeProps) {
  const unit = isPipeline ? 'attempt' : 'iteration';
  const parts = saved === undefined ? [] : savedParts(saved, unit);
  return (
    <div className="replay-outcome">
      {stop === undefined ? (
        <p>It would not have stopped within this record.</p>
      ) : (
        <p>
          <b>
            {stop.iteration === 0
              ? 'It would not have started'
              : `It would have stopped after ${unit} ${stop.iteration}`}
            {stop.class === undefined ? '' : ` (${stop.class})`}
          </b>
          : {shownText(stop.reasons.map(({ message }) => message).join('; '))}
        </p>
      )}
      {saved === undefined ? null : <p>Saved: {parts.length === 0 ? 'nothing' : parts.join(', ')}.</p>}
      {saved?.losesGoal === true ? (
        <p className="fewer">The goal that this run reached would have been missed.</p>
      ) : null}
      {[...notes, ...missing].map((sentence) => (
        <p key={sentence} className="dim">
          {shownText(sentence)}
        </p>
      ))}
    </div>
  );
}

/** Only what is worth a word. */
function savedParts(
  { iterations, costUsd = 0, activeMs }: NonNullable<ReplayAnswer['saved']>,
  unit: Unit,
): readonly string[] {
  return [
    ...(iterations > 0 ? [plural(iterations, unit)] : []),
    ...(costUsd > 0 ? [money(costUsd)] : []),
    ...(activeMs >= LEAST_MS ? [`${formatDuration(activeMs)} of active time`] : []),
  ];
}
