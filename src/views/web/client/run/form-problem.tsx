import { shownText } from '../text/shown-text.js';

/** How it stands with what a dialog has sent. */
export interface FormStanding {
  readonly isSending: boolean;
  /** Why it was not taken. */
  readonly problem: string | undefined;
  readonly onClose: () => void;
}

/** Why what was sent was not taken, next to what was typed. */
export function FormProblem({ problem }: { readonly problem: string | undefined }) {
  return <div role="alert">{problem === undefined ? null : <p className="problem-line">{shownText(problem)}</p>}</div>;
}
