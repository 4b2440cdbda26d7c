import type { Agent } from '../iteration/agent.js';
import { createAgent } from '../iteration/cli-agent.js';
import { itemsFolder, newRunId } from '../journal/run-places.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { budgetLeft } from '../run/attempt.js';
import type { RunSource } from '../run/live-handle.js';
import type { RunParts } from '../run/run-host.js';
import type { RunOptions } from '../run/run-options.js';
import { newRunSource, recordedRunSource } from '../run/run-source.js';
import { specRedactor } from '../run/spec-redactor.js';
import type { Continuation } from './continue-pipeline.js';
import { itemLine } from './item.js';
import { writeItems } from './items-file.js';
import { OutputStore } from './output-store.js';
import { PipelineHandle } from './pipeline-handle.js';
import { outerEnvironment } from './outer-environment.js';
import type { PipelineParts } from './pipeline-parts.js';
import type { PipelinePlan } from './pipeline-plan.js';
import type { ResumeWishes } from './prepare-pipeline.js';
import { createItemReviews } from './review-item.js';
import { runAttempt } from './run-attempt.js';
import { storyKeys } from './state-keys.js';

/** What a caller may put in place of the usual. */
export interface PipelineOptions extends Omit<RunOptions, 'agent' | 'extraKeys' | 'functions'> {
  /** In place of the generator that the manifest names. */
  readonly agent?: Agent | undefined;
  /** A new one unless given. */
  readonly runId?: string | undefined;
  /** Stops the run at once. */
  readonly signal?: AbortSignal | undefined;
}

/** A pipeline run that is still to be recorded. Throws ConfigError when its generator cannot be run. */
export function createPipelineRun(plan: PipelinePlan, options: PipelineOptions = {}): PipelineHandle {
  const runId = options.runId ?? options.journal?.state.runId ?? newRunId('pipe');
  const source = newRunSource(plan.spec, runId, runOptionsOf(plan, options));
  return handleOf(source, plan, options, {});
}

/** A pipeline run that continues, with the plan that holds now. */
export function continuePipelineRun(
  plan: PipelinePlan,
  recorded: RunState & { readonly runId?: string | undefined },
  options: PipelineOptions & Partial<Pick<Continuation, 'wishes' | 'only' | 'elsewhere'>>,
): PipelineHandle {
  const runId = recorded.runId ?? '';
  const source = recordedRunSource(plan.spec, runId, recorded, runOptionsOf(plan, options));
  return handleOf(source, plan, options, options.wishes ?? {}, options);
}

function runOptionsOf(plan: PipelinePlan, options: PipelineOptions): RunOptions {
  // A copy: the process's own is slow to read, and is read for every attempt.
  const environment = outerEnvironment(options.environment ?? process.env);
  const { text } = specRedactor(plan.spec, environment);
  const ids = plan.items.map((item) => (item === undefined ? undefined : text(item.id)));
  const agent = options.agent ?? createAgent(plan.spec, environment);
  return { ...options, environment, agent, extraKeys: storyKeys(() => ids) };
}

function handleOf(
  run: RunSource,
  plan: PipelinePlan,
  options: PipelineOptions,
  wishes: ResumeWishes,
  chosen: Chosen = {},
): PipelineHandle {
  return new PipelineHandle({
    run,
    wishes,
    signal: options.signal,
    partsOf: (parts, record) => partsOf({ run, parts, plan, options, chosen, record }),
  });
}

type Chosen = Partial<Pick<Continuation, 'only' | 'elsewhere'>>;

interface Assembly {
  readonly run: RunSource;
  readonly parts: RunParts;
  readonly plan: PipelinePlan;
  readonly options: PipelineOptions;
  readonly chosen: Chosen;
  readonly record: (event: NewEvent) => void;
}

function partsOf({ run, parts, plan, options, chosen, record }: Assembly): PipelineParts {
  const { only, elsewhere } = chosen;
  const { folder } = run;
  const { spec, pipeline, items, paths } = plan;
  const { runId, environment, redact, now, reviewer, journal } = parts;
  if (folder !== undefined) writeItems(folder, recordedLines(plan, redact));
  const store =
    folder === undefined || paths === undefined
      ? undefined
      : new OutputStore({ folder: itemsFolder(runId, spec.workingDir), workingDir: spec.workingDir, paths });
  const setting = {
    runId,
    spec,
    pipeline,
    environment,
    store,
    agent: options.agent,
    review:
      spec.review &&
      createItemReviews({ runId, spec, reviewer, journal, record, redact, checkRecord: () => undefined }),
    record,
    redact,
    now,
  };
  return {
    run: parts,
    plan: { spec, pipeline, items, paths },
    attempt: (task, signals) => runAttempt(task, setting, signals, budgetLeft(parts.journal.state)),
    place: async (index, attempt, hash) => (store === undefined ? 'placed' : store.place(index, attempt, hash)),
    lost: async (made) => (await store?.lost([...made].filter(([index]) => elsewhere?.has(index) !== true))) ?? [],
    only,
  };
}

/** The items as they are recorded; one that was withdrawn keeps its line. */
export function recordedLines({ items }: PipelinePlan, redact: (text: string) => string): readonly string[] {
  return items.map((item) => (item === undefined ? 'null' : redact(itemLine(item))));
}
