import shared from './stryker.config.mjs';

export default {
  ...shared,
  vitest: { configFile: 'vitest.mutation-journal.config.ts' },
  mutate: ['src/journal/**/*.ts', '!src/**/*.test.ts'],
  // Its tests write to real files and wait for real syncs: two at once would time out for each other.
  concurrency: 1,
  timeoutMS: 10_000,
  timeoutFactor: 3,
  jsonReporter: { fileName: 'reports/mutation-journal.json' },
};
