import { isFailureModel } from './failure-model.js';
import { isRecord } from './show-value.js';
import type { LoopCommand } from './loop-command.js';
import { STOP_CLASSES } from './stop-class.js';
import { CONDITION_CATALOG, isConditionType } from './condition-catalog.js';
import type * as z from 'zod/mini';
import { field, isOptional } from './fields.js';

/**
 * What an export must know about a field.
 * - `written`: by an agent, a program or a person. Left out of an export without text.
 * - `codes`: words such as BLURRY, which such an export keeps, among texts, which it leaves out.
 * - `local`: means something on this machine only. Never exported.
 * - `requester`: may name a process, `pawl stop (pid 12)`.
 * - `spec`, `reasons`, `verdict`, `opinion`: cleaned by rules of their own.
 */
export type Content = 'written' | 'codes' | 'local' | 'requester' | 'spec' | 'reasons' | 'verdict' | 'opinion';

/** What a check accepts, for tests that make up a value. */
export type Accepts =
  | { readonly kind: 'text' | 'number' | 'flag' | 'anything' | 'object' | 'condition' | 'command' }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'maybe' | 'list' | 'each'; readonly of: Check }
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Check>> };

/** Whether a value that was read is what its reader takes it for. */
export interface Check {
  (value: unknown): boolean;
  readonly accepts?: Accepts | undefined;
  readonly content?: Content | undefined;
}

const accepting = (accepts: Accepts | undefined, accept: (value: unknown) => boolean, content?: Content): Check =>
  Object.assign(accept, { accepts, content });

export const text = accepting({ kind: 'text' }, (value) => typeof value === 'string');
/** JSON writes null for NaN and infinite numbers. */
export const number = accepting({ kind: 'number' }, (value) => typeof value === 'number' || value === null);
export const flag = accepting({ kind: 'flag' }, (value) => typeof value === 'boolean');
export const anything = accepting({ kind: 'anything' }, () => true);
export const object = accepting({ kind: 'object' }, (value) => isRecord(value));
export const condition = accepting({ kind: 'condition' }, (value) => isConditionShape(value));
/** One of these words. Readers bear any other: a newer Pawl may have more. */
export const word = (...words: readonly string[]): Check =>
  accepting({ kind: 'word', words }, (value) => typeof value === 'string');
/** Where a reader has a way for each of them, and for nothing else. */
export const oneOf = <T extends string>(known: Readonly<Record<T, true>>): Check =>
  accepting(
    { kind: 'word', words: Object.keys(known) },
    (value) => typeof value === 'string' && Object.hasOwn(known, value),
  );
export const maybe = (check: Check): Check =>
  accepting({ kind: 'maybe', of: check }, (value) => value === undefined || check(value), check.content);
/** Always written, but a record without it is read all the same. */
export const orMissing = (check: Check): Check =>
  accepting(check.accepts, (value) => value === undefined || check(value), check.content);
/** Plain loops from here on: every record of a journal that is read goes through them. */
export const list = (check: Check): Check =>
  accepting({ kind: 'list', of: check }, (value) => {
    if (!Array.isArray(value)) return false;
    for (const entry of value) if (!check(entry)) return false;
    return true;
  });
export const each = (check: Check): Check =>
  accepting({ kind: 'each', of: check }, (value) => {
    if (!isRecord(value)) return false;
    for (const key in value) if (!check(value[key])) return false;
    return true;
  });
export const fields = (shape: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(shape).map(([name, check]) => ({ name, check }));
  return accepting({ kind: 'fields', fields: shape }, (value) => {
    if (!isRecord(value)) return false;
    for (const { name, check } of checks) if (!check(value[name])) return false;
    return true;
  });
};

const holding = (content: Content, check: Check): Check => accepting(check.accepts, (value) => check(value), content);
export const written = (check: Check): Check => holding('written', check);
export const local = (check: Check): Check => holding('local', check);
/** Words of an agent, a program or a person. */
export const prose = written(text);
export const requester = holding('requester', text);
/** What a review said. */
export const opinion = (check: Check): Check => holding('opinion', check);

