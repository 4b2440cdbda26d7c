import { expect, it } from 'vitest';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { textTable } from './text-table.js';
import { lineWidth } from '../../words/printable.js';

it('a table with wide characters in its first column does not go beyond the screen', () => {
  const rows = [['漢字漢字漢字', 'x'.repeat(60)]];
  const lines = textTable([{ title: 'name' }, { title: 'why' }], rows, recordingTerminal(40));
  expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(40);
});

it('a column begins at the same place below wide characters as below narrow ones', () => {
  const rows = [
    ['漢字', '|'],
    ['name', '|'],
    ['a', '|'],
  ];
  const lines = textTable([{ title: 'name' }, { title: '|' }], rows, recordingTerminal(40));
  expect(lines.map((line) => lineWidth(line.slice(0, line.indexOf('|'))))).toEqual([6, 6, 6, 6]);
});
