import { expect, it } from 'vitest';
import { recordingTerminal } from '../../../test/support/terminal.js';
import { lineWidth } from './clip-line.js';
import { textTable } from './text-table.js';

it('a table with wide characters in its first column does not go beyond the screen', () => {
  const rows = [['漢字漢字漢字', 'x'.repeat(60)]];
  const lines = textTable([{ title: 'name' }, { title: 'why' }], rows, recordingTerminal(40));
  expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(40);
});
