import { inProject } from './project.mjs';

/** Makes the page of the dashboard: index.html, and its script and style under names that change with what is in them. */
export async function buildWeb(folder) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: inProject('src', 'views', 'web', 'client'),
    mode: 'production',
    // Also where a test builds it.
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: 'assets',
      // The page may load nothing but its own files, not even from a data URL.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      target: 'baseline-widely-available',
      reportCompressedSize: false,
    },
  });
}
