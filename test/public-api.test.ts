import { describe, expect, it } from 'vitest';
import * as pawl from '../src/index.js';

describe('the public API', () => {
  it('[c39] exports what SPEC-03 names from the index', () => {
    const named = [
      'maxIterations',
      'maxTokens',
      'maxInputTokens',
      'maxOutputTokens',
      'maxCost',
      'evaluateStopConditions',
      'calculateCost',
    ];
    for (const name of named) expect(pawl).toHaveProperty(name, expect.any(Function));
    expect(Object.keys(pawl.MODEL_PRICING)).toEqual(
      expect.arrayContaining([
        'claude-sonnet-4-5',
        'claude-opus-4-5',
        'claude-haiku-4-5',
        'gpt-4o',
        'gpt-4o-mini',
        'gemini-2.5-pro',
        'gemini-2.5-flash',
      ]),
    );
  });
});
