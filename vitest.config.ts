import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import leftToAll from './test/left-to-all.json' with { type: 'json' };
import { LongestFirst } from './test/support/longest-first.js';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const POSTGRES = 'test/support/suite-postgres.ts';
/** `npm test` sets it: a file that is named on the command line runs all the same. */
const IS_QUICK = process.env['PAWL_TEST_QUICK'] === '1';
const EXCLUDED = [
  '**/node_modules/**',
  '.stryker-tmp/**',
  'dist/**',
  ...(IS_QUICK ? Object.values(leftToAll).flat() : []),
];

/** Tests that start many programs: a small process starts them faster than one that has many files loaded. */
const STARTING = [
  'src/fleet/{batch-budget,mirror,unpushed-commits,work-publisher,worker*,workspace*}.test.ts',
  'src/iteration/run-iteration.test.ts',
  'src/observation/files/**/*.test.ts',
  'src/observation/{commit-work,stage-work,work-git}.test.ts',
  'src/process/**/*.test.ts',
  'src/run/{check-tree,commit,guard}.test.ts',
  'src/setup/make-worktree.test.ts',
];
/** Tests that replace a module of Node. */
const REPLACING = ['src/journal/locate-run.test.ts'];

/** Other tests share a process, which costs less than one for each file. */
const OWN = ['test/**/*.test.ts', ...STARTING, ...REPLACING];

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
    // Long enough for a busy machine: they only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    // Nothing of a test is left in the home of whoever runs it.
    env: { XDG_STATE_HOME: join(tmpdir(), 'pawl-test-state') },
    // The built command is loaded as it is.
    server: { deps: { external: [/\/bin\/chunks\//] } },
    pool: 'forks',
    // Twice as many as there are cores: many tests wait for processes.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'own process', include: OWN, exclude: EXCLUDED, globalSetup: POSTGRES } },
      {
        extends: true,
        test: {
          name: 'shared process',
          include: ['src/**/*.test.ts'],
          exclude: [...EXCLUDED, ...OWN],
          globalSetup: POSTGRES,
          isolate: false,
        },
      },
    ],
  },
});
