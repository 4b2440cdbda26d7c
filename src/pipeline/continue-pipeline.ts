import type { StopCondition } from '../model/condition.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import { itemAt } from '../model/item-state.js';
import { isTerminal } from '../model/loop-state.js';
import { reduceAll } from '../model/reduce.js';
import type { NewEvent, RunEvent } from '../model/run-event.js';
import { remedyFor } from '../run/prepare.js';
import { evaluateRun, ITEMS_PATH } from '../stop/evaluate-policy.js';
import { hashOfItems, itemLine } from './item.js';
import { readItems } from './items-file.js';
import { manifestChanges } from './manifest-changes.js';
import { outputPaths } from './output-path.js';
import type { PipelinePlan } from './pipeline-plan.js';
import { type ResumeWishes, wishedEvents } from './prepare-pipeline.js';
import type { RecordedPipeline } from './recorded-pipeline.js';

export interface ContinueOptions {
  /** Go on with the manifest as it is now, whatever has changed in it. */
  readonly acceptManifest?: boolean | undefined;
  readonly only?: readonly string[] | undefined;
  /** Items that are made once more, although they are final. */
  readonly redo?: readonly string[] | undefined;
  readonly raise?: readonly StopCondition[] | undefined;
  readonly redact: (text: string) => string;
}

/** How a recorded run goes on. */
export interface Continuation {
  readonly plan: PipelinePlan;
  readonly wishes: ResumeWishes;
  readonly only?: ReadonlySet<number> | undefined;
}

/**
 * Fits the manifest as it is now to a run that began with it. Throws ConfigError when it differs in a way that matters and
 * nobody has accepted that, or when the run could not go on.
 */
export function continuePipeline(
  recorded: RecordedPipeline,
  now: PipelinePlan,
  options: ContinueOptions,
): Continuation {
  const { redact, acceptManifest = false, raise = [] } = options;
  const lines = readItems(recorded.folder, recorded.pipelineSpec.itemsHash);
  const changes = manifestChanges(recorded, lines, now, { redact, redo: new Set(options.redo) });
  if (changes.lines.length > 0 && !acceptManifest) throw changedError(now.pipeline.manifest, changes.lines);
  const plan = planWith(now, changes.items, redact);
  const accepted = changes.lines.length === 0 ? [] : [changeEvent(plan, changes.withdrawn)];
  const redone = indexesOf(plan, options.redo ?? []);
  const events = [...accepted, ...reopenings(recorded, redone)];
  const wishes: ResumeWishes = { raise, events };
  checkGoesOn(recorded, wishes);
  const wanted = [...(options.only ?? []), ...(options.only === undefined ? [] : (options.redo ?? []))];
  return { plan, wishes, only: options.only === undefined ? undefined : new Set(indexesOf(plan, wanted)) };
}

/** The plan with the items at the indexes that they have in the run. */
function planWith(now: PipelinePlan, items: PipelinePlan['items'], redact: (text: string) => string): PipelinePlan {
  const { output } = now.pipeline.generate;
  const named = items.filter((item) => item !== undefined);
  const pathOf = new Map(output === undefined ? [] : outputPaths(output, named).map((path, at) => [named[at], path]));
  const paths = output === undefined ? undefined : items.map((item) => pathOf.get(item) ?? '');
  const lines = items.map((item) => (item === undefined ? 'null' : redact(itemLine(item))));
  return { ...now, items, paths, pipeline: { ...now.pipeline, itemsHash: hashOfItems(lines) } };
}

function changeEvent({ spec, pipeline, items }: PipelinePlan, withdrawn: readonly number[]): NewEvent {
  return { type: 'manifest-changed', items: items.length, withdrawn, policy: spec.policy, spec, pipeline };
}

function reopenings({ pipeline }: RecordedPipeline, indexes: readonly number[]): readonly NewEvent[] {
  return indexes.flatMap((index) => {
    const item = itemAt(pipeline.states, index);
    // One that is not final is made anyway.
    return item?.status === undefined ? [] : [{ type: 'item-reopened', item: item.item, index } as const];
  });
}

function indexesOf({ items }: PipelinePlan, ids: readonly string[]): readonly number[] {
  const issues: Issue[] = [];
  const indexes = ids.flatMap((id) => {
    const index = items.findIndex((item) => item?.id === id);
    if (index < 0) issues.push({ path: '', message: `there is no item ${clip(JSON.stringify(id))} in this run` });
    return index < 0 ? [] : [index];
  });
  if (issues.length > 0) throw new ConfigError(issues);
  return indexes;
}

function changedError(manifest: string, lines: readonly string[]): ConfigError {
  const message = [
    `${clip(manifest)} has changed since the run began:`,
    ...lines.map((line) => `  ${line}`),
    'put it back as it was, or go on with it as it is now: --accept-manifest',
  ].join('\n');
  return new ConfigError([{ path: '', message }]);
}

/** Throws when the run would only end again: everything is final, or a limit still holds. */
function checkGoesOn({ state }: RecordedPipeline, wishes: ResumeWishes): void {
  if (!isTerminal(state.status)) return;
  const drafts: readonly NewEvent[] = [{ type: 'run-resumed', cause: 'operator' }, ...wishedEvents(wishes)];
  const events = drafts.map(
    (event, index): RunEvent => ({
      ...event,
      v: 1,
      seq: state.seq + 1 + index,
      at: state.at ?? '',
      activeMs: state.activeMs,
    }),
  );
  const after = reduceAll(events, state);
  const { reasons } = evaluateRun(after);
  if (reasons.length === 0) return;
  throw new ConfigError(
    reasons.map((reason) => {
      const remedy =
        reason.path === ITEMS_PATH
          ? 'there is nothing left to do; --redo ID makes one again'
          : remedyFor(reason, after);
      return { path: manifestPath(reason.path), message: `${reason.message}; ${remedy}` };
    }),
  );
}

/** Where it stands in a manifest. What halts a run is named by its own sentence. */
function manifestPath(path: string): string {
  return path.startsWith('stop.limits') ? path.slice('stop.'.length) : '';
}
