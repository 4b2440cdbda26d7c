import { dirname, join, relative } from 'node:path';
import { ProjectFiles } from './project-files.js';

const SCHEMA = 'node_modules/pawl/dist/schema.json';

/** A relative path to the schema of the Pawl that the project has installed, here or at the top of its repository. */
export function findSchema(folder: string, top: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (new ProjectFiles(here).hasFile(SCHEMA)) {
      const path = join(relative(folder, here), SCHEMA);
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (here === top || here === dirname(here)) return undefined;
  }
}
