// An agent loop of your own: ask after every iteration which condition stops it, in the order given.
import { evaluateStopConditions, maxCost, maxIterations, maxTokens } from 'pawl';

const stopWhen = [maxIterations(10), maxTokens(500_000), maxCost(0.5)];
const usage = { inputTokens: 0, outputTokens: 0 };

for (let iteration = 1; ; iteration++) {
  usage.inputTokens += 40_000; // what your model reported
  usage.outputTokens += 2_000;
  const stop = evaluateStopConditions(stopWhen, { iteration, model: 'claude-sonnet-4-5', usage });
  if (stop === null) continue;
  console.log(`stopped after iteration ${iteration}: ${stop.reason}`);
  break;
}

// A price that nobody knows is not a price of zero: the budget cannot be kept, so it stops.
const unknown = evaluateStopConditions([maxCost(100)], { iteration: 1, model: 'my-own-model', usage });
console.log(unknown?.reason);

// Prints:
// stopped after iteration 4: $0.60 of $0.50
// spend unknown: no price is known for my-own-model
