import { itemAt, type ItemState } from '../model/item-state.js';
import { canonicalJson } from '../model/json.js';
import { clip } from '../model/field-rules.js';
import { type Item, itemLine } from './item.js';
import type { PipelinePlan } from './pipeline-plan.js';
import type { RecordedPipeline } from './recorded-pipeline.js';

/** How a manifest differs from the one that a run began with, as far as it changes what the run does. */
export interface ManifestChanges {
  /** One line each, for a person. Empty when nothing that matters has changed. */
  readonly lines: readonly string[];
  /** The items by their index in the run: those that it knows keep theirs, new ones come last. */
  readonly items: readonly (Item | undefined)[];
  /** Indexes of those without a final status that are not named any more. */
  readonly withdrawn: readonly number[];
}

const MOST_NAMED = 5;

/** `recordedLines` are the items as they were; undefined when that is not known any more. */
export function manifestChanges(
  recorded: RecordedPipeline,
  recordedLines: readonly string[] | undefined,
  plan: PipelinePlan,
  { redact, redo }: { readonly redact: (json: string) => string; readonly redo: ReadonlySet<string> },
): ManifestChanges {
  const known = (recordedLines ?? []).map((line) => JSON.parse(line) as { readonly id: string } | null);
  const named = plan.items.filter((item) => item !== undefined);
  const byId = new Map(named.map((item) => [redact(item.id), item]));
  const ids = new Set(known.map((item) => item?.id));
  const added = named.filter(({ id }) => !ids.has(redact(id)));
  const items = [...known.map((item) => (item === null ? undefined : byId.get(item.id))), ...added];
  const isLeft = (index: number) => stateOf(recorded, index)?.status === undefined;
  const withdrawn = [...known.keys()].filter((index) => items[index] === undefined && isLeft(index));
  const newly = withdrawn.filter((index) => known[index] !== null);
  const changed = [...known.keys()].filter((index) => {
    const item = items[index];
    const isMade = item !== undefined && (isLeft(index) || redo.has(item.id));
    return isMade && redact(itemLine(item)) !== recordedLines?.[index];
  });
  const nameOf = (index: number) => known[index]?.id ?? '';
  return {
    items,
    withdrawn,
    lines: [
      ...(recordedLines === undefined ? ['items: which ones there were is not known any more: the list is gone'] : []),
      ...itemsText(
        '+',
        'new',
        added.map(({ id }) => id),
      ),
      ...itemsText('-', 'not named any more', newly.map(nameOf)),
      ...itemsText('~', 'changed', changed.map(nameOf)),
      ...settingLines(recorded, plan, redact),
    ],
  };
}

function stateOf({ pipeline }: RecordedPipeline, index: number): ItemState | undefined {
  return itemAt(pipeline.states, index);
}

function itemsText(sign: string, what: string, ids: readonly string[]): readonly string[] {
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
  const before = settingsOf(recorded.spec, recorded.pipelineSpec, recorded.pipeline.items);
  const now = settingsOf(plan.spec, plan.pipeline, plan.items.length);
  return Object.keys(now).flatMap((key) => {
    const [was, is] = [before[key], redact(canonicalJson(now[key]))];
    if (canonicalJson(was) === is) return [];
    return [`~ ${key}: ${clip(canonicalJson(was))} is now ${clip(is)}`];
  });
}

function settingsOf(
  { agent, workingDir, policy }: PipelinePlan['spec'],
  { generate, audit, retry }: PipelinePlan['pipeline'],
  items: number,
): Readonly<Record<string, unknown>> {
  const { command, prompt, promptPath, output } = generate;
  // The breaker that nobody wrote follows the items.
  const failure = policy.failure.filter(
    (one) => one.type !== 'circuit_breaker' || one.attempts !== Math.max(50, 2 * items),
  );
  return {
    working_dir: workingDir,
    'generate.command': command,
    'generate.prompt': prompt ?? promptPath,
    'generate.output': output,
    'generate.agent': { ...agent, command: command === undefined ? agent.command : undefined },
    'audit.command': audit?.command,
    'retry.max_attempts': retry.maxAttempts,
    'retry.stop_conditions': failure,
    limits: policy.limits,
  };
}
