import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** A path inside the project. */
export function inProject(...parts) {
  return join(ROOT, ...parts);
}

export function readPackage() {
  return JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
}
