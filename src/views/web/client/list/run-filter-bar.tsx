import type { KeyboardEvent, RefObject } from 'react';
import { plural } from '../../../../model/figures.js';
import { NO_FILTER, type RunFilter } from './matching-runs.js';

interface RunFilterBarProps {
  readonly box: RefObject<HTMLInputElement | null>;
  readonly filter: RunFilter;
  readonly statuses: readonly string[];
  /** How many are shown, when not all are. */
  readonly matches: number | undefined;
  readonly onFilter: (filter: RunFilter) => void;
}

export function RunFilterBar({ box, filter, statuses, matches, onFilter }: RunFilterBarProps) {
  const leave = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') {
      if (filter.text !== '') onFilter({ ...filter, text: '' });
      event.currentTarget.blur();
      event.preventDefault();
    }
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.currentTarget.blur();
      document.querySelector<HTMLElement>('.run-row a')?.focus();
      event.preventDefault();
    }
  };
  return (
    <div className="filter-bar" role="search">
      <input
        ref={box}
        type="search"
        aria-label="Filter the runs"
        placeholder="Filter by task, folder, agent, branch, reason…  /"
        value={filter.text}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onFilter({ ...filter, text: target.value })}
        onKeyDown={leave}
      />
      <select
        aria-label="Status"
        value={filter.status}
        onChange={({ target }) => onFilter({ ...filter, status: target.value })}
      >
        <option value="">any status</option>
        <option value="live">live</option>
        {[...new Set([...statuses, filter.status])]
          .filter((status) => status !== '' && status !== 'live')
          .map((status) => (
            <option key={status}>{status}</option>
          ))}
      </select>
      <span className="dim" role="status">
        {matches === undefined ? '' : `${plural(matches, 'run')} shown`}
      </span>
      {filter.text === '' && filter.status === '' ? null : (
        <button type="button" className="quiet" onClick={() => onFilter(NO_FILTER)}>
          clear
        </button>
      )}
    </div>
  );
}
