import { isRecord } from '../model/field-rules.js';
import type { LoopCommand } from '../model/loop-command.js';
import { isConditionShape } from './condition-shape.js';

/** Whether a value that was read is what its reader takes it for. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
/** JSON writes null for a number that is none. */
export const number: Check = (value) => typeof value === 'number' || value === null;
export const flag: Check = (value) => typeof value === 'boolean';
export const anything: Check = () => true;
export const object: Check = isRecord;
/** Where a reader has a way for each of them, and for nothing else. */
export const oneOf =
  <T extends string>(known: Readonly<Record<T, true>>): Check =>
  (value) =>
    typeof value === 'string' && Object.hasOwn(known, value);
export const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
/** Plain loops from here on: every record of a journal that is read goes through them. */
export const list =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return false;
    for (const entry of value) if (!check(entry)) return false;
    return true;
  };
export const each =
  (check: Check): Check =>
  (value) => {
    if (!isRecord(value)) return false;
    for (const key in value) if (!check(value[key])) return false;
    return true;
  };
export const fields = (shape: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(shape).map(([name, check]) => ({ name, check }));
  return (value) => {
    if (!isRecord(value)) return false;
    for (const { name, check } of checks) if (!check(value[name])) return false;
    return true;
  };
};

export const texts = list(text);
const conditions = list(isConditionShape);
export const policy = fields({
  success: conditions,
  failure: conditions,
  limits: conditions,
  conditions: maybe(conditions),
  confirm: maybe(number),
  atLeast: maybe(number),
});
export const spend = each(maybe(number));
const tests = fields({
  source: text,
  exitCode: maybe(number),
  total: maybe(number),
  passed: maybe(number),
  failed: maybe(number),
  skipped: maybe(number),
  details: list(fields({ name: text, status: text, error: maybe(text), durationMs: maybe(number) })),
  output: maybe(text),
  framework: maybe(text),
  durationMs: maybe(number),
});
const goalFacts = {
  tests: maybe(tests),
  checks: maybe(each(fields({ output: maybe(text) }))),
  probes: maybe(each(fields({ detail: maybe(text), feedback: maybe(text) }))),
};
export const observation = fields({
  ...goalFacts,
  files: maybe(
    fields({
      treeBefore: text,
      treeAfter: text,
      created: texts,
      modified: texts,
      deleted: texts,
      changedFiles: number,
      changedLines: number,
      incomplete: maybe(texts),
    }),
  ),
  tree: maybe(text),
  fingerprint: maybe(fields({ before: maybe(text), after: text })),
  exitCode: maybe(number),
  signal: maybe(text),
  outputHead: maybe(text),
  outputTail: maybe(text),
  stderrTail: maybe(text),
  summary: maybe(text),
  contextPercent: maybe(number),
  testOutputs: maybe(texts),
  unobserved: maybe(texts),
  confirmations: maybe(list(fields(goalFacts))),
});
export const reasons = list(fields({ path: text, class: text, condition: maybe(isConditionShape), message: text }));
export const verdict = fields({
  stop: flag,
  reasons,
  judgements: list(fields({ path: text, class: text, status: text, progress: maybe(number), sentence: text })),
  holds: each(fields({ iterations: number, upTo: number })),
});
const isCommandType = oneOf<LoopCommand['type']>({
  pause: true,
  resume: true,
  skip: true,
  approve: true,
  reject: true,
  stop: true,
  reboot: true,
  steer: true,
  extend: true,
});
export const command: Check = (value) =>
  isRecord(value) &&
  isCommandType(value['type']) &&
  maybe(text)(value['text']) &&
  (value['type'] !== 'extend' || isConditionShape(value['limit']));
export const pipeline = fields({
  manifest: text,
  itemsHash: text,
  only: maybe(texts),
  generate: fields({ command: maybe(text), prompt: maybe(text), output: maybe(text), timeoutMs: number }),
  audit: maybe(fields({ command: text })),
  limits: maybe(conditions),
  concurrency: number,
  retry: fields({ maxAttempts: number, backoffMs: number }),
});
