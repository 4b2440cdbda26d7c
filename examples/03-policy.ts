// A policy has classes. All its conditions are judged; the strongest class decides.
import { allTestsPass, evaluatePolicy, exitCodeOf, maxIterations, noProgress, type Policy } from 'pawl';

const policy: Policy = {
  success: [allTestsPass()],
  failure: [noProgress(5)],
  limits: [maxIterations(3)],
};

// The goal is met on the last permitted iteration: a success, and the limit is named as well.
const verdict = evaluatePolicy(policy, {
  iteration: 3,
  iterationsSinceProgress: 1,
  passedTests: ['adds', 'subtracts'],
  failedTests: [],
});

console.log(verdict.stop, verdict.class, verdict.class && exitCodeOf(verdict.class));
for (const reason of verdict.reasons) console.log(`${reason.class}: ${reason.message}`);
for (const { path, sentence } of verdict.judgements) console.log(`${path}: ${sentence}`);

// Prints:
// true goal 0
// goal: both tests pass
// limit: 3 of 3 iterations
// stop.success[0]: both tests pass
// stop.failure[0]: no progress for 1 of 5 iterations
// stop.limits[0]: 3 of 3 iterations
