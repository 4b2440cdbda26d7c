import { tokenLimit } from '../judging/spend-answer.js';

export const maxInputTokens = tokenLimit(
  {
    type: 'max_input_tokens',
    about: 'input tokens, cached ones included, have reached this count',
  },
  'inputTokens',
  'input tokens',
);
