import { itemAt, type ItemState } from '../../model/item-state.js';
import { canonicalJson } from '../../model/json.js';
import { clip } from '../../model/show-value.js';
import { differenceText } from '../../model/difference-text.js';
import { type Item, itemLine } from '../item.js';
import { manifestSettings } from './manifest-settings.js';
import type { PipelinePlan } from '../pipeline-plan.js';
import type { RecordedPipeline } from '../recorded-pipeline.js';

/** How a manifest differs from the one that a run began with, as far as it changes what the run does. */
export interface ManifestChanges {
  /** One line each, for a person. Empty when nothing that matters has changed. */
  readonly lines: readonly string[];
  /** The items by their index in the run: those that it knows keep theirs, new ones come last. */
  readonly items: readonly (Item | undefined)[];
  /** Those without a final status that are not named any more. */
  readonly withdrawn: readonly WithdrawnItem[];
  /** Final ones that are not named any more: they stay as they are, and are no reason to ask. */
  readonly unnamed: readonly string[];
  /** Final ones that differ from what was made. */
  readonly finalChanged: readonly number[];
}

interface WithdrawnItem {
  readonly index: number;
  readonly item: string;
}

const MOST_NAMED = 5;

/** `recordedLines` are the items as they were; undefined when that is not known any more. */
export function manifestChanges(
  recorded: RecordedPipeline,
  recordedLines: readonly string[] | undefined,
  plan: PipelinePlan,
  { redact, redo }: { readonly redact: (json: string) => string; readonly redo: ReadonlySet<string> },
): ManifestChanges {
  const lines = recordedLines ?? Array.from({ length: recorded.pipeline.items }, () => 'null');
  const known = lines.map((line) => JSON.parse(line) as { readonly id: string } | null);
  // One that is not in the list any more is known by what was recorded of it: it may be named again.
  const nameOf = (index: number) => known[index]?.id ?? stateOf(recorded, index)?.item ?? '';
  const named = plan.items.filter((item) => item !== undefined);
  const byId = new Map(named.map((item) => [redact(item.id), item]));
  const indexes = [...known.keys()];
  const ids = new Set(indexes.map(nameOf));
  const added = named.filter(({ id }) => !ids.has(redact(id)));
  const items = [...indexes.map((index) => byId.get(nameOf(index))), ...added];
  const isLeft = (index: number) => stateOf(recorded, index)?.status === undefined;
  const gone = indexes.filter((index) => items[index] === undefined);
  const withdrawn = gone.filter(isLeft);
  const newly = withdrawn.filter((index) => known[index] !== null);
  const again = indexes.filter((index) => known[index] === null && items[index] !== undefined);
  const different = indexes.filter((index) => {
    const item = items[index];
    return known[index] !== null && item !== undefined && redact(itemLine(item)) !== recordedLines?.[index];
  });
  const changed = different.filter((index) => isLeft(index) || redo.has(items[index]?.id ?? ''));
  return {
    items,
    withdrawn: withdrawn.map((index) => ({ index, item: nameOf(index) })),
    finalChanged: different.filter((index) => !isLeft(index)),
    unnamed: itemsText(
      '-',
      'no longer named, but finished: they stay as they are',
      gone.filter((index) => !isLeft(index)).map(nameOf),
    ),
    lines: [
      ...(recordedLines === undefined
        ? ['items: the earlier list is gone, so it is unknown which items there were']
        : []),
      ...itemsText(
        '+',
        'new',
        added.map(({ id }) => id),
      ),
      ...itemsText('+', 'named again', again.map(nameOf)),
      ...itemsText('-', 'no longer named', newly.map(nameOf)),
      ...itemsText('~', 'changed', changed.map(nameOf)),
      ...settingLines(recorded, plan, redact),
    ],
  };
}

function stateOf({ pipeline }: RecordedPipeline, index: number): ItemState | undefined {
  return itemAt(pipeline.states, index);
}

export function itemsText(sign: string, what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const named = ids.slice(0, MOST_NAMED).map((id) => clip(JSON.stringify(id)));
  const more = ids.length > MOST_NAMED ? `, and ${ids.length - MOST_NAMED} more` : '';
  return [`${sign} items ${what}: ${named.join(', ')}${more}`];
}

/** Timeouts, the backoff, the concurrency and who is told may change: they change nothing that is made. */
function settingLines(
  recorded: RecordedPipeline,
  plan: PipelinePlan,
  redact: (json: string) => string,
): readonly string[] {
  const before = manifestSettings(recorded.spec, recorded.pipelineSpec, recorded.pipeline.items);
  const now = manifestSettings(plan.spec, plan.pipeline, plan.items.length);
  return [...new Set([...now.keys(), ...before.keys()])].flatMap((key) => {
    const was = before.has(key) ? canonicalJson(before.get(key)) : undefined;
    const is = now.has(key) ? redact(canonicalJson(now.get(key))) : undefined;
    return was === is ? [] : [`~ ${key}: ${differenceText(was, is)}`];
  });
}
