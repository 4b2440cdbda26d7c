import type { Expectations } from '../expectation.js';

export const sick: Expectations = {
  'wraps-the-same-comment': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'the same words at another width repair nothing, and the same tests fail',
    right: ['pawl'],
  },
  'rewords-one-sentence-without-tests': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'one sentence is reworded again and again, and nothing of what was asked for is there',
    right: [],
  },
  'prints-into-a-text-file': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'the same tests fail after each call, and to write that down is no work',
    right: ['pawl'],
  },
  'build-number-in-the-code': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'a number and a digest are no feature',
    right: [],
  },
  'renames-to-and-fro': {
    calls: [4, 8],
    ends: 'gave up',
    because: 'from the second call on the files only go back and forth',
    right: ['pawl'],
  },
  'helpers-that-nobody-calls': {
    calls: [4, 10],
    ends: 'gave up',
    because: 'the code grows, nothing calls it, and the same tests fail',
    right: ['pawl'],
  },
  'marks-what-is-to-do': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'a list of what is to do, in the code or beside it, is no feature',
    right: [],
  },
  'breaks-one-more-each-time': {
    calls: [3, 8],
    ends: 'gave up',
    because: 'each call leaves the project worse than the one before',
    right: ['pawl'],
  },
  'tries-another-seed': {
    calls: [4, 10],
    ends: 'gave up',
    because: 'hoping is no repair; after a handful of seeds a person would say so',
    right: ['pawl'],
  },
  'prints-for-debugging': {
    calls: [4, 10],
    ends: 'gave up',
    because: 'a handful of places to look is enough, and the same test fails',
    right: ['pawl'],
  },
  'random-rows': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'a program is asked for, and there is none',
    right: [],
  },
  'readme-in-other-words': {
    calls: [3, 10],
    ends: 'gave up',
    because: 'the same text in other words, and no feature',
    right: [],
  },
  'attend-une-reponse': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'it waits for a decision that only the user can make, in whatever language',
    right: [],
  },
  'licence-server-is-gone': {
    calls: [1, 4],
    ends: 'blocked',
    because: 'only the owner can renew the licence, and the agent asks for it',
    right: ['pawl'],
  },
};
