import type { AttemptFeedback } from '../model/item-state.js';

const LONGEST = 8000;

/** What came of the attempt before. */
export interface LastAttempt {
  /** Of the next one, from 1. */
  readonly attempt: number;
  readonly reasons: readonly string[];
  readonly feedback?: AttemptFeedback | undefined;
}

/** What a next attempt is told of the one before; empty for the first. */
export function feedbackText({ attempt, reasons, feedback }: LastAttempt): string {
  if (attempt === 1) return '';
  const codes = reasons.length === 0 ? '' : `: ${reasons.join(', ')}`;
  const { message = '', output = '' } = feedback ?? {};
  const parts = [`Attempt ${attempt - 1} was not approved${codes}.`, message, output];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, LONGEST);
}
