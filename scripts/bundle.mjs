import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { inProject, readPackage } from './project.mjs';

/** Bundled CommonJS code asks for Node's own modules with `require`, which a module does not have. */
const REQUIRE_SHIM =
  "import { createRequire as createRequireForBundle } from 'node:module';\n" +
  'const require = createRequireForBundle(import.meta.url);\n';

/** zod carries its messages in fifty languages, and Pawl writes its own. */
const ENGLISH_ONLY = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Writes each entry, and what entries share, with the packages that they need: a start opens few files. Packages whose version
 * the user chooses stay outside. Returns the source files.
 */
export async function bundle(entryPoints, outdir) {
  const { outputFiles, metafile } = await build({
    entryPoints,
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: Object.keys(readPackage().peerDependencies ?? {}),
    minifySyntax: true,
    plugins: [ENGLISH_ONLY],
    legalComments: 'eof',
    logLevel: 'warning',
    write: false,
    metafile: true,
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withRequire(text));
  }
  return Object.keys(metafile.inputs).map((path) => inProject(path));
}

function withRequire(text) {
  return /\b__require =/.test(text) ? REQUIRE_SHIM + text : text;
}
