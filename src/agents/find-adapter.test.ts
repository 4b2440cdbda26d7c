import { expect, it } from 'vitest';
import { AGENT_NAMES, findAdapter } from './find-adapter.js';

it('every name leads to the agent of that name, and no other word to any', () => {
  expect(AGENT_NAMES.map((name) => findAdapter(name)?.name)).toEqual([
    'claude',
    'codex',
    'gemini',
    'opencode',
    'qwen',
    'pi',
    'copilot',
    'command',
  ]);
  expect(['Claude', '', 'constructor', '__proto__'].map(findAdapter)).toEqual(Array(4).fill(undefined));
});
