/** Solves a system of linear equations by elimination with pivots. */
export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((line, index) => [...line, right[index] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column += 1) {
    const pivot = largestFrom(rows, column);
    [rows[column], rows[pivot]] = [rows[pivot] ?? [], rows[column] ?? []];
    for (let row = column + 1; row < size; row += 1) subtract(rows, row, column);
  }
  const result = rows.map(() => 0);
  for (let row = size - 1; row >= 0; row -= 1) {
    const line = rows[row] ?? [];
    const known = result.reduce((sum, value, column) => (column > row ? sum + value * (line[column] ?? 0) : sum), 0);
    const own = line[row] ?? 0;
    result[row] = Math.abs(own) < 1e-12 ? 0 : ((line[size] ?? 0) - known) / own;
  }
  return result;
}

function largestFrom(rows: readonly (readonly number[])[], column: number): number {
  let best = column;
  for (let row = column; row < rows.length; row += 1) {
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row;
  }
  return best;
}

function subtract(rows: number[][], row: number, column: number): void {
  const [upper = [], line = []] = [rows[column], rows[row]];
  const own = upper[column] ?? 0;
  const factor = Math.abs(own) < 1e-12 ? 0 : (line[column] ?? 0) / own;
  if (factor === 0) return;
  for (let at = column; at < line.length; at += 1) line[at] = (line[at] ?? 0) - factor * (upper[at] ?? 0);
}
