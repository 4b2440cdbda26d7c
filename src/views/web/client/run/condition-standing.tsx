import { CONDITION_WORDS } from '../../../../model/outcome.js';
import { Meter } from '../parts/meter.js';
import { groupedMoney } from '../text/figures.js';
import { shownText } from '../text/shown-text.js';
import type { Standing } from './standings.js';
import { VerdictTree } from './verdict-tree.js';

/** One condition: when it stops the run, and how far that is. */
export function ConditionStanding({ standing }: { readonly standing: Standing }) {
  const { class: stopClass, status, progress, sentence, says, expected, parts } = standing;
  const said = shownText(groupedMoney(sentence));
  return (
    <li className={`standing status-${status}`}>
      <div className="standing-head">
        <span className={`class-name kind-${stopClass}`}>{CONDITION_WORDS[stopClass]}</span>
        <span className="says">{shownText(says)}</span>
        {status === 'met' ? <span className={`met kind-${stopClass}`}>met</span> : null}
        {status === 'unknown' ? <span className="dim">unknown</span> : null}
      </div>
      {progress === undefined && status !== 'unknown' ? null : (
        <Meter label={shownText(says)} progress={progress} kind={stopClass} isMet={status === 'met'} />
      )}
      <p className="sentence">
        {said}
        <span className="dim">{shownText(expected)}</span>
      </p>
      {parts.length === 0 ? null : <VerdictTree parts={parts} />}
    </li>
  );
}
