import { useMemo, useRef } from 'react';
import { count, plural } from '../../../../model/figures.js';
import { createListStore, type ListSnapshot } from '../live/list-store.js';
import { useClosingStore } from '../live/use-closing-store.js';
import { useNow } from '../live/use-now.js';
import { HISTORY_PATH } from '../live/route.js';
import { PageLink } from '../parts/page-link.js';
import { RefusedPage } from '../parts/refused-page.js';
import { TopBar } from '../parts/top-bar.js';
import { shownText } from '../text/shown-text.js';
import { matchingRuns, NO_FILTER, type RunFilter, statusesOf } from './matching-runs.js';
import { RunFilterBar } from './run-filter-bar.js';
import { RunTable } from './run-table.js';
import { CopyCommand } from '../parts/copy-command.js';

interface RunListPageProps {
  readonly filter: RunFilter;
  readonly onFilter: (filter: RunFilter) => void;
}

const NOTHING_LISTED: ListSnapshot = { problems: [], connection: 'connecting' };

/** All runs of all projects, the live ones first. */
export function RunListPage({ filter, onFilter }: RunListPageProps) {
  const { runs, problems, connection, words } = useClosingStore(createListStore, '', NOTHING_LISTED);
  const nowMs = useNow(true);
  const filterBox = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => matchingRuns(runs ?? [], filter), [runs, filter]);
  if (connection === 'refused') return <RefusedPage />;
  const live = runs?.filter(({ isLive }) => isLive).length ?? 0;
  return (
    <div className="page list-page">
      <title>{live > 0 ? `(${live}) Pawl` : 'Pawl'}</title>
      <TopBar connection={connection} words={words}>
        <h1>Runs</h1>
        <span className="dim">
          {runs === undefined ? 'looking' : `${plural(runs.length, 'run')}, ${count(live)} live`}
        </span>
        <PageLink href={HISTORY_PATH}>History</PageLink>
      </TopBar>
      <main>
        <RunFilterBar
          box={filterBox}
          filter={filter}
          statuses={statusesOf(runs ?? [])}
          matches={runs === undefined || runs.length === shown.length ? undefined : shown.length}
          onFilter={onFilter}
        />
        {problems.map((problem) => (
          <p key={problem} className="problem-line">
            {shownText(problem)}
          </p>
        ))}
        {runs?.length === 0 ? <NoRuns /> : null}
        {runs !== undefined && runs.length > 0 && shown.length === 0 ? (
          <p className="nothing">
            No run matches.{' '}
            <button type="button" className="link" onClick={() => onFilter(NO_FILTER)}>
              Show all
            </button>
          </p>
        ) : null}
        {shown.length > 0 ? <RunTable runs={shown} nowMs={nowMs} filterBox={filterBox} /> : null}
      </main>
    </div>
  );
}

/** Before anything has run. */
function NoRuns() {
  return (
    <section className="notice">
      <h2>Nothing has run yet</h2>
      <p>A run that is started in a terminal appears here at once:</p>
      <CopyCommand command="pawl run -p 'Make the tests pass.' -a claude --tests 'npm test' --max-cost 5" />
      <p>To find out what a project needs, and to write its config:</p>
      <CopyCommand command="pawl init" />
    </section>
  );
}
