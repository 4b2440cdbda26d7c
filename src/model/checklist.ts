import { count } from './figures.js';
import { shortDigest } from './json.js';

/** The boxes of a list, as they are recorded. */
export interface Boxes {
  readonly checked: number;
  readonly total: number;
  /** What the first unchecked ones say. Absent in an export without text. */
  readonly open?: readonly string[] | undefined;
  /** Digests of what all of them say, the first 500. */
  readonly digests: readonly string[];
}

/** How far a list was when it was last read. */
export interface ChecklistRecord {
  readonly checked?: number | undefined;
  readonly total?: number | undefined;
  /** Why it is not known how far it is now. */
  readonly problem?: string | undefined;
  /** The most boxes there have been: one that is deleted is not done. */
  readonly mostBoxes: number;
  /** The fewest that were open, deleted ones included, since the list grew. */
  readonly fewestOpen: number;
}

const MOST_OPEN = 20;
const MOST_DIGESTS = 500;
const ITEM_CHARACTERS = 80;
const MOST_NAMED = 3;

export function boxesOf(found: {
  readonly checked: number;
  readonly total: number;
  readonly items: readonly { readonly text: string; readonly isChecked: boolean }[];
}): Boxes {
  const { checked, total, items } = found;
  const open = items.filter(({ isChecked }) => !isChecked).slice(0, MOST_OPEN);
  return {
    checked,
    total,
    open: open.map(({ text }) => text.slice(0, ITEM_CHARACTERS)),
    digests: items.slice(0, MOST_DIGESTS).map(({ text }) => digestOf(text)),
  };
}

/** `7 of 12 boxes in PLAN.md are checked`. */
export function boxesText({ checked, total }: Pick<Boxes, 'checked' | 'total'>, path: string): string {
  if (total === 0) return `${path} has no boxes ("- [ ] what to do")`;
  if (checked === total && total === 1) return `the only box in ${path} is checked`;
  if (checked === total) return `all ${count(total)} boxes in ${path} are checked`;
  return `${count(checked)} of ${count(total)} boxes in ${path} are checked`;
}

/** What the first open boxes say. */
export function openText({ open = [], checked, total }: Boxes): string {
  const named = open.slice(0, MOST_NAMED);
  const more = total - checked - named.length;
  return named.length === 0 ? '' : ` (left: ${named.join('; ')}${more > 0 ? `; and ${count(more)} more` : ''})`;
}

/** What was open at the start and is not in the list any more, as far as it is recorded. */
export function missingItems(before: Boxes, now: Boxes): readonly string[] {
  const there = new Set(now.digests);
  return (before.open ?? []).filter((text) => !there.has(digestOf(text))).slice(0, MOST_NAMED);
}

/** The record after the list was read again. */
export function checklistAfter(
  before: ChecklistRecord | undefined,
  { boxes, detail }: { readonly boxes?: Boxes | undefined; readonly detail?: string | undefined },
): ChecklistRecord {
  const { mostBoxes = 0, fewestOpen = Number.MAX_SAFE_INTEGER } = before ?? {};
  if (boxes === undefined) return { problem: detail ?? 'it was not read', mostBoxes, fewestOpen };
  const { checked, total } = boxes;
  const most = Math.max(mostBoxes, total);
  const open = most - checked;
  return {
    checked,
    total,
    mostBoxes: most,
    fewestOpen: total > mostBoxes ? open : Math.min(fewestOpen, open),
  };
}

/** Fewer boxes are open than before. What is deleted counts as open, so that a shorter list is not progress. */
export function isFurther(before: ChecklistRecord | undefined, boxes: Boxes | undefined): boolean {
  if (before === undefined || boxes === undefined) return false;
  return Math.max(before.mostBoxes, boxes.total) - boxes.checked < before.fewestOpen;
}

/** Longer texts are compared by their beginning, as they are recorded. */
function digestOf(text: string): string {
  return shortDigest(text.slice(0, ITEM_CHARACTERS).toLowerCase());
}
