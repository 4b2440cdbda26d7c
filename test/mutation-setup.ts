import fc from 'fast-check';

// Thousands of mutants run these tests: fewer examples each, because the tables beside the source do most of the work.
fc.configureGlobal({ numRuns: 20 });
