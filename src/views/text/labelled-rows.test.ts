import { describe, expect, it } from 'vitest';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { labelledRows } from './labelled-rows.js';
import { textWidth } from '../../words/printable.js';

describe('rows with labels', () => {
  it('break a word that is longer than a line, and lose nothing of it', () => {
    const word = 'x'.repeat(150);
    const lines = labelledRows([['message', `see ${word} there`, `文字${'字'.repeat(60)}`]], recordingTerminal(80));
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
    expect(lines.join('').replace(/[^x]/g, '')).toBe(word);
    expect(lines.at(0)).toBe('  message  see');
  });

  it('keep a path and a command whole: they are there to be copied', () => {
    const path = `/tmp/${'long/'.repeat(30)}end`;
    const lines = labelledRows([['record', { path }, { command: `pawl show ${path}` }]], recordingTerminal(80));
    expect(lines).toEqual([`  record  ${path}`, `          pawl show ${path}`]);
  });
});
