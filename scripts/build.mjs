import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildLibrary } from './build-library.mjs';
import { bundleCli, isCliBuilt } from './bundle-cli.mjs';
import { licensesOf } from './licenses.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { inProject } from './project.mjs';
import { sourceHash } from './source-hash.mjs';

/** Beside what it speaks of, so that it goes wherever that goes. It is not published. */
const BUILT_MARK = inProject('dist', '.built-from');

/** Makes the command alone, unless it is already made from these sources. */
export async function ensureCliBuilt() {
  await ensureInstalled();
  const hash = sourceHash();
  if (isCliBuilt() && existsSync(BUILT_MARK) && readFileSync(BUILT_MARK, 'utf8') === hash) return;
  mkdirSync(inProject('dist'), { recursive: true });
  rmSync(BUILT_MARK, { force: true });
  writeLicenses(await bundleCli());
  writeFileSync(BUILT_MARK, hash);
}

async function buildAll() {
  await ensureInstalled();
  const hash = sourceHash();
  const library = await buildLibrary();
  const command = await bundleCli();
  writeLicenses([...library, ...command]);
  writeFileSync(BUILT_MARK, hash);
}

function writeLicenses(bundled) {
  writeFileSync(inProject('dist', 'THIRD_PARTY_LICENSES'), licensesOf(bundled));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await (process.argv.includes('--cli-if-stale') ? ensureCliBuilt() : buildAll());
}
