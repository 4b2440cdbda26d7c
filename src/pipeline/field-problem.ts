import { clip } from '../model/field-rules.js';

const DEEPEST_NESTING = 80;

/** Why the value of a field could not reach a command as it was written; undefined when it can. */
export function fieldProblem(key: string, value: unknown, depth = 1): string | undefined {
  const name = clip(JSON.stringify(key));
  if (depth > DEEPEST_NESTING) return `${name} is nested more than ${DEEPEST_NESTING} deep`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `${name} is ${value}, which is no number to work with; put quotes around it`;
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
    return isExact ? undefined : `${name} has more digits than a number keeps; put quotes around it`;
  }
  if (typeof value === 'string') {
    if (value.includes('\0')) return `${name} holds a NUL`;
    return /\p{Surrogate}/u.test(value) ? `${name} holds half of a character` : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.values(value)) {
    const problem = fieldProblem(key, inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
