import { quote } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';

export const onError = defineCondition({
  type: 'on_error',
  about: 'an error occurred, and its message matches the pattern',
  fields: { pattern: optional(field.text) },
  make: (pattern?: string) => ({ pattern }),
  short: 'pattern',
  class: 'failure',
  priority: 100,
  where: 'both',
  live: true,
  movedBy: ['error-seen'],
  quotes: true,
  judge: ({ pattern }, { errors }) => {
    if (errors === undefined) return unknown('whether an error occurred is not known');
    const found = errors.find((error) => pattern === undefined || error.message.includes(pattern));
    if (found !== undefined) return met(`error: ${quote(found.message, 160)}`);
    return notMet(pattern === undefined ? 'no error' : `no error with ${quote(pattern)}`);
  },
  describe: ({ pattern }) => (pattern === undefined ? 'on any error' : `on an error with ${quote(pattern)}`),
  takes: ({ pattern }) => (pattern === undefined ? 'an error' : `an error with ${quote(pattern, 40)}`),
});
