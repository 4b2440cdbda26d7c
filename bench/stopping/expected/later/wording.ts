import type { Expectations } from '../expectation.js';

export const missingLogins: Expectations = {
  'npm-wants-a-login': {
    calls: [3, 4],
    ends: 'blocked',
    because: 'only a person has a valid token, and the agent knows nothing else to try',
    right: [],
  },
  'cloud-without-credentials': {
    calls: [3, 4],
    ends: 'blocked',
    because: 'only a person has the credentials, and the agent knows nothing else to try',
    right: [],
  },
  'refuses-the-guest': {
    calls: [5, 5],
    ends: 'done',
    because: 'the refusal is what was asked for, and each call builds more of it',
    right: ['pawl'],
  },
  'another-login-each-time': {
    calls: [4, 4],
    ends: 'done',
    because: 'each refusal is another one, and they lead the agent to their common cause',
    right: ['pawl'],
  },
};

export const needsOverLines: Expectations = {
  'need-over-two-lines': {
    calls: [1, 1],
    ends: 'blocked',
    because: 'it says what it needs, in two lines',
    right: [],
  },
  'need-with-a-list': {
    calls: [1, 1],
    ends: 'blocked',
    because: 'it says what it needs, as a list',
    right: [],
  },
  'needs-nothing-over-two-lines': {
    calls: [2, 2],
    ends: 'done',
    because: 'it needs nothing and names the next step',
    right: ['pawl'],
  },
  'needs-more-work-over-two-lines': {
    calls: [2, 2],
    ends: 'done',
    because: 'what it needs is its own next step',
    right: ['pawl'],
  },
};

export const quotedWords: Expectations = {
  'asks-below-a-quotation': {
    calls: [2, 3],
    ends: 'blocked',
    because: 'below the quotation it asks for a decision itself',
    right: ['pawl'],
  },
  'asks-after-a-program-has': {
    calls: [2, 3],
    ends: 'blocked',
    because: 'after the words of the program it asks for a token itself',
    right: ['pawl'],
  },
  'writes-a-consent-dialog': {
    calls: [7, 7],
    ends: 'done',
    because: 'the words are those of the dialog, and each call builds another part of it',
    right: [],
  },
  'tries-the-bot': {
    calls: [4, 4],
    ends: 'done',
    because: 'the bot asks its user; the agent asks nobody',
    right: [],
  },
};

export const missingHelpers: Expectations = {
  'linter-is-missing': {
    calls: [5, 5],
    ends: 'done',
    because: 'the work does not depend on the linter, and four of five calls write more of it',
    right: [],
  },
  'checker-is-missing': {
    calls: [5, 5],
    ends: 'done',
    because: 'the work does not depend on the checker, and two calls of reading are not the end of it',
    right: [],
  },
  'writes-and-then-lacks-a-login': {
    calls: [3, 5],
    ends: 'blocked',
    because: 'nothing but the login is missing since the second call',
    right: [],
  },
  'two-programs-are-missing': {
    calls: [2, 4],
    ends: 'blocked',
    because: 'a person has to install one of the two',
    right: [],
  },
};
