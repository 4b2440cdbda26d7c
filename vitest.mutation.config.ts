import { defineConfig, mergeConfig } from 'vitest/config';
import projectConfig from './vitest.config.js';

const { test: _all, ...shared } = projectConfig;

/** Only the quick, pure tests of the decision: each of thousands of mutants runs those that reach it. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      setupFiles: ['test/mutation-setup.ts'],
      include: ['src/stop/**/*.test.ts', 'src/model/**/*.test.ts', 'test/property/**/*.test.ts'],
      // It reads the sources, which hold every mutant at once.
      exclude: ['src/model/conditions/catalog.test.ts'],
    },
  }),
);
