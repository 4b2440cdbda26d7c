import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** More tasks than a run may take on: a run that ends early then ended because of its cap. */
export const TASKS = 40;

export function tasks<T>(make: (number: number) => T): readonly T[] {
  return Array.from({ length: TASKS }, (_, index) => make(index + 1));
}

/** How often a pattern occurs in a file of the project; undefined without the file. */
export function occurrences(project: string, file: string, pattern: RegExp): number | undefined {
  const path = join(project, file);
  return existsSync(path) ? [...readFileSync(path, 'utf8').matchAll(pattern)].length : undefined;
}

export function packageVersion(folder: string, name: string): string {
  return (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
    .version;
}
