import { formatDuration } from '../../../../model/duration.js';
import { inAttempts } from '../../../../model/pipeline-words.js';
import { plural, usd } from '../../../../stop/figures.js';
import type { ReplayAnswer } from '../../wire/api.js';
import { shownText } from '../text/shown-text.js';

interface ReplayOutcomeProps {
  readonly answer: ReplayAnswer;
  readonly isPipeline: boolean;
}

/** Where another policy would have stopped the same run, and what that would have saved. */
export function ReplayOutcome({ answer: { stop, saved, missing }, isPipeline }: ReplayOutcomeProps) {
  const say = isPipeline ? inAttempts : (text: string) => text;
  const parts =
    saved === undefined
      ? []
      : [
          plural(saved.iterations, 'iteration'),
          ...(saved.costUsd === undefined ? [] : [usd(saved.costUsd)]),
          `${formatDuration(saved.activeMs)} of active time`,
        ];
  return (
    <div className="replay-outcome">
      {stop === undefined ? (
        <p>It would not have stopped within this record.</p>
      ) : (
        <p>
          <b>
            {stop.iteration === 0
              ? 'It would not have begun'
              : say(`It would have stopped after iteration ${stop.iteration}`)}
            {stop.class === undefined ? '' : ` (${stop.class})`}
          </b>
          : {shownText(say(stop.reasons.map(({ message }) => message).join('; ')))}
        </p>
      )}
      {parts.length === 0 ? null : <p>Saved: {say(parts.join(', '))}.</p>}
      {saved?.losesGoal === true ? (
        <p className="fewer">The goal that this run reached would have been missed.</p>
      ) : null}
      {missing.map((sentence) => (
        <p key={sentence} className="dim">
          {shownText(sentence)}
        </p>
      ))}
    </div>
  );
}
