import { readFileSync } from 'node:fs';
import { promptPlaceNow } from '../iteration/prompt.js';
import { FileSystemError } from '../model/errors.js';
import type { AttemptFeedback } from '../model/item-state.js';
import type { PipelineSpec } from '../model/pipeline-spec.js';
import type { EventBodies, MadeOutput } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { fieldsOf, itemVariablesIn } from './manifest/command-variables.js';
import { fieldText, type Item, itemLine } from './item.js';
import type { OutputStore } from './output-store.js';
import { fieldOf, fillIn, namesIn, variableOf } from './manifest/template.js';

/** One attempt at one item. */
export interface AttemptTask {
  readonly item: Item;
  readonly index: number;
  /** From 1. */
  readonly attempt: number;
  /** What came of the last one. */
  readonly reasons: readonly string[];
  readonly feedback?: AttemptFeedback | undefined;
  /** What it has made already: only its review is missing. */
  readonly made?: MadeOutput | undefined;
}

/** What came of it. */
export type AttemptEnd = Omit<EventBodies['attempt-ended'], 'item' | 'index' | 'attempt' | 'durationMs'> & {
  /** Processes that could not be ended: nothing may be started next to them. */
  readonly survivors?: number | undefined;
};

/** What its names are filled in from. */
export interface TaskSetting {
  readonly spec: RunSpec;
  readonly pipeline: Pick<PipelineSpec, 'generate' | 'audit'>;
  /** Undefined when items have no output. */
  readonly store?: OutputStore | undefined;
}

export type Values = Readonly<Record<string, string>>;

/** What its names stand for. */
export function valuesOf(task: AttemptTask, { store }: TaskSetting, output = ''): Values {
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
export function variablesOf({ item }: AttemptTask, { pipeline }: TaskSetting, values: Values): Record<string, string> {
  const commands = [pipeline.generate.command ?? '', pipeline.audit?.command ?? ''];
  const named = [...fieldsOf(itemVariablesIn(commands), Object.keys(item.fields)).values()].map(
    ([field = '']) => field,
  );
  return {
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [variableOf(name), withoutNul(value)])),
    ...Object.fromEntries(
      ['id', ...named].map((field) => [variableOf(`item.${field}`), withoutNul(fieldText(item.fields[field]))]),
    ),
    PAWL_ITEM: itemLine(item),
  };
}

/** A variable cannot hold one. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

/** A command gets its item on its input, an agent the prompt with the names filled in. */
export function promptOf({ item }: AttemptTask, { pipeline, spec }: TaskSetting, values: Values): string {
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

const LONGEST = 8000;

/** What a next attempt is told of the one before; empty for the first. */
function feedbackText({ attempt, reasons, feedback }: AttemptTask): string {
  if (attempt === 1) return '';
  const codes = reasons.length === 0 ? '' : `: ${reasons.join(', ')}`;
  const { message = '', output = '' } = feedback ?? {};
  const parts = [`Attempt ${attempt - 1} was not approved${codes}.`, message, output];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, LONGEST);
}
