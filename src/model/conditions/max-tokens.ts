import { tokenLimit } from '../judging/spend-answer.js';

/** Stops when input and output tokens together reach `count`. */
export const maxTokens = tokenLimit(
  {
    type: 'max_tokens',
    about: 'input and output tokens together have reached this count',
    flag: { name: 'max-tokens', value: 'N', about: 'stop at this many tokens' },
  },
  'totalTokens',
  'tokens',
);
