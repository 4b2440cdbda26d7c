import type { PipelineState } from '../../model/pipeline-state.js';
import { count, plural } from '../../model/figures.js';
import { itemsOf } from './item-figures.js';
import type { FailedItem, AttemptReport } from '../../model/shown-items.js';

/** `BLURRY, DARK, score 0.41: more light`: why an attempt was not approved; empty when nothing was told. */
export function whyText({ reasons, score, message, printed = '' }: Omit<AttemptReport, 'outcome'>): string {
  const codes = [...reasons, ...(score === undefined ? [] : [`score ${score}`])].join(', ');
  return [codes, message ?? printed].filter((part) => part !== '').join(': ');
}

/** `frame-004 rejected after 2 attempts: BLURRY`. */
export function failedItemText({ item, status, attempts, last }: FailedItem): string {
  const why = last === undefined ? '' : whyText(last);
  return `${item} ${status} after ${plural(attempts, 'attempt')}${why === '' ? '' : `: ${why}`}`;
}

/** `12 of 30 items`: how many are final. */
export function doneText(pipeline: PipelineState): string {
  const { done, items } = itemsOf(pipeline);
  return `${count(done)} of ${plural(items, 'item')}`;
}

/** `12/30`: how many of the items are final. */
export function doneOf(done: number, items: number): string {
  return `${count(done)}/${count(items)}`;
}
