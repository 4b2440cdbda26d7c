import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^pawl$/, replacement: source('index.ts') },
      { find: /^pawl\/agent$/, replacement: source('agent/index.ts') },
      { find: /^pawl\/pipeline$/, replacement: source('pipeline/index.ts') },
      { find: /^pawl\/replay$/, replacement: source('replay/index.ts') },
      { find: /^pawl\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '.stryker-tmp/**', 'dist/**'],
    testTimeout: 60_000,
    // Nothing of a test is left in the home of whoever runs it.
    env: { XDG_STATE_HOME: join(tmpdir(), 'pawl-test-state') },
    pool: 'forks',
    // Twice as many as there are cores: many tests wait for processes.
    maxWorkers: 4,
  },
});
