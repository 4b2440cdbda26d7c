import { tool } from 'ai';
import { maxCost, maxIterations } from 'pawl';
import { createDeepFactorAgent } from 'pawl/agent';
import { scriptedModel } from 'pawl/testing';
import { z } from 'zod';

// An agent in this process. The model is scripted, so that no key is needed; any model of the AI SDK stands in its place.
const model = scriptedModel([
  { text: 'I look at the shelf.', toolCalls: [{ name: 'count', input: { shelf: 'left' } }] },
  { text: 'There are 3 books.', usage: { input: 1500, output: 20 } },
  { toolCalls: [{ name: 'count', input: { shelf: 'right' } }], usage: { input: 1800, output: 30, cacheRead: 1500 } },
  { text: 'There are 7 books.', usage: { input: 2000, output: 20, cacheRead: 1800 } },
]);

const books: Readonly<Record<string, number>> = { left: 3, right: 4 };
const count = tool({
  description: 'Counts the books on a shelf',
  inputSchema: z.object({ shelf: z.string() }),
  execute: ({ shelf }) => ({ books: books[shelf] ?? 0 }),
});

const agent = createDeepFactorAgent({
  model,
  tools: { count },
  stopWhen: [maxIterations(5), maxCost(0.5)],
  verifyCompletion: ({ text }) =>
    text.includes('7') || { complete: false, reason: 'there is a shelf on the right, too' },
});

const stream = agent.stream({ prompt: 'How many books are there?' });
for await (const part of stream) {
  if (part.type === 'iteration-started') console.log(`iteration ${part.iteration}`);
  if (part.type === 'tool-result') console.log(`  ${part.toolName}: ${part.output}`);
}
const { text, stopClass, stopReason, iterations, steps, costUsd } = await stream.result;
console.log(
  `${text} ${stopClass} after ${iterations} iterations and ${steps.length} model calls, $${costUsd?.toFixed(4)}`,
);
console.log(stopReason);

// Prints:
// iteration 1
//   count: {"books":3}
// iteration 2
//   count: {"books":4}
// There are 7 books. goal after 2 iterations and 4 model calls, $0.0085
// verifyCompletion says that it is done
