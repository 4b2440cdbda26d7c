/** The median time of one call in microseconds, over rounds of calls after a warm-up. */
export function microseconds(work: () => unknown, { rounds = 15, calls = 200 } = {}): number {
  for (let call = 0; call < calls * 3; call++) work();
  const times = Array.from({ length: rounds }, () => {
    const start = process.hrtime.bigint();
    for (let call = 0; call < calls; call++) work();
    return Number(process.hrtime.bigint() - start) / 1000 / calls;
  });
  return median(times);
}

/** Milliseconds of one run of something slow. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

interface Row {
  readonly what: string;
  readonly figure: string;
  /** The bound in words, and whether it holds; a row without one is only for people. */
  readonly bound?: string;
  readonly holds?: boolean;
}

/** Prints a table; a bound that does not hold makes the process fail. */
export function report(title: string, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length));
  console.log(`\n${title}`);
  for (const { what, figure, bound = '', holds } of rows) {
    const mark = holds === undefined ? ' ' : holds ? '✓' : '✗';
    console.log(`  ${mark} ${what.padEnd(width)}  ${figure.padStart(16)}  ${bound}`.trimEnd());
    if (holds === false) process.exitCode = 1;
  }
}

export const times = (ratio: number): string => `${ratio.toFixed(2)} x`;
