import { endedItems } from '../model/pipeline-counts.js';
import type { PipelineState } from '../model/pipeline-state.js';
import type { RunState } from '../model/run-state.js';
import { count } from '../model/figures.js';

/** Before this many the pace is chance. */
const LEAST_ITEMS = 3;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface ItemFigures {
  readonly items: number;
  /** With a final status. */
  readonly done: number;
  readonly left: number;
}

/** How many items there are to be made, and how many of them are final. */
export function itemsOf(pipeline: PipelineState | undefined): ItemFigures {
  if (pipeline === undefined) return { items: 0, done: 0, left: 0 };
  const items = pipeline.items - (pipeline.withdrawn ?? 0);
  const done = endedItems(pipeline);
  return { items, done, left: Math.max(0, items - done) };
}

export interface ItemForecast {
  /** `24 items/min`. */
  readonly rate: string;
  /** Active time until every item is final. */
  readonly leftMs: number;
}

/** If the run continues as it has; undefined when there is not enough to say it. */
export function itemForecast({ pipeline, activeMs }: RunState): ItemForecast | undefined {
  const { done, left } = itemsOf(pipeline);
  if (done < LEAST_ITEMS || activeMs <= 0) return undefined;
  return { rate: rateText(done / activeMs), leftMs: (left * activeMs) / done };
}

function rateText(perMs: number): string {
  const perMinute = perMs * MINUTE_MS;
  return perMinute >= 1 ? `${figure(perMinute)} items/min` : `${figure(perMs * HOUR_MS)} items/h`;
}

function figure(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : count(Math.round(value));
}
