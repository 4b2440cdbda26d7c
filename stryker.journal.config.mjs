import shared from './stryker.config.mjs';

/** What keeps the record, on real files. The journal in Postgres belongs to the fleet. */
export default {
  ...shared,
  plugins: [new URL('scripts/mutation-runner.mjs', import.meta.url).href],
  testRunner: 'bundled',
  bundledTests: {
    folders: ['src/journal'],
    files: ['test/contract/journal.test.ts'],
  },
  mutate: ['src/journal/**/*.ts', '!src/**/*.test.ts'],
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 30,
  jsonReporter: { fileName: 'reports/mutation-journal.json' },
};
