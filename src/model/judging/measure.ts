export type MeasureUnit =
  | 'iterations'
  | 'ms'
  | 'tokens'
  | 'usd'
  | 'percent'
  | 'part'
  | 'tests'
  | 'times'
  | 'items'
  | 'attempts'
  | 'files'
  | 'lines'
  | 'boxes';

/** Where a condition is, in figures: it is met when the value reaches the threshold, or passes it. */
export interface Measure {
  /** Undefined when it is not known. */
  readonly value?: number | undefined;
  readonly threshold: number;
  readonly unit: MeasureUnit;
}

export function measure(value: number | undefined, threshold: number, unit: MeasureUnit): Measure {
  return { ...(value === undefined || Number.isNaN(value) ? {} : { value }), threshold, unit };
}
