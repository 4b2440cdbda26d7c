import { join } from 'node:path';

/** Where an iteration's prompt and raw output lie, below the run folder. */
export function outputFolder(iteration: number, attempt: number): string {
  const name = String(iteration).padStart(4, '0');
  return join('iterations', attempt === 1 ? name : `${name}.${attempt}`);
}
