import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { inProject } from './project.mjs';

/** Changes when anything changes that a build is made from. */
export function sourceHash() {
  const hash = createHash('sha256');
  const files = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
  const others = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) =>
    inProject(name),
  );
  for (const file of [...files, ...others].toSorted((a, b) => a.localeCompare(b))) {
    const content = readFileSync(file);
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
