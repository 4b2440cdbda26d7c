import shared from './stryker.config.mjs';

export default {
  ...shared,
  vitest: { configFile: 'vitest.mutation-journal.config.ts' },
  mutate: ['src/journal/**/*.ts', '!src/**/*.test.ts'],
  timeoutMS: 10_000,
  timeoutFactor: 3,
  jsonReporter: { fileName: 'reports/mutation-journal.json' },
};