export const texts = list(text);
export const codes = holding('codes', texts);
const conditions = list(condition);
export const policy = fields({
  success: conditions,
  failure: conditions,
  limits: conditions,
  conditions: maybe(conditions),
  confirm: maybe(number),
  atLeast: maybe(number),
});
/** What the fold reads of it. */
export const spec = holding('spec', fields({ agent: fields({ name: text }), policy, session: object }));
/** With figures that a newer Pawl may add. */
export const spend = accepting(
  {
    kind: 'fields',
    fields: {
      inputTokens: maybe(number),
      outputTokens: maybe(number),
      totalTokens: maybe(number),
      costUsd: maybe(number),
    },
  },
  each(maybe(number)),
);
const someTests = maybe(fields({ count: number, names: texts }));
const tests = fields({
  source: word('harness', 'agent'),
  grade: maybe(word('named', 'counted', 'exit-code')),
  exitCode: maybe(number),
  exitCodeDecides: maybe(flag),
  total: maybe(number),
  passed: maybe(number),
  failed: maybe(number),
  skipped: maybe(number),
  details: list(
    fields({
      name: text,
      status: word('passed', 'failed', 'skipped', 'error'),
      file: maybe(text),
      isSuite: maybe(flag),
      error: maybe(text),
      durationMs: maybe(number),
    }),
  ),
  namesRefused: maybe(flag),
  names: maybe(fields({ passed: maybe(text), failed: maybe(text), skipped: maybe(text) })),
  changes: maybe(fields({ missing: someTests, skipped: someTests, added: someTests, digest: text })),
  output: maybe(text),
  framework: maybe(text),
  durationMs: maybe(number),
  flaky: maybe(texts),
});
const goalFacts = {
  tests: maybe(tests),
  checks: maybe(each(fields({ output: maybe(text) }))),
  probes: maybe(
    each(
      fields({
        detail: maybe(text),
        version: maybe(text),
        boxes: maybe(fields({ checked: number, total: number, open: maybe(texts), digests: texts })),
        value: maybe(number),
        feedback: maybe(text),
      }),
    ),
  ),
};
export const original = fields({
  changed: texts,
  changedFiles: maybe(number),
  mayChange: maybe(flag),
  tests: maybe(tests),
  room: maybe(word('overlay', 'copy')),
  unusable: maybe(text),
  touched: maybe(texts),
  doubt: maybe(
    fields({
      kind: word('cannot fail', 'any value', 'old build', 'temporary files', 'knows tests'),
      tests: maybe(texts),
      lines: maybe(texts),
    }),
  ),
  flags: maybe(list(fields({ path: text, line: number, what: text }))),
  durationMs: maybe(number),
});
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
      kinds: maybe(each(number)),
      lines: maybe(texts),
      rewrites: maybe(flag),
      incomplete: maybe(texts),
    }),
  ),
  tree: maybe(text),
  fingerprint: maybe(fields({ before: maybe(text), after: text })),
  also: maybe(fields({ before: text, after: text })),
  commandResults: maybe(texts),
  outsideLines: maybe(texts),
  exitCode: maybe(number),
  signal: maybe(text),
  outputHead: maybe(text),
  outputTail: maybe(text),
  stderrTail: maybe(text),
  summary: maybe(text),
  lastMessage: maybe(text),
  request: maybe(fields({ kind: word('request', 'impossible', 'none'), isStuck: maybe(flag), sentence: maybe(text) })),
  closing: maybe(word('empty', 'open', 'plain', 'finished')),
  contextPercent: maybe(number),
  testOutputs: maybe(texts),
  toolFailures: maybe(list(fields({ digest: text, text }))),
  wroteFiles: maybe(flag),
  unobserved: maybe(texts),
  original: maybe(original),
  kept: maybe(each(text)),
  earlier: maybe(fields({ run: text, tree: text, tests: maybe(tests), kept: maybe(each(text)) })),
  confirmations: maybe(list(fields(goalFacts))),
});
export const stopClass = word(...STOP_CLASSES);
export const reasons = holding(
  'reasons',
  list(fields({ path: text, class: stopClass, condition: maybe(condition), message: text })),
);
export const verdict = holding(
  'verdict',
  fields({
    stop: flag,
    reasons,
    judgements: list(
      fields({
        path: text,
        class: stopClass,
        status: word('met', 'not-met', 'unknown'),
        progress: maybe(number),
        sentence: text,
      }),
    ),
    holds: each(fields({ iterations: number, upTo: number })),
  }),
);
const isCommandType = oneOf<LoopCommand['type']>({
  pause: true,
  resume: true,
  skip: true,
  approve: true,
  reject: true,
  stop: true,
  reboot: true,
  steer: true,
  answer: true,
  extend: true,
});
export const command = accepting(
  { kind: 'command' },
  (value) =>
    isRecord(value) &&
    isCommandType(value['type']) &&
    maybe(text)(value['text']) &&
    maybe(text)(value['question']) &&
    (value['type'] !== 'extend' || isConditionShape(value['limit'])),
);
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

/** Deeper than any that a config may have. */
const DEEPEST = 100;

/** Whether a recorded value is a condition, as far as reading it goes: its type is known, and its fields are of theirs. */
export function isConditionShape(value: unknown): boolean {
  return isCondition(value, 0);
}

function isCondition(value: unknown, depth: number): boolean {
  if (!isRecord(value) || depth > DEEPEST) return false;
  const { type } = value;
  if (typeof type !== 'string' || !isConditionType(type)) return false;
  return Object.entries(CONDITION_CATALOG[type].fields).every(([name, schema]) => {
    const isMissable = isOptional(schema);
    if (isMissable && value[name] === undefined) return true;
    return isFieldShape(isMissable ? schema._zod.def.innerType : schema, value[name], depth);
  });
}

/** No more than the plain type: what was valid once is read. */
function isFieldShape(schema: z.core.$ZodType, value: unknown, depth: number): boolean {
  if (schema === field.condition) return isCondition(value, depth + 1);
  if (schema === field.model) return isFailureModel(value);
  const { type } = schema._zod.def;
  if (type === 'array') {
    const isConditions = schema === field.conditions;
    return (
      Array.isArray(value) &&
      value.every((one) => (isConditions ? isCondition(one, depth + 1) : typeof one === 'string'))
    );
  }
  return typeof value === (type === 'number' || type === 'boolean' ? type : 'string');
}
