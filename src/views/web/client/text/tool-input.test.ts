import { describe, expect, it } from 'vitest';
import { toolInput } from './tool-input.js';

describe('the input of a tool', () => {
  it('begins with its first value and keeps the others', () => {
    expect(toolInput('{"command":"npm test"}')).toBe('npm test');
    expect(toolInput('{"file_path":"a.js","old":"x\\ny","all":true}')).toBe('a.js\nold: x\ny\nall: true');
  });

  it('is shown as it is where it cannot be read', () => {
    expect(toolInput('{"command":"npm te… (120 left out)')).toBe('{"command":"npm te… (120 left out)');
    expect(toolInput('npm test')).toBe('npm test');
    expect(toolInput('{}')).toBe('');
  });
});
