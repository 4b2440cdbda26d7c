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
    'I am blocked: no AWS credentials. Set AWS_ACCESS_KEY_ID and run it again.',
    'Human input required: choose A or B.',
    'Cannot proceed.',
    'Stopping here until the key is set.',
    'Still no answer on the database, so I have not started.',
    'May I delete the old migrations?',
    'The fixture does not exist. I need it to write the import. Where can I find it?',
    'docker is not installed here; please install it.',
    'I do not have permission to push to this repository.',
    'Implemented the service. Please confirm whether to free port 5000 or to use another one.',
    "Let me know how you'd like to proceed, or if you'd like me to try something else.",
    "Before I start: please confirm the address of the server. I've set up the tools.",
  ])('is found: %s', (message) => {
    expect(asksPerson(message)?.kind).toBe('request');
  });

  it.each([
    'I implemented the parser and all tests pass. Would you like me to also add a benchmark?',
    'Done. Let me know if you want anything changed.',
    'The feature is complete. Feel free to ask if you have any questions.',
    'I renamed the module. Should I also update the docs?',
    'I fixed the redirect. Please note that the cache must be cleared.',
    'The page now says "Nothing is saved yet. I need your address before I go on." in red.',
    'The form now shows "Please provide a valid address" for an empty field.',
    'I added the check:\n```\nthrow new Error("I need your decision before I go on")\n```\nIt is covered by a test.',
    'The command line exits when it cannot continue without a config file.',
    'Why did it fail? The cache was stale. I cleared it.',
    'I need to run the tests next.',
    'I have created the client. To use it, please provide your key in config.json.',
    'If you want a different colour, please tell me.',
    'It compiles. What else could go wrong?',
    'Postgres or SQLite?',
    'Wait, the instructions say that tests must not change. I reverted them.',
    'The flag is used to decide whether to skip the update.',
    'I added the endpoint. On failure it responds with a JSON body.',
    'Fixed. Do you want me to remove the old code or keep it?',
    'I completed the fix. Would you like me to create a commit or open a pull request?',
    'I need to look at the data and understand its format.',
    'Since I have no internet access, I used a local copy instead.',
    'The lookup returns undefined if the key is missing.',
    'I picked Postgres. If you prefer SQLite, tell me.',
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
    'Both requirements exclude each other: it cannot be done.',
    "I can't help with downloading this video.",
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
