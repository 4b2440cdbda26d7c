import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^pawl$/, replacement: source('index.ts') },
      { find: /^pawl\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '.stryker-tmp/**', 'dist/**'],
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
