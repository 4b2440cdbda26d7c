import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import leftToAll from './test/left-to-all.json' with { type: 'json' };
import { LongestFirst } from './test/support/longest-first.js';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const SETUP = ['test/support/suite-folder.ts', 'test/support/suite-postgres.ts'];
/** `npm test` sets it: a file that is named on the command line runs all the same. */
const IS_QUICK = process.env['PAWL_TEST_QUICK'] === '1';
const EXCLUDED = [
  '**/node_modules/**',
  '.stryker-tmp/**',
  'dist/**',
  ...(IS_QUICK ? Object.values(leftToAll).flat() : []),
];

/**
 * Tests that replace a module of Node, that look at the memory, the descriptors or the children of their own process, or
 * that hold the syntax of every source.
 */
const OWN = [
  'src/process/**/*.test.ts',
  'test/architecture.test.ts',
  'test/crash/{exact-limits,many-live-loops}.test.ts',
  'test/e2e/{cheating-agents,doctor,hostile-agents,hostile-output,pains}.test.ts',
  'test/fuzz/control-socket.test.ts',
];

/** pg-boss needs Node 22.12: under an older one `scripts/test.mjs` runs these under one that is new enough. */
const [MAJOR = 0, MINOR = 0] = process.versions.node.split('.').map(Number);
const HAS_PG_BOSS = MAJOR > 22 || (MAJOR === 22 && MINOR >= 12);
if (!HAS_PG_BOSS) EXCLUDED.push('test/fleet/**');

/** Tests that start many programs: a small process starts them faster than one that has many files loaded. */
const STARTING = [
  'src/fleet/worker.test.ts',
  'src/workspace/*.test.ts',
  'src/iteration/run-iteration.test.ts',
  'src/observation/files/**/*.test.ts',
  'src/run/{check-tree,commit,guard}.test.ts',
  'test/{crash,e2e,fleet,fuzz,scripts,security}/**/*.test.ts',
  'test/!(corpus|public-api).test.ts',
];

function project(
  name: string,
  { exclude = [], ...more }: { include: string[]; exclude?: string[]; isolate?: boolean },
) {
  return { extends: true as const, test: { name, globalSetup: SETUP, exclude: [...EXCLUDED, ...exclude], ...more } };
}

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
    expect: { poll: { timeout: 60_000 } },
    // Nothing of a test is left in the home of whoever runs it.
    env: { XDG_STATE_HOME: join(tmpdir(), 'pawl-test-state'), CI: '' },
    // The built command is loaded as it is.
    server: { deps: { external: [/\/bin\/chunks\//] } },
    pool: 'forks',
    setupFiles: process.env['PAWL_TEST_CPU'] === undefined ? [] : ['scripts/test-cpu.mjs'],
    // Twice as many as there are cores: many tests wait for processes.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Files that share a process cost less than one for each.
    projects: [
      project('own process', { include: OWN }),
      project('small process', { include: STARTING, exclude: OWN, isolate: false }),
      project('shared process', {
        include: ['src/**/*.test.ts', 'test/{contract,property}/**/*.test.ts', 'test/{corpus,public-api}.test.ts'],
        exclude: [...OWN, ...STARTING],
        isolate: false,
      }),
    ],
  },
});
