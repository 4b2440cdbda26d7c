import type { GoalFacts, Observation } from '../model/observation.js';
import type { TestResults } from '../model/test-results.js';
import type { OriginalsChecked } from './run-originals.js';

/**
 * Tests that are missing by name speak against the work only where two runs of the same files have the same names: names may hold
 * a time or a random number.
 */
export async function withSteadyNames(
  observed: Observation,
  { original, control }: OriginalsChecked,
  runAgain: () => Promise<TestResults | undefined>,
): Promise<Observation> {
  const { tests } = observed;
  const judged = original.tests ?? tests;
  const isJudged = original.unusable === undefined && judged !== undefined && hasMissing(judged);
  if (!isJudged || tests?.changes === undefined) return { ...observed, original };
  const second = control ?? (await runAgain());
  if (second === undefined || second.changes?.digest === tests.changes.digest) return { ...observed, original };
  return {
    ...observed,
    tests: byNumber(tests),
    original: original.tests === undefined ? original : { ...original, tests: byNumber(original.tests) },
  };
}

function hasMissing({ changes }: TestResults): boolean {
  return changes?.missing !== undefined || changes?.skipped !== undefined;
}

function byNumber(tests: TestResults): TestResults {
  const { changes: _, ...counted } = tests;
  return { ...counted, grade: 'counted' };
}

export function comparedByNumber(facts: GoalFacts): GoalFacts {
  return facts.tests?.changes === undefined ? facts : { ...facts, tests: byNumber(facts.tests) };
}

/** Those of the start are recorded once. */
export function withoutNames({ tests, ...facts }: GoalFacts): GoalFacts {
  if (tests === undefined) return facts;
  const { names: _, ...others } = tests;
  return { ...facts, tests: others };
}
