import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualScreen } from '../../../test/support/virtual-screen.js';
import { Screen } from './screen.js';

function screenOf(columns = 40, rows = 12) {
  const terminal = new VirtualScreen(columns, rows);
  return { terminal, screen: new Screen(terminal.write, () => ({ columns: terminal.columns, rows: terminal.rows })) };
}

const WORDS = fc.constantFrom('', 'one', 'two words', '日本語', '\u001b[1mbold\u001b[22m', 'x'.repeat(90), 'e\u0301a');
const DRAWING = fc.record({
  lines: fc.array(WORDS, { minLength: 1, maxLength: 9 }),
  above: fc.array(WORDS, { maxLength: 2 }),
});

describe('the screen', () => {
  it('always shows what is finished and then the frame, whatever was there before', () => {
    fc.assert(
      fc.property(fc.array(DRAWING, { maxLength: 12 }), (drawings) => {
        const { terminal, screen } = screenOf();
        const { terminal: fresh, screen: once } = screenOf();
        const all: string[] = [];
        for (const { lines, above } of drawings) {
          screen.draw({ lines }, above);
          all.push(...above);
        }
        once.draw({ lines: drawings.at(-1)?.lines ?? [''] }, all);
        if (drawings.length === 0) screen.draw({ lines: [''] });
        expect(terminal.text.join('\n').trimEnd()).toBe(fresh.text.join('\n').trimEnd());
        expect(terminal.writes.length).toBeLessThanOrEqual(Math.max(1, drawings.length));
      }),
    );
  });

  it('writes only the lines that differ, and nothing when none does', () => {
    const { terminal, screen } = screenOf();
    screen.draw({ lines: ['first line', 'clock 1s', 'last line'] });
    screen.draw({ lines: ['first line', 'clock 2s', 'last line'] });
    screen.draw({ lines: ['first line', 'clock 2s', 'last line'] });
    expect(terminal.writes).toHaveLength(2);
    expect(terminal.writes[1]).not.toMatch(/first|last/);
    expect(terminal.text).toEqual(['first line', 'clock 2s', 'last line']);
  });

  it('nothing of a longer line is left behind a shorter one', () => {
    const { terminal, screen } = screenOf();
    screen.draw({ lines: ['a long line', 'x'] });
    screen.draw({ lines: ['short', 'x'] });
    expect(terminal.text).toEqual(['short', 'x']);
  });

  it('a frame is lower than the terminal, and a line narrower', () => {
    const { terminal, screen } = screenOf(20, 5);
    screen.draw({ lines: Array.from({ length: 30 }, (_, index) => `${index} ${'w'.repeat(50)}`) });
    expect(terminal.lines).toHaveLength(4);
    expect(Math.max(...terminal.lines.map((line) => line.length))).toBe(19);
  });

  it('hides the cursor, shows it where somebody types, and gives it back at the end', () => {
    const { terminal, screen } = screenOf();
    screen.draw({ lines: ['head', 'keys'] });
    expect(terminal.isCursorShown).toBe(false);
    screen.draw({ lines: ['head', 'say: ab'], cursor: { row: 1, column: 7 } });
    expect(terminal).toMatchObject({ isCursorShown: true, row: 1, column: 7, marksPaste: true });
    screen.draw({ lines: ['head', 'keys'] });
    expect(terminal).toMatchObject({ isCursorShown: false, marksPaste: false });
    screen.draw({ lines: ['head', 'say: '], cursor: { row: 1, column: 5 } });
    screen.end(['the last word']);
    expect(terminal).toMatchObject({ isCursorShown: true, marksPaste: false });
    expect(terminal.text).toEqual(['the last word', '']);
  });

  it('a terminal that became narrower gets the frame over the broken lines, not below them', () => {
    const { terminal, screen } = screenOf(40, 12);
    screen.draw({ lines: ['a'.repeat(35), 'b'.repeat(25), 'c'] }, ['done']);
    // As terminals break what no longer fits.
    terminal.columns = 20;
    terminal.lines.splice(1, 3, 'a'.repeat(20), 'a'.repeat(15), 'b'.repeat(20), 'b'.repeat(5), 'c');
    terminal.row = 5;
    screen.draw({ lines: ['A', 'B', 'C'] });
    expect(terminal.text).toEqual(['done', 'A', 'B', 'C']);
  });

  it('what is finished loses no end of a long word', () => {
    const { terminal, screen } = screenOf(20, 12);
    screen.draw({ lines: ['frame'] }, [`\u001b[33mnot committed: /${'deep/'.repeat(6)}file\u001b[39m`]);
    expect(terminal.text).toEqual(['not committed: /dee', 'p/deep/deep/deep/de', 'ep/deep/file', 'frame']);
    screen.end(['日本語'.repeat(5)]);
    expect(terminal.text).toEqual([...terminal.text.slice(0, 3), '日本語日本語日本語', '日本語日本語', '']);
  });

  it('nothing is erased from the first column: at the top of the screen tmux would keep it as history', () => {
    const { terminal, screen } = screenOf(20, 4);
    screen.draw({ lines: ['', 'b', 'c'] });
    screen.draw({ lines: ['', 'B', 'C'] }, ['done']);
    screen.end();
    expect(terminal.text).toEqual(['done', '']);
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(terminal.writes.join('')).not.toMatch(/\r(\u001b\[2K)?\u001b\[J/);
  });

  it('no control sequence but colours gets through, whoever wrote the line', () => {
    const { terminal, screen } = screenOf();
    screen.draw({ lines: ['\u001b[2J\u001b]52;c;eA==\u0007\u001b[31mred\u001b[39m\r\n\u202Eback\u009b5A'] });
    expect(terminal.text).toEqual(['red back']);
  });
});
