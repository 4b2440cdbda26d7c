import * as ai from 'ai';
import { describe, expect, it } from 'vitest';

describe('the AI SDK', () => {
  it('is the version that this run of the tests is for', () => {
    // Only 7 has it. A run for 7 that is given 6 would show nothing.
    expect('isStepCount' in ai).toBe(process.env['PAWL_AI_SDK'] === '7');
  });
});
