import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildLibrary } from './build-library.mjs';
import { bundleCli, isCliBuilt } from './bundle-cli.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { inProject } from './project.mjs';
import { sourceHash } from './source-hash.mjs';

const BUILT_MARK = inProject('node_modules', '.pawl-built-cli');

/** Makes the command alone, unless it is already made from these sources. */
export async function ensureCliBuilt() {
  await ensureInstalled();
  const hash = sourceHash();
  if (isCliBuilt() && existsSync(BUILT_MARK) && readFileSync(BUILT_MARK, 'utf8') === hash) return;
  mkdirSync(inProject('dist'), { recursive: true });
  await bundleCli();
  writeFileSync(BUILT_MARK, hash);
}

async function buildAll() {
  await ensureInstalled();
  await buildLibrary();
  await bundleCli();
  writeFileSync(BUILT_MARK, sourceHash());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await (process.argv.includes('--cli-if-stale') ? ensureCliBuilt() : buildAll());
}
