import { defineConfig, mergeConfig } from 'vitest/config';
import projectConfig from './vitest.config.js';

const { test: _all, ...shared } = projectConfig;

/** Only the pure tests of the model: each of thousands of mutants runs those that reach it. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      // Long enough for a busy machine: a test that is only slow must not count as one that noticed a mutant.
      testTimeout: 60_000,
      setupFiles: ['test/mutation-setup.ts'],
      include: ['src/stop/**/*.test.ts', 'src/model/**/*.test.ts', 'test/property/**/*.test.ts'],
      // It reads the sources, which hold every mutant at once.
      exclude: ['src/model/conditions/catalog.test.ts'],
    },
  }),
);
