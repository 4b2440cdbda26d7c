import { build } from '../judging/build.js';
import { tokenLimit } from '../judging/token-limit.js';

export interface MaxTokens {
  readonly type: 'max_tokens';
  readonly count: number;
}

export const definition = tokenLimit<MaxTokens>(
  {
    type: 'max_tokens',
    about: 'input and output tokens together have reached this count',
    flag: '--max-tokens',
  },
  'totalTokens',
  'tokens',
);

/** Stops when input and output tokens together reach `count`. */
export const maxTokens = (count: number) => build<MaxTokens>(definition, { count });
