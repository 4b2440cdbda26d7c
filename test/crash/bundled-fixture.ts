import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BundledFixture {
  readonly path: string;
  remove(): void;
}

/** A program of ours among the fixtures, bundled, as Node 20 cannot run TypeScript. */
export async function bundleFixture(name: string): Promise<BundledFixture> {
  const folder = mkdtempSync(join(tmpdir(), `pawl-${name}-`));
  // Whoever a test runs as may read it.
  chmodSync(folder, 0o755);
  const path = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Some of what is bundled still asks for its parts by `require`.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
    outfile: path,
    logLevel: 'error',
  });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
