import { resolve } from 'node:path';
import type { StopCondition } from '../model/condition.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { eachItem, itemAt } from '../model/item-state.js';
import { reduceAll } from '../model/reduce.js';
import type { PipelineSpec } from '../model/pipeline-spec.js';
import type { NewEvent, RunEvent } from '../model/run-event.js';
import { hasEnded } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import { isSilent } from '../model/spend-account.js';
import type { StopReason } from '../model/verdict.js';
import { remedyFor } from '../run/prepare.js';
import { evaluateRun, ITEMS_PATH } from '../stop/evaluate-policy.js';
import { hashOfItems, itemLine } from './item.js';
import { readItems } from './items-file.js';
import { itemsText, type ManifestChanges, manifestChanges } from './manifest/manifest-changes.js';
import { outputPaths } from './output-path.js';
import { lostOutputs } from './output-store.js';
import type { PipelinePlan } from './pipeline-plan.js';
import { type ResumeWishes, wishedEvents } from './prepare-pipeline.js';
import type { RecordedPipeline } from './recorded-pipeline.js';

export interface ContinueOptions {
  /** Go on with the manifest as it is now, whatever has changed in it. */
  readonly acceptManifest?: boolean | undefined;
  readonly only?: readonly string[] | undefined;
  /** Items that are made again, although they are final. */
  readonly redo?: readonly string[] | undefined;
  readonly raise?: readonly StopCondition[] | undefined;
  readonly redact: (text: string) => string;
}

/** How a recorded run continues. */
export interface Continuation {
  readonly plan: PipelinePlan;
  readonly wishes: ResumeWishes;
  readonly only?: ReadonlySet<number> | undefined;
  /** Indexes of the items that it would make. */
  readonly left: readonly number[];
  /** Final items that have changed in the manifest: it does not say any more where their outputs are. */
  readonly elsewhere: ReadonlySet<number>;
  /** What is worth knowing, and no reason to ask. */
  readonly notes: readonly string[];
}

/**
 * Fits the manifest as it is now to a run that began with it. Throws ConfigError when it differs in a way that matters and
 * no one has accepted that, or when the run could not continue.
 */
