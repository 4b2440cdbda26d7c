export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  mutate: ['src/stop/**/*.ts', 'src/model/**/*.ts', '!src/**/*.test.ts'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Constants of a module need every test for each mutant; what they say is held by tests of their own.
  ignoreStatic: true,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
  thresholds: { high: 95, low: 90, break: 85 },
  ignorePatterns: ['dist', 'coverage', 'reports', 'examples', 'bench', '.ci'],
};
