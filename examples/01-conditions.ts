// Conditions are plain data. Factories check them, combinators join them, `describe` puts them into words.
import {
  allOf,
  allTestsPass,
  anyOf,
  describe,
  evaluateCondition,
  fileCreated,
  holdsFor,
  maxCost,
  maxIterations,
  not,
} from 'pawl';

const done = anyOf(allOf(allTestsPass(), not(maxCost(5))), holdsFor(2, fileCreated('DONE.md')));

console.log(JSON.stringify(maxIterations(3)));
console.log(describe(done));

// What is not known is unknown: it stops nothing by itself.
for (const context of [{ iteration: 2 }, { iteration: 3 }, {}]) {
  const { status, progress = 'unknown' } = evaluateCondition(maxIterations(3), context);
  console.log(status, progress);
}

// Prints:
// {"type":"max_iterations","count":3}
// (when all tests pass and not (after $5.00)) or when DONE.md exists for 2 iterations in a row
// not-met 0.6666666666666666
// met 1
// unknown unknown
