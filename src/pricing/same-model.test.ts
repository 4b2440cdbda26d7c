import { describe, expect, it } from 'vitest';
import { isSameModel } from './same-model.js';

describe('isSameModel', () => {
  it.each([
    [{ equals: 'MiniMax-M3' }, 'minimax-m3'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5-20260101'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5-2026-01-01'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5@default'],
    [{ starts_with: 'claude-opus-5-2026' }, 'claude-opus-5-20260101'],
    [{ starts_with: 'gemini-3-pro' }, 'gemini-3-pro-preview'],
    [{ starts_with: 'gemini-3-pro' }, 'gemini-3-pro-exp-11-2026'],
    [{ starts_with: 'gemini-3-pro' }, 'gemini-3-pro-001'],
    [{ starts_with: 'gpt-6-nano-' }, 'gpt-6-nano-2026-01-01'],
    [{ contains: 'claude-opus-5' }, 'claude-opus-5'],
    [{ contains: 'claude-opus-5' }, 'us-gov.anthropic.claude-opus-5-v1:0'],
    [{ ends_with: 'claude-opus-5' }, 'anthropic.claude-opus-5'],
    [{ regex: '^grok-5-\\d{8}$' }, 'grok-5-20260101'],
    [{ or: [{ equals: 'a' }, { equals: 'b' }] }, 'b'],
    [{ and: [{ starts_with: 'gemini-3' }, { regex: '^(?!.*-tts)' }] }, 'gemini-3-latest'],
  ])('%j means %s', (rule, name) => {
    expect(isSameModel(rule, name)).toBe(true);
  });

  it.each([
    [{ equals: 'gpt-6' }, 'gpt-6-20260101'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5-5'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-55'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5-fast'],
    [{ starts_with: 'claude-opus-5' }, 'claude-opus-5-20260101-fast'],
    [{ starts_with: 'claude-opus-5' }, 'my-claude-opus-5'],
    [{ starts_with: 'gemini-3' }, 'gemini-3-8b'],
    [{ contains: 'gemini-3' }, 'not-gemini-3'],
    [{ contains: 'claude-opus-5' }, 'my.claude-opus-5'],
    [{ ends_with: 'claude-opus-5' }, 'fast-claude-opus-5'],
    [{ regex: '^grok-5-\\d' }, 'grok-5-20260101'],
    [{ regex: 'grok-5-\\d+$' }, 'grok-5-20260101'],
    [{ and: [{ starts_with: 'gemini-3' }, { regex: '^(?!.*-latest)' }] }, 'gemini-3-latest'],
    [{ and: [{ regex: '^gemini' }, { regex: '^(?!.*-tts)' }] }, 'gemini-3'],
  ])('%j does not mean %s', (rule, name) => {
    expect(isSameModel(rule, name)).toBe(false);
  });
});
