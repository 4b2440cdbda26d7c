import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const EXCLUDED = ['**/node_modules/**', '.stryker-tmp/**', 'dist/**'];

/** Tests that leave nothing behind in their own process: they share one, which costs less than one for each file. */
const SHARING = [
  'src/{agent,iteration,pipeline,setup,standalone}/**/!(speech).test.ts',
  'src/run/**/!(control-place|control-run|control-server|notifier|resume).test.ts',
  'src/{agents,config,model,pricing,replay,stop,testing}/**/!(command|config-file).test.ts',
  'src/views/{export,live,metrics,terminal}/**/*.test.ts',
  'src/views/web/{client,server,wire}/**/*.test.ts',
];

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
    testTimeout: 60_000,
    // Nothing of a test is left in the home of whoever runs it.
    env: { XDG_STATE_HOME: join(tmpdir(), 'pawl-test-state') },
    pool: 'forks',
    // Twice as many as there are cores: many tests wait for processes.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'own process',
          include: ['{src,test}/**/*.test.ts'],
          exclude: [...EXCLUDED, ...SHARING],
          globalSetup: 'test/support/suite-postgres.ts',
        },
      },
      {
        extends: true,
        test: { name: 'shared process', include: SHARING, exclude: EXCLUDED, isolate: false },
      },
    ],
  },
});
