import shared from './stryker.config.mjs';

/** What decides when to stop. */
export default {
  ...shared,
  plugins: [new URL('scripts/mutation-runner.mjs', import.meta.url).href],
  testRunner: 'bundled',
  // Only pure tests. The one that is left out reads the sources, which hold every mutant at once.
  bundledTests: { folders: ['src/stop', 'src/model'], exclude: ['src/model/conditions/catalog.test.ts'] },
  mutate: ['src/stop/**/*.ts', 'src/model/{conditions,judging}/**/*.ts', '!src/**/*.test.ts'],
  jsonReporter: { fileName: 'reports/mutation-decision.json' },
};
