import { tailOf } from '../model/figures.js';
import { type Generated, runGenerator } from '../iteration/run-generator.js';
import type { Agent } from '../iteration/agent.js';
import { createReportedUsage } from '../iteration/narrate.js';
import type { MadeOutput, NewEvent } from '../model/run-event.js';
import { runCommand } from '../observation/run-command.js';
import {
  type AttemptEnd,
  type AttemptTask,
  promptOf,
  type TaskSetting,
  type Values,
  valuesOf,
  variablesOf,
} from './attempt-task.js';
import { AuditReader, namesVerdict } from './audit-verdict.js';
import { itemLine } from './item.js';
import type { MadeItem } from './review-item.js';

/** End an attempt, each one half of it. */
export interface AttemptSignals {
  readonly generate: AbortSignal;
  readonly audit: AbortSignal;
}

export interface AttemptSetting extends TaskSetting {
  readonly runId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly agent?: Agent | undefined;
  /** Undefined when items are not reviewed. */
  readonly review?: ((item: MadeItem, signal: AbortSignal) => Promise<AttemptEnd>) | undefined;
  /** Must not throw. */
  readonly record: (event: NewEvent) => void;
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

const KEPT_CHARACTERS = 4000;

/** Makes an item and has it judged. Does not record its own end. Rejects only when the disk refuses. */
export async function runAttempt(
  task: AttemptTask,
  setting: AttemptSetting,
  signals: AttemptSignals,
  budgetUsd?: number,
): Promise<AttemptEnd> {
  const { index, attempt } = task;
  const { store } = setting;
  const made = await stillMade(task, setting);
  const output = made === undefined ? store?.stage(index, attempt) : store?.stagedPath(index, attempt);
  const values = valuesOf(task, setting, output);
  const { said, ...audited }: Audited =
    made === undefined
      ? await makeAndAudit(task, setting, values, signals, budgetUsd)
      : { ...made, outcome: 'approved', agentStarted: false };
  const end = await reviewed(audited, said, { task, setting, values, output }, signals.audit);
  if (store !== undefined && end.outcome !== 'approved' && end.made === undefined) await store.keep(index, attempt);
  return end;
}

/** With what the generator said last. */
type Audited = AttemptEnd & { readonly said?: string | undefined };

async function makeAndAudit(
  task: AttemptTask,
  setting: AttemptSetting,
  values: Values,
  signals: AttemptSignals,
  budgetUsd: number | undefined,
): Promise<Audited> {
  const { index, attempt } = task;
  const generated = await runGenerator(
    {
      spec: setting.spec,
      prompt: promptOf(task, setting, values),
      env: variablesOf(task, setting, values),
      cookie: `${setting.runId}.${index + 1}.${attempt}`,
      budgetUsd,
    },
    {
      environment: setting.environment,
      agent: setting.agent,
      record: (event) => setting.record({ ...event, index } as NewEvent),
      redact: setting.redact,
      signal: signals.generate,
      now: setting.now,
    },
  );
  const { agentStarted, survivors, said } = generated;
  const end = failureOf(generated) ?? (await judge(task, setting, values, generated, signals.audit));
  return { ...end, agentStarted, survivors, said };
}

/** A generator that did not come to its end by itself, or broke, has made nothing to judge. */
function failureOf({ outcome, error, printed, agentStarted }: Generated): AttemptEnd | undefined {
  const told = { message: error, output: printed && tailOf(printed, KEPT_CHARACTERS) };
  switch (outcome) {
    case 'completed':
      return undefined;
    case 'limited':
      return { outcome: 'limited', message: error };
    case 'interrupted':
    case 'skipped':
      return { outcome: 'interrupted' };
    case 'timed-out':
      return { outcome: 'failed', reasons: ['GENERATOR_TIMED_OUT'], ...told };
    case 'failed':
      return { outcome: 'failed', reasons: [agentStarted ? 'GENERATOR_FAILED' : 'GENERATOR_NOT_STARTED'], ...told };
    default:
      return outcome satisfies never;
  }
}

async function judge(
  task: AttemptTask,
  setting: AttemptSetting,
  values: Values,
  { said, printed }: Generated,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { store, pipeline } = setting;
  const { index, attempt } = task;
  const missing = await missingOutput(task, setting, printed);
  if (missing !== undefined) return missing;
  const end: AttemptEnd =
    pipeline.audit === undefined ? { outcome: 'approved' } : await runAudit(task, setting, values, said, signal);
  if (end.outcome !== 'approved' || store === undefined) return end;
  if ((await store.found(index, attempt)) === 'file') return { ...end, hash: await store.hash(index, attempt) };
  const { auditSpendUnknown } = end;
  return {
    outcome: 'failed',
    reasons: ['OUTPUT_LOST'],
    message: 'the output is missing after the audit',
    auditSpendUnknown,
  };
}

interface Attempted {
  readonly task: AttemptTask;
  readonly setting: AttemptSetting;
  readonly values: Values;
  /** Where its output is; undefined where items have none. */
  readonly output: string | undefined;
}

/** Where items are reviewed, the approval of the audit is not enough. */
async function reviewed(
  audited: AttemptEnd,
  said: string | undefined,
  { task, setting, values, output }: Attempted,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { review, pipeline } = setting;
  if (review === undefined || audited.outcome !== 'approved') return audited;
  const { hash, ...rest } = audited;
  const { index, attempt, item } = task;
  const { command } = pipeline.generate;
  const asked = command === undefined ? promptOf(task, setting, values) : `${command}\n\nThe item: ${itemLine(item)}`;
  return { ...rest, ...(await review({ hash, said, index, attempt, task: asked, path: output }, signal)) };
}

/** Another output under its name is none: it is made again. */
async function stillMade(
  { made, index, attempt }: AttemptTask,
  { store, review }: AttemptSetting,
): Promise<MadeOutput | undefined> {
  if (made === undefined || review === undefined) return undefined;
  if (store === undefined) return made;
  if ((await store.found(index, attempt)) !== 'file') return undefined;
  return (await store.hash(index, attempt)) === made.hash ? made : undefined;
}

async function missingOutput(
  { index, attempt }: AttemptTask,
  { store }: AttemptSetting,
  printed: string | undefined,
): Promise<AttemptEnd | undefined> {
  const found = (await store?.found(index, attempt)) ?? 'file';
  if (found === 'file') return undefined;
  const message =
    found === 'nothing'
      ? 'it wrote nothing to $PAWL_OUTPUT'
      : 'what it wrote to $PAWL_OUTPUT is a folder, a link or another thing that is not a file';
  const output = printed && tailOf(printed, KEPT_CHARACTERS);
  return { outcome: 'failed', reasons: [found === 'nothing' ? 'OUTPUT_MISSING' : 'OUTPUT_NO_FILE'], message, output };
}

async function runAudit(
  task: AttemptTask,
  setting: AttemptSetting,
  values: Values,
  said: string | undefined,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { spec, environment, runId, pipeline } = setting;
  const { command = '', timeoutMs = 0 } = pipeline.audit ?? {};
  const usage = createReportedUsage({
    ...setting,
    record: (event) => setting.record({ ...event, index: task.index, audit: true } as NewEvent),
  });
  const stdout = new AuditReader();
  const stderr = new AuditReader();
  const outcome = await runCommand(
    { shell: command },
    {
      timeoutMs,
      env: variablesOf(task, setting, values),
      input: said ?? '',
      onLine: (text, source) => {
        if (source === 'stderr') return stderr.add(text);
        const isUsage = usage.read(text);
        if (!isUsage || namesVerdict(text)) stdout.add(text);
      },
    },
    {
      workingDir: spec.workingDir,
      environment,
      cookie: `${runId}.${task.index + 1}.${task.attempt}.audit`,
      signal,
    },
  );
  const spent = usage.isUnknown ? ({ auditSpendUnknown: true } as const) : {};
  if (outcome.aborted) return { outcome: 'interrupted', ...spent };
  const { reasons, score, message, outcome: verdict } = stdout.verdict(outcome, stderr);
  return {
    ...spent,
    outcome: verdict,
    ...(reasons.length === 0 ? {} : { reasons }),
    score,
    message,
    output: verdict === 'approved' ? undefined : tailOf(outcome.output.trim(), KEPT_CHARACTERS),
  };
}
