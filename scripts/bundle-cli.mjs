import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { buildWeb } from './build-web.mjs';
import { inProject } from './project.mjs';
import { fail } from './run-command.mjs';

const ENTRY = inProject('src', 'views', 'cli', 'main.ts');
const TARGET = inProject('dist', 'bin');

/** Makes dist/bin/pawl.js and its chunks, one small start and the commands in groups that are loaded when one is called, and the page of `pawl ui`. Returns the files in the bundles. */
export async function bundleCli() {
  if (!existsSync(ENTRY)) fail('Cannot build the command: src/views/cli/main.ts does not exist.');
  const { bundle } = await import('./bundle.mjs');
  const folder = `${TARGET}.new-${process.pid}`;
  const command = await bundle({ pawl: ENTRY }, folder);
  const start = `${folder}/pawl.js`;
  writeFileSync(start, `#!/usr/bin/env node\n${readFileSync(start, 'utf8')}`);
  chmodSync(start, 0o755);
  const page = await buildWeb(`${folder}/web`);
  replaceFolder(folder, TARGET);
  return [...command, ...page];
}

/** A command that starts meanwhile finds the old files or the new ones, hardly ever none. */
function replaceFolder(made, target) {
  const old = `${target}.old-${process.pid}`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(made, target);
  rmSync(old, { recursive: true, force: true });
}

export function isCliBuilt() {
  return existsSync(`${TARGET}/pawl.js`) && readFileSync(`${TARGET}/pawl.js`, 'utf8').length > 0;
}
