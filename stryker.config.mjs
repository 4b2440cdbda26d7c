/** What all scopes of `npm run mutation` share. */
export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // Constants of a module need every test for each mutant; what they say is held by tests of their own.
  ignoreStatic: true,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false },
  thresholds: { high: 95, low: 90, break: 85 },
  ignorePatterns: ['dist', 'coverage', 'reports', 'examples', 'bench', '.ci'],
};
