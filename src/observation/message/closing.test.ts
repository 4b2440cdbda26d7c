import { expect, it } from 'vitest';
import { closingOf } from './closing.js';

it.each([undefined, '  \n'])(
  'a message without words shows nothing, so it does not say that the work is finished',
  (message) => {
    expect(closingOf(message)).toBe('empty');
  },
);

it.each([
  'mul is in place. div is next.',
  'I read the code to see how division by zero behaves. I will write div in the next step.',
  "I read the code. I'll write div.",
  'The edit did not apply. I will try again with the exact text.',
  'Installed the dependency. Now I can write the code that uses it.',
  'Committed mul. Next is div.',
  'The measurement has to be repeated; I do that in the next iteration.',
  'Status:\n- [x] mul\n- [ ] div',
  'mul is there.\n\nRemaining: div, pow.',
  'The memory use did not change. I could not find the cause.',
  'mul is there; div follows.',
  'mul is there.\n\nPAWL: NEEDS the npm token\n\nI wrote it into the file.',
  'Publishing was not possible: there is no npm login on this machine.',
])('a message that announces work or names a failure leaves something open: %s', (message) => {
  expect(closingOf(message)).toBe('open');
});

it.each([
  ['I ran the tests again. They pass.', 'finished'],
  ['All 14 tests pass.', 'finished'],
  ['I read the diff. The suite is green. No further changes are needed.', 'finished'],
  ['The manual is complete.', 'finished'],
  ['I read the three modules. The analysis is complete.', 'plain'],
  ['The feed is in src/feed.', 'plain'],
  ['I read the code of the map again. It does what was asked.', 'plain'],
  ['There is nothing left to do.', 'plain'],
] as const)('a message that only reports leaves nothing open: %s', (message, closing) => {
  expect(closingOf(message)).toBe(closing);
});
