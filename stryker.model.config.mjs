import shared from './stryker.config.mjs';

/** The rest of the model, with the property tests: they run for a minute where a mutant survives. */
export default {
  ...shared,
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: ['src/model/*.ts', '!src/**/*.test.ts'],
  concurrency: 2,
  jsonReporter: { fileName: 'reports/mutation-model.json' },
};
