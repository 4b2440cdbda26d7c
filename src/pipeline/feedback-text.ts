import type { AttemptTask } from './run-attempt.js';

const LONGEST = 8000;

/** What a next attempt is told of the one before; empty for the first. */
export function feedbackText({
  attempt,
  reasons,
  feedback,
}: Pick<AttemptTask, 'attempt' | 'reasons' | 'feedback'>): string {
  if (attempt === 1) return '';
  const codes = reasons.length === 0 ? '' : `: ${reasons.join(', ')}`;
  const { message = '', output = '' } = feedback ?? {};
  const parts = [`Attempt ${attempt - 1} was not approved${codes}.`, message, output];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, LONGEST);
}
