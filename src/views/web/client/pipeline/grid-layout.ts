/** How the cells of a grid lie. */
export interface GridLayout {
  readonly columns: number;
  readonly rows: number;
  /** From one cell to the next, in pixels, the gap included. */
  readonly pitch: number;
  readonly gap: number;
  readonly height: number;
}

const LARGEST = 18;
const SMALLEST = 5;
const MOST_HEIGHT = 420;

/** Cells as large as they can be for the grid to stay on the screen; very many are small and the grid grows. */
export function gridLayout(cells: number, width: number): GridLayout {
  let pitch = LARGEST;
  while (pitch > SMALLEST && heightOf(cells, width, pitch) > MOST_HEIGHT) pitch -= 1;
  const columns = columnsOf(width, pitch);
  return {
    columns,
    rows: Math.ceil(cells / columns),
    pitch,
    gap: pitch > 8 ? 2 : 1,
    height: heightOf(cells, width, pitch),
  };
}

/** The cell at a place; undefined where there is none. */
export function cellAt({ columns, pitch }: GridLayout, cells: number, x: number, y: number): number | undefined {
  const column = Math.floor(x / pitch);
  if (column < 0 || column >= columns || y < 0) return undefined;
  const cell = Math.floor(y / pitch) * columns + column;
  return cell < cells ? cell : undefined;
}

function columnsOf(width: number, pitch: number): number {
  return Math.max(1, Math.floor(width / pitch));
}

function heightOf(cells: number, width: number, pitch: number): number {
  return Math.ceil(cells / columnsOf(width, pitch)) * pitch;
}
