import type { Columns } from './downsample.js';

/** What a chart shows. */
export interface ChartPlan {
  readonly title: string;
  readonly columns: Columns;
  /** Name and colour of each. */
  readonly lines: readonly (readonly [name: string, colour: string])[];
  readonly text: (value: number) => string;
  readonly axisText: (value: number) => string;
  readonly limit: { readonly value: number; readonly text: string } | undefined;
}
