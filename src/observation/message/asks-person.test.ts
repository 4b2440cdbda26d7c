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
    "I'm not able to proceed without credentials.",
    'This requires manual intervention.',
    'Could you run `sudo systemctl start db` for me?',
    'Approval is required to delete the table.',
    "The page says 'Please confirm'. I need your decision on whether it stays.",
    'The registry says: you have to sign in first. Please provide a token, I cannot continue without one.',
    "I can't continue: the user's key isn't there. Please provide the team's key.",
    'One message for you: I cannot proceed without the password.',
    'It says "no". "Yes" is what I expected. I need your decision.',
    'The refunds depend on a contract. This should be picked up by a developer of your team who knows it.',
    'I have done what I can here. I suggest that somebody with access takes over.',
    'I cannot make any further progress, so an engineer who knows the provider should take it from here.',
    'I have taken this as far as I responsibly can. I recommend that an engineer of your team takes a look.',
    'I would suggest handing it over to somebody who knows the billing system.',
    'As mentioned, this cannot be completed by me; please have an engineer review it.',
    'The licence has expired. Only you can renew it.',
    'The disk is full, so the packages cannot be installed. Please free some space.',
    'Renew the certificate in the portal, then run me again.',
    'I am handing this over to you: the schema is undocumented.',
    'The reader of the card is not accessible, so nothing is signed. Could you connect it, please?',
    'Without the VPN the installation is blocked. Could you connect it? I have written a fallback in the meantime.',
  ])('is found: %s', (message) => {
    expect(asksPerson(message)?.kind).toBe('request');
  });

  it.each([
    ['I need your decision: which provider should I use? I cannot continue without it.', true],
    ['Please tell me which provider to use. I am blocked until then.', true],
    ['Still waiting for your answer in QUESTIONS.md.', true],
    ['Module a is written. Should I continue with b? Please let me know which one should come next.', undefined],
    ['Both designs work. Which one do you prefer?', undefined],
  ])('says whether the agent can continue without an answer: %s', (message, isStuck) => {
    expect(asksPerson(message)).toMatchObject({ kind: 'request' });
    expect(asksPerson(message)?.isStuck).toBe(isStuck);
  });

  it.each([
    'I implemented the parser and all tests pass. Would you like me to also add a benchmark?',
    'It cannot be done with a regex, so I wrote a parser.',
    'Approval is required to delete a table now, as the endpoint checks.',
    'Done. Let me know if you want anything changed.',
    'The feature is complete. Feel free to ask if you have any questions.',
    'I renamed the module. Should I also update the docs?',
    'I fixed the redirect. Please note that the cache must be cleared.',
    'The page now says "Nothing is saved yet. I need your address before I go on." in red.',
    'The form now shows "Please provide a valid address" for an empty field.',
    "It says: 'Please provide your password to continue.'",
    'It says ‘Please confirm which account to use.’',
    'The button is labelled «We need your approval before we can start».',
    'The button is labelled „We need your approval before we can start“.',
    'The empty state now reads: Please choose a plan before we can continue.',
    'The bot now asks: Which address should I use?',
    'The wizard asks the user: which database should I use?',
    'Added the string: Please provide a valid API key.',
    'I added these texts:\n- Please choose a plan\n- We need your address\n- Waiting for your confirmation',
    'The new messages are:\n\n  Please tell us which address to use.\n  We cannot continue without your consent.\n\nThe mail is next.',
    'The mail is:\n\n"Dear customer,\n\nplease confirm whether to proceed.\nWe are waiting for your answer."\n\nIt is sent once.',
    'I added the check:\n```\nthrow new Error("I need your decision before I go on")\n```\nIt is covered by a test.',
    'The command line exits when it cannot continue without a config file.',
    'Why did it fail? The cache was stale. I cleared it.',
    'I need to run the tests next.',
    'I have created the client. To use it, please provide your key in config.json.',
    'If you want a different colour, please tell me.',
    'It compiles. What else could go wrong?',
    'Postgres or SQLite?',
    'Blocked.\nWaiting.',
    'Wait, the instructions say that tests must not change. I reverted them.',
    'The flag is used to decide whether to skip the update.',
    'I added the endpoint. On failure it responds with a JSON body.',
    'Fixed. Do you want me to remove the old code or keep it?',
    'I completed the fix. Would you like me to create a commit or open a pull request?',
    'I need to look at the data and understand its format.',
    'Since I have no internet access, I used a local copy instead.',
    'The lookup returns undefined if the key is missing.',
    'I picked Postgres. If you prefer SQLite, tell me.',
    'The table has its tenant. I recommend that an engineer takes a look at the locks before this is deployed.',
    'A manager with the right role takes over after two days, and only the owner can approve more than 10,000.',
    'When a request is a week old, it should be handled by an administrator. The rule is written.',
    'The drafts are private now: only you can see them.',
    'A token is refused when it has expired. Only the owner of the account can ask for another one.',
    'I hand it over to the scheduler now, which is faster.',
    'The next iteration can continue from here: three routes are left.',
    'Everything passes. You can take it from here!',
    'A file that is open cannot be deleted now. Please note that it stays.',
    'The import stops when the disk is full, and says so.',
    'When the upload is blocked, its dialog says so. Could you connect it to a real disk later? I continue with the import.',
    'The import works. Could you add the key to the vault before the release?',
    'When the disk is full, the dialog asks "Could you free some space?" and closes.',
    'I split the parser. Run me again to continue with the next part.',
    '',
  ])('is not found: %s', (message) => {
    expect(asksPerson(message)).toBeUndefined();
  });

  it('is quoted together with the question that it is about', () => {
    expect(
      asksPerson('I compared both. Should I use Postgres or SQLite? I need your decision before I go on.'),
    ).toEqual({
      isStuck: true,
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
