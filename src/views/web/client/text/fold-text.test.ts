import { describe, expect, it } from 'vitest';
import { foldText } from './fold-text.js';

describe('a long text', () => {
  it('shows its beginning, then more with each time it is asked for, and all in the end', () => {
    const text = 'x'.repeat(150_000);
    expect(foldText(text, 0)).toEqual({ shown: 'x'.repeat(1584), hidden: 148_416 });
    expect(foldText(text, 1)).toEqual({ shown: 'x'.repeat(100_000), hidden: 50_000 });
    expect(foldText(text, 2)).toEqual({ shown: text, hidden: 0 });
  });

  it('of many short lines shows the first of them', () => {
    const { shown, hidden } = foldText('line\n'.repeat(100), 0);
    expect(shown.split('\n')).toHaveLength(24);
    expect(hidden).toBeGreaterThan(0);
  });

  it('is not cut in the middle of a character', () => {
    const { shown } = foldText(`${'x'.repeat(1583)}${'😀'.repeat(200)}`, 0);
    expect(shown).toBe('x'.repeat(1583));
  });

  it('that is short is shown whole', () => {
    expect(foldText('short', 0)).toEqual({ shown: 'short', hidden: 0 });
    expect(foldText('x'.repeat(1650), 0).hidden).toBe(0);
  });
});
