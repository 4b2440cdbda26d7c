import { useState } from 'react';
import { NO_FILTER } from './list/matching-runs.js';
import { RunListPage } from './list/run-list-page.js';
import { useRunInAddress } from './live/route.js';
import { ToastList } from './parts/toast-list.js';
import { RunPage } from './run/run-page.js';

/** The list of runs, or one of them. The filter is still there when one comes back. */
export function App() {
  const runId = useRunInAddress();
  const [filter, setFilter] = useState(NO_FILTER);
  return (
    <>
      {runId === undefined ? (
        <RunListPage filter={filter} onFilter={setFilter} />
      ) : (
        <RunPage key={runId} runId={runId} />
      )}
      <ToastList />
    </>
  );
}
