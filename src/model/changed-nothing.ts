import type { Work } from './work.js';

/** Whether an iteration changed nothing that counts as work. Undefined when it is not known. */
export function changedNothing({ isNew }: Work): boolean | undefined {
  return isNew === undefined ? undefined : !isNew;
}
