import { tokenLimit } from '../judging/spend-answer.js';

export const maxOutputTokens = tokenLimit(
  {
    type: 'max_output_tokens',
    about: 'output tokens, reasoning included, have reached this count',
  },
  'outputTokens',
  'output tokens',
);
