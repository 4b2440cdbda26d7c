import { prepareCanvas } from '../charts/prepare-canvas.js';
import { themeColours } from '../charts/theme-colours.js';
import type { GridLayout } from './grid-layout.js';
import type { CellStatus, ItemCell } from './item-cells.js';

const COLOURS: Readonly<Record<CellStatus, string>> = {
  approved: 'good-fill',
  rejected: 'bad-fill',
  failed: 'late-fill',
  'in-flight': 'accent',
  retried: 'warn-fill',
  waiting: 'empty-fill',
  withdrawn: 'line',
};

interface Grid {
  readonly cells: readonly ItemCell[];
  readonly layout: GridLayout;
  readonly width: number;
  readonly selected: number | undefined;
}

export function drawGrid(canvas: HTMLCanvasElement, { cells, layout, width, selected }: Grid): void {
  const { columns, pitch, gap, height } = layout;
  const context = prepareCanvas(canvas, width, Math.max(1, height));
  const parent = canvas.parentElement;
  if (context === null || parent === null) return;
  const colours = themeColours(parent, [...Object.values(COLOURS), 'text']);
  const place = (index: number) => [(index % columns) * pitch, Math.floor(index / columns) * pitch] as const;
  for (const { index, status } of cells) {
    const [x, y] = place(index);
    context.fillStyle = colours[COLOURS[status]] ?? '';
    context.fillRect(x, y, pitch - gap, pitch - gap);
  }
  if (selected === undefined) return;
  const [x, y] = place(selected);
  context.strokeStyle = colours['text'] ?? '';
  context.lineWidth = 2;
  context.strokeRect(x, y, pitch - gap, pitch - gap);
}