export async function continuePipeline(
  recorded: RecordedPipeline,
  now: PipelinePlan,
  options: ContinueOptions,
): Promise<Continuation> {
  const { redact, acceptManifest = false, raise = [] } = options;
  const lines = readItems(recorded.run.folder, recorded.pipelineSpec.itemsHash);
  const changes = manifestChanges(recorded, lines, now, { redact, redo: new Set(options.redo) });
  if (changes.lines.length > 0 && !acceptManifest) throw changedError(now.pipeline.manifest, changes);
  const plan = planWith(now, changes.items, redact);
  const accepted = changes.lines.length === 0 ? [] : [changeEvent(plan, changes.withdrawn)];
  const indexesOf = (ids: readonly string[]) => findIndexes(plan, recorded, ids, redact);
  const elsewhere = new Set(changes.finalChanged);
  const lost = await lostItems(recorded, plan, elsewhere);
  const again = indexesOf(options.redo ?? []);
  const redone = new Set([...again, ...lost]);
  const events = [...accepted, ...reopenings(recorded, again), ...reopenings(recorded, lost, true)];
  const wishes: ResumeWishes = { raise, events };
  checkGoesOn(recorded, wishes);
  const only = options.only === undefined ? undefined : new Set([...indexesOf(options.only), ...again]);
  const isLeft = (index: number) => itemAt(recorded.pipeline.states, index)?.status === undefined;
  const left = [...plan.items.keys()].filter(
    (index) => plan.items[index] !== undefined && (isLeft(index) || redone.has(index)) && (only?.has(index) ?? true),
  );
  return { plan, wishes, only, left, elsewhere, notes: [...changes.unnamed, ...lostText(recorded, lost)] };
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

function changeEvent({ spec, pipeline, items }: PipelinePlan, gone: ManifestChanges['withdrawn']): NewEvent {
  const withdrawn = gone.map(({ index }) => index);
  const withdrawnItems = gone.map(({ item }) => item);
  const { policy } = spec;
  return { type: 'manifest-changed', items: items.length, withdrawn, withdrawnItems, policy, spec, pipeline };
}

function reopenings({ pipeline }: RecordedPipeline, indexes: readonly number[], isLost?: true): readonly NewEvent[] {
  const why = isLost === undefined ? {} : { isLost };
  return indexes.flatMap((index) => {
    const item = itemAt(pipeline.states, index);
    // One that is not final is made anyway.
    return item?.status === undefined ? [] : [{ type: 'item-reopened', item: item.item, index, ...why } as const];
  });
}

/** Approved items whose output is gone or has changed since the run ended, or at any time if it did not end in order. */
async function lostItems(
  { pipeline, state, spec, pipelineSpec }: RecordedPipeline,
  { items, paths, pipeline: now }: PipelinePlan,
  elsewhere: ReadonlySet<number>,
): Promise<readonly number[]> {
  if (paths === undefined || now.generate.output !== pipelineSpec.generate.output) return [];
  const made = [...eachItem(pipeline.states)].flatMap(([index, { status, hash }]) => {
    const isThere = status === 'approved' && hash !== undefined && items[index] !== undefined && !elsewhere.has(index);
    return isThere ? [[index, hash] as const] : [];
  });
  const sinceMs = hasEnded(state) ? Date.parse(state.at ?? '') : Number.NEGATIVE_INFINITY;
  return lostOutputs(
    made,
    (index) => resolve(spec.workingDir, paths[index] ?? ''),
    (_index, { ctimeMs }) => ctimeMs <= sinceMs,
  );
}

function lostText({ pipeline }: RecordedPipeline, lost: readonly number[]): readonly string[] {
  const ids = lost.map((index) => itemAt(pipeline.states, index)?.item ?? '');
  return itemsText('~', 'processed again, because their output is missing or has changed', ids);
}

function findIndexes(
  { items }: PipelinePlan,
  { pipeline }: RecordedPipeline,
  ids: readonly string[],
  redact: (text: string) => string,
): readonly number[] {
  if (ids.length === 0) return [];
  const indexOf = new Map([...items.entries()].map(([index, item]) => [item?.id, index]));
  const missing = ids.filter((id) => !indexOf.has(id));
  const known = new Set(missing.length === 0 ? [] : [...eachItem(pipeline.states)].map(([, { item }]) => item));
  const issues: Issue[] = [];
  const indexes = ids.flatMap((id) => {
    const index = indexOf.get(id);
    if (index !== undefined) return [index];
    const name = clip(JSON.stringify(id));
    const message = known.has(redact(id))
      ? `the manifest no longer names the item ${name}: it can be inspected, but not processed`
      : `there is no item ${name} in this run`;
    issues.push({ path: '', message });
    return [];
  });
  if (issues.length > 0) throw new ConfigError(issues);
  return indexes;
}

function changedError(manifest: string, { lines, unnamed }: ManifestChanges): ConfigError {
  const message = [
    `${clip(manifest)} has changed since the run started:`,
    ...[...lines, ...unnamed].map((line) => `  ${line}`),
    'restore it, or use it as it is now with --accept-manifest',
  ].join('\n');
  return new ConfigError([{ path: '', message }]);
}

/** Throws when the run would only end again: everything is final, or a limit still holds. */
function checkGoesOn({ state, pipelineSpec }: RecordedPipeline, wishes: ResumeWishes): void {
  if (!hasEnded(state)) return;
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
          ? 'every item is done; --redo ID processes an item again'
          : (unreportedRemedy(reason, after, pipelineSpec) ?? remedyFor(reason, after));
      return { path: manifestPath(reason.path), message: `${reason.message}; ${remedy}` };
    }),
  );
}

/** A limit that is raised accepts what no one told, once: the next attempt that reports nothing blocks it again. */
function unreportedRemedy(
  { class: stopClass, condition }: StopReason,
  { spend }: RunState,
  { limits = [] }: PipelineSpec,
): string | undefined {
  if (stopClass !== 'blocked' || condition === undefined || spend.unknownIterations === 0 || isSilent(spend)) {
    return undefined;
  }
  const isGiven = limits.some(({ type }) => type === condition.type);
  const without = isGiven
    ? `start a new run without ${condition.type}`
    : `take ${condition.type} out of the manifest and give --accept-manifest`;
  return `then resume with the limit set by a flag, or ${without}`;
}

/** Where it is in a manifest. What halts a run is named by its own sentence. */
function manifestPath(path: string): string {
  return path.startsWith('stop.limits') ? path.slice('stop.'.length) : '';
}
