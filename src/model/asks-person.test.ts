import { describe, expect, it } from 'vitest';
import { asksPerson } from './asks-person.js';

describe('a request to a person', () => {
  it.each([
    'Should I use Postgres or SQLite? I need your decision before I go on.',
    'I still need your decision: Postgres or SQLite?',
    "I can't continue: the STRIPE_KEY is missing. Please add it to .env.",
    'I cannot proceed without access to the staging database.',
    "I'm blocked until you approve the migration.",
    'Waiting for your answer.',
    'Both designs work. Which one do you prefer?',
    'The spec is ambiguous. Could you clarify what a valid date is?',
    'The download needs a login. Please provide the password for the mirror.',
    "Once you confirm the schema, I'll write the migration.",
    'I was not able to reach the registry. Would you like me to vendor the package instead?',
    'How would you like me to proceed?',
    'Your approval is required before I can delete the old tables.',
    'You need to log in to the CLI so that I can deploy.',
  ])('is found: %s', (message) => {
    expect(asksPerson(message)?.kind).toBe('request');
  });

  it.each([
    'I implemented the parser and all tests pass. Would you like me to also add a benchmark?',
    'Done. Let me know if you want anything changed.',
    'The feature is complete. Feel free to ask if you have any questions.',
    'I renamed the module. Should I also update the docs?',
    'I fixed the redirect. Please note that the cache must be cleared.',
    'The form now shows "Please provide a valid address" for an empty field.',
    'I added the check:\n```\nthrow new Error("I need your decision before I go on")\n```\nIt is covered by a test.',
    'The command line exits when it cannot continue without a config file.',
    'Why did it fail? The cache was stale. I cleared it.',
    'I need to run the tests next.',
    'I have created the client. To use it, please provide your key in config.json.',
    'If you want a different colour, please tell me.',
    'It compiles. What else could go wrong?',
    '',
  ])('is not found: %s', (message) => {
    expect(asksPerson(message)).toBeUndefined();
  });

  it('is quoted together with the question that it is about', () => {
    expect(
      asksPerson('I compared both. Should I use Postgres or SQLite? I need your decision before I go on.'),
    ).toEqual({
      kind: 'request',
      sentence: 'Should I use Postgres or SQLite? I need your decision before I go on.',
    });
    expect(asksPerson("I can't continue: the STRIPE_KEY is missing. Please add it to .env.")?.sentence).toBe(
      "I can't continue: the STRIPE_KEY is missing. Please add it to .env.",
    );
  });

  it('counts only near the end of the message: what was asked before the work is answered by the work', () => {
    const work = 'Then I changed one more file and ran the build. '.repeat(60);
    expect(asksPerson(`I need your decision: Postgres or SQLite?\n${work}`)).toBeUndefined();
    expect(asksPerson(`${work}\nI need your decision: Postgres or SQLite?`)).toBeDefined();
  });

  it('takes no time on a long message without an end of a sentence', () => {
    const long = 'i need the '.repeat(100_000);
    expect(asksPerson(long)).toBeUndefined();
    expect(asksPerson('`"'.repeat(100_000))).toBeUndefined();
  });
});

describe('a task that cannot be done', () => {
  it.each([
    'The task cannot be completed: the archive has no such file.',
    'It is not possible to complete this task in this environment.',
    'I was unable to complete the task because the video is private.',
    'This request is impossible: the two requirements contradict each other.',
  ])('is found: %s', (message) => {
    expect(asksPerson(message)?.kind).toBe('impossible');
  });

  it.each([
    'It is now impossible to log in twice.',
    'A negative amount cannot be entered any more.',
    'The function returns undefined when the date cannot be parsed.',
  ])('is not found: %s', (message) => {
    expect(asksPerson(message)).toBeUndefined();
  });
});
