import { tailOf } from '../model/cut-text.js';
import { readFileSync } from 'node:fs';
import { promptPlaceNow } from '../iteration/load-prompt.js';
import { type Generated, runGenerator } from '../iteration/run-generator.js';
import type { Agent } from '../iteration/agent.js';
import { createToldUsage } from '../iteration/told-usage.js';
import { FileSystemError } from '../model/errors.js';
import type { AttemptFeedback } from '../model/item-state.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import type { PipelineSpec } from '../model/pipeline-spec.js';
import type { RunSpec } from '../model/run-spec.js';
import { runCommand } from '../observation/run-command.js';
import type { ShellPool } from '../process/shell-pool.js';
import { AuditReader, namesVerdict } from './audit-verdict.js';
import { feedbackText } from './feedback-text.js';
import { fieldText, type Item, itemLine } from './item.js';
import type { OutputStore } from './output-store.js';
import { shellCommand } from './shell-template.js';
import { fieldOf, fillIn, namesIn, variableOf } from './template.js';

/** End an attempt, each one half of it. */
export interface AttemptSignals {
  readonly generate: AbortSignal;
  readonly audit: AbortSignal;
}

/** One attempt at one item. */
export interface AttemptTask {
  readonly item: Item;
  readonly index: number;
  /** From 1. */
  readonly attempt: number;
  /** What came of the last one. */
  readonly reasons: readonly string[];
  readonly feedback?: AttemptFeedback | undefined;
}

export type AttemptEnd = Omit<EventBodies['attempt-ended'], 'item' | 'index' | 'attempt' | 'durationMs'> & {
  /** Processes that could not be ended: nothing may be started beside them. */
  readonly survivors?: number | undefined;
};

export interface AttemptSetting {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly pipeline: Pick<PipelineSpec, 'generate' | 'audit'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined when items have no output. */
  readonly store?: OutputStore | undefined;
  readonly agent?: Agent | undefined;
  /** Must not throw. */
  readonly record: (event: NewEvent) => void;
  readonly redact: (text: string) => string;
  readonly now: () => Date;
  /** For commands. */
  readonly shells?: ShellPool | undefined;
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
  const { runId, store } = setting;
  const values = valuesOf(task, setting, store?.stage(index, attempt));
  const generated = await runGenerator(
    {
      spec: setting.spec,
      prompt: promptOf(task, setting, values),
      env: variablesOf(task, setting, values),
      cookie: `${runId}.${index + 1}.${attempt}`,
      budgetUsd,
    },
    {
      environment: setting.environment,
      agent: setting.agent,
      record: (event) => setting.record({ ...event, index } as NewEvent),
      redact: setting.redact,
      signal: signals.generate,
      now: setting.now,
      shells: setting.shells,
    },
  );
  const { agentStarted, survivors } = generated;
  const end = failureOf(generated) ?? (await judge(task, setting, values, generated, signals.audit));
  if (store !== undefined && end.outcome !== 'approved') await store.keep(index, attempt);
  return { ...end, agentStarted, survivors };
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
    message: 'what was made is gone after the audit',
    auditSpendUnknown,
  };
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
  const usage = createToldUsage({
    ...setting,
    record: (event) => setting.record({ ...event, index: task.index, audit: true } as NewEvent),
  });
  const stdout = new AuditReader();
  const stderr = new AuditReader();
  const outcome = await runCommand(
    { shell: shellCommand(command) ?? command },
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
      shells: setting.shells,
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

type Values = Readonly<Record<string, string>>;

function valuesOf(task: AttemptTask, { store }: AttemptSetting, output = ''): Values {
  const { index, attempt, reasons } = task;
  return {
    attempt: String(attempt),
    reasons: reasons.join(', '),
    feedback: feedbackText(task),
    output,
    last_output: store === undefined || attempt === 1 ? '' : store.stagedPath(index, attempt - 1),
  };
}

/** What a command is given: everything by its variable, so that nothing of it is read as code. */
function variablesOf({ item }: AttemptTask, { pipeline }: AttemptSetting, values: Values): Record<string, string> {
  const named = [pipeline.generate.command, pipeline.audit?.command].flatMap((text) => namesIn(text ?? ''));
  const fields = ['item.id', ...named.filter((name) => fieldOf(name) !== undefined)];
  const text = (name: string) => fieldText(item.fields[fieldOf(name) ?? '']);
  return {
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [variableOf(name), withoutNul(value)])),
    ...Object.fromEntries(fields.map((name) => [variableOf(name), withoutNul(text(name))])),
    PAWL_ITEM: itemLine(item),
  };
}

/** A variable cannot hold one. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

/** A command gets its item on its input, an agent the prompt with the names filled in. */
function promptOf({ item }: AttemptTask, { pipeline, spec }: AttemptSetting, values: Values): string {
  const { command, prompt, promptPath = '', promptPlace } = pipeline.generate;
  if (command !== undefined) return `${itemLine(item)}\n`;
  const template = prompt ?? readPrompt({ promptPath, promptPlace, workingDir: spec.workingDir });
  const filled = fillIn(template, (name) => {
    const field = fieldOf(name);
    return field === undefined ? values[name] : fieldText(item.fields[field]);
  });
  const { feedback = '' } = values;
  return feedback === '' || namesIn(template).includes('feedback') ? filled : `${filled.trimEnd()}\n\n${feedback}\n`;
}

function readPrompt(file: Parameters<typeof promptPlaceNow>[0]): string {
  try {
    return readFileSync(promptPlaceNow(file), 'utf8');
  } catch (error) {
    throw new FileSystemError('read the prompt', file.promptPath, error);
  }
}
