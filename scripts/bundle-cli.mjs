import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { buildWeb } from './build-web.mjs';
import { noticesOf } from './notices.mjs';
import { inProject, readPackage } from './project.mjs';
import { fail } from './run-command.mjs';

const ENTRY = inProject('src', 'views', 'cli', 'main.ts');
const TARGET = inProject('dist', 'bin');

/** Bundled CommonJS code asks for Node's own modules with `require`, which a module does not have. */
const REQUIRE_SHIM =
  "import { createRequire as createRequireForBundle } from 'node:module';\n" +
  'const require = createRequireForBundle(import.meta.url);\n';

/** Makes dist/bin/pawl.js and its chunks, one small start and the commands in groups that are loaded when one is called, and the page of `pawl ui`. */
export async function bundleCli() {
  if (!existsSync(ENTRY)) fail('Cannot build the command: src/views/cli/main.ts does not exist.');
  const { build } = await import('esbuild');
  const folder = `${TARGET}.new-${process.pid}`;
  const { outputFiles, metafile } = await build({
    entryPoints: { pawl: ENTRY },
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: Object.keys(readPackage().peerDependencies ?? {}),
    minifySyntax: true,
    legalComments: 'eof',
    logLevel: 'warning',
    write: false,
    metafile: true,
  });
  mkdirSync(`${folder}/chunks`, { recursive: true });
  for (const file of outputFiles) writeFileSync(file.path, finish(file.text, file.path === `${folder}/pawl.js`));
  chmodSync(`${folder}/pawl.js`, 0o755);
  const page = await buildWeb(`${folder}/web`);
  const command = Object.keys(metafile.inputs).map((path) => inProject(path));
  writeFileSync(`${folder}/THIRD_PARTY_NOTICES.txt`, noticesOf([...command, ...page]));
  replaceFolder(folder, TARGET);
}

function finish(text, isEntry) {
  const shebang = text.startsWith('#!') ? text.slice(0, text.indexOf('\n') + 1) : '';
  const body = text.slice(shebang.length);
  const shim = /\b__require =/.test(body) ? REQUIRE_SHIM : '';
  return `${isEntry ? '#!/usr/bin/env node\n' : ''}${shim}${body}`;
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
