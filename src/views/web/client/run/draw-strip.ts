import { prepareCanvas } from '../charts/prepare-canvas.js';
import { themeColours } from '../charts/theme-colours.js';
import type { BlockKind, StripBlock } from './strip-blocks.js';

const HEIGHT = 22;
const WIDEST = 16;
const COLOURS: Readonly<Record<BlockKind, string>> = {
  completed: 'good-fill',
  'no-progress': 'faint-fill',
  failed: 'bad-fill',
  'timed-out': 'late-fill',
  skipped: 'still-fill',
  interrupted: 'cut-fill',
  limited: 'warn-fill',
};

interface Strip {
  readonly blocks: readonly StripBlock[];
  readonly width: number;
  /** One more is under way. */
  readonly isOpen: boolean;
  /** Rows; -1 for none. */
  readonly stopRow: number;
  readonly selectedRow: number;
}

/** From one block to the next, in pixels. */
export function stripPitch(blocks: number, width: number): number {
  return Math.min(WIDEST, width / Math.max(1, blocks));
}

export function drawStrip(canvas: HTMLCanvasElement, { blocks, width, isOpen, stopRow, selectedRow }: Strip): void {
  const context = prepareCanvas(canvas, width, HEIGHT);
  const parent = canvas.parentElement;
  if (context === null || parent === null) return;
  const colours = themeColours(parent, [...Object.values(COLOURS), 'accent', 'text']);
  const pitch = stripPitch(blocks.length + (isOpen ? 1 : 0), width);
  const gap = pitch >= 4 ? 1 : 0;
  for (const [index, { kind, first, rows }] of blocks.entries()) {
    const isSelected = selectedRow >= first && selectedRow < first + rows;
    context.fillStyle = colours[COLOURS[kind]] ?? '';
    context.fillRect(index * pitch, 3, pitch - gap, HEIGHT - 6);
    context.fillStyle = colours['text'] ?? '';
    if (isSelected) context.fillRect(index * pitch, HEIGHT - 2, Math.max(2, pitch - gap), 2);
  }
  if (isOpen) {
    context.strokeStyle = colours['accent'] ?? '';
    context.lineWidth = 1;
    context.strokeRect(blocks.length * pitch + 0.5, 3.5, Math.max(1, pitch - gap - 1), HEIGHT - 7);
  }
  const stopBlock = blocks.findIndex(({ first, rows }) => stopRow >= first && stopRow < first + rows);
  if (stopBlock >= 0) {
    context.fillStyle = colours['text'] ?? '';
    context.fillRect((stopBlock + 1) * pitch - 1.5, 0, 2, HEIGHT);
  }
}
