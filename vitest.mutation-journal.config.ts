import { defineConfig, mergeConfig } from 'vitest/config';
import projectConfig from './vitest.config.js';

const { test: all, ...shared } = projectConfig;

/** The quick tests of the record, on real files. The journal in Postgres belongs to the fleet. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      env: all?.env ?? {},
      testTimeout: all?.testTimeout ?? 60_000,
      expect: { poll: { timeout: 10_000 } },
      setupFiles: ['test/mutation-setup.ts'],
      include: ['src/journal/**/*.test.ts', 'test/contract/journal.test.ts'],
    },
  }),
);
