import { useState } from 'react';
import { NO_FILTER } from './list/matching-runs.js';
import { RunListPage } from './list/run-list-page.js';
import { useIsHistory, useRunInAddress } from './live/route.js';
import { HistoryPage } from './history/history-page.js';
import { RunPage } from './run/run-page.js';
import { dismiss, useToasts } from './live/toasts.js';
import { shownText } from './text/shown-text.js';

/** The list of runs, or one of them. The filter is still there when one comes back. */
export function App() {
  const runId = useRunInAddress();
  const isHistory = useIsHistory();
  const [filter, setFilter] = useState(NO_FILTER);
  return (
    <>
      {isHistory ? (
        <HistoryPage />
      ) : runId === undefined ? (
        <RunListPage filter={filter} onFilter={setFilter} />
      ) : (
        <RunPage key={runId} runId={runId} />
      )}
      <ToastList />
    </>
  );
}

/** What was said in passing. The region is always there, so that a reader of the screen hears what comes into it. */
function ToastList() {
  const toasts = useToasts();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isProblem }) => (
        <div key={id} className={isProblem ? 'toast problem' : 'toast'}>
          <span>{shownText(text)}</span>
          <button type="button" className="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
