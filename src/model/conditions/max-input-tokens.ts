import { build } from '../judging/build.js';
import { tokenLimit } from '../judging/token-limit.js';

export interface MaxInputTokens {
  readonly type: 'max_input_tokens';
  readonly count: number;
}

export const definition = tokenLimit<MaxInputTokens>(
  {
    type: 'max_input_tokens',
    about: 'input tokens, cached ones included, have reached this count',
  },
  'inputTokens',
  'input tokens',
);

export const maxInputTokens = (count: number) => build<MaxInputTokens>(definition, { count });
