import { memo } from 'react';
import { formatDuration } from '../../../../model/duration.js';
import { count } from '../../../../model/figures.js';
import { outcomeText } from '../../../../words/iteration-text.js';
import type { IterationRow as Row } from '../../wire/run-view.js';
import { changeText, money } from '../text/figures.js';
import { blockKind } from './strip-blocks.js';

interface IterationRowProps {
  readonly row: Row;
  readonly passedBefore: number | undefined;
  readonly index: number;
  readonly start: number;
  readonly isSelected: boolean;
  readonly onSelect: (seq: number) => void;
}

/** One ended iteration. What is not known is left empty. */
export const IterationRow = memo(function IterationRow(props: IterationRowProps) {
  const { row, passedBefore, index, start, isSelected, onSelect } = props;
  const { testsPassed, testsFailed, changedFiles, costUsd, isEstimated, contextPercent } = row;
  const ran = testsPassed === undefined || testsFailed === undefined ? undefined : testsPassed + testsFailed;
  const change = changeText(testsPassed, passedBefore);
  return (
    <div
      role="row"
      data-index={index}
      className={`iteration-columns iteration-row${isSelected ? ' selected' : ''}`}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onSelect(row.seq)}
    >
      <div role="cell">
        <button type="button" aria-label={`Iteration ${row.iteration}`} aria-pressed={isSelected}>
          {count(row.iteration)}
          {row.try > 1 ? <small> try {row.try}</small> : null}
        </button>
      </div>
      <div role="cell" className={`outcome block-${blockKind(row)}`}>
        {outcomeText(row)}
      </div>
      <div role="cell">{formatDuration(row.durationMs)}</div>
      <div role="cell">
        {ran === undefined ? '' : `${count(testsPassed ?? 0)} of ${count(ran)}`}
        {change === '' ? null : <small className={change.startsWith('+') ? 'more' : 'fewer'}> {change}</small>}
      </div>
      <div role="cell">{changedFiles === undefined ? '' : count(changedFiles)}</div>
      <div role="cell">
        {costUsd === undefined ? <span className="dim">unknown</span> : money(costUsd)}
        {isEstimated && costUsd !== undefined ? (
          <small title="It reported no usage: counted like the most expensive iteration so far"> est.</small>
        ) : null}
      </div>
      <div role="cell">{contextPercent === undefined ? '' : `${Math.round(contextPercent)}%`}</div>
    </div>
  );
});
