import { inProject } from './project.mjs';

/** Makes the page of the dashboard: index.html, and its script and style under names that change with what is in them. Returns the files that it is made of. */
export async function buildWeb(folder) {
  const { build } = await import('vite');
  const before = process.env.NODE_ENV;
  // A test that builds it says `test`, and Vite would take over what that means.
  process.env.NODE_ENV = 'production';
  try {
    const { output } = await build(settingsFor(folder));
    return output.flatMap(({ moduleIds = [] }) => moduleIds);
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

function settingsFor(folder) {
  return {
    configFile: false,
    root: inProject('src', 'views', 'web', 'client'),
    mode: 'production',
    logLevel: 'error',
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
  };
}
