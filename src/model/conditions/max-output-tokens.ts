import { build } from '../judging/build.js';
import { tokenLimit } from '../judging/token-limit.js';

export interface MaxOutputTokens {
  readonly type: 'max_output_tokens';
  readonly count: number;
}

export const definition = tokenLimit<MaxOutputTokens>(
  {
    type: 'max_output_tokens',
    about: 'output tokens, reasoning included, have reached this count',
  },
  'outputTokens',
  'output tokens',
);

export const maxOutputTokens = (count: number) => build<MaxOutputTokens>(definition, { count });
