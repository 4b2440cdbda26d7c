import { dismiss, useToasts } from '../live/toasts.js';
import { shownText } from '../text/shown-text.js';

/** What was said in passing. The region is always there, so that a reader of the screen hears what comes into it. */
export function ToastList() {
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
