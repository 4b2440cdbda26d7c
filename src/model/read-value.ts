import * as z from 'zod/mini';
import { util } from 'zod/v4/core';
import { clip, isRecord } from './show-value.js';

/** What is wrong with one part of a value. */
export interface Fault {
  readonly kind: 'wrong' | 'missing' | 'unknown-key' | 'wrong-name';
  readonly path: readonly (string | number)[];
  /** In the words of the schema; of what is missing, what it takes. */
  readonly message: string;
  /** The keys that there are where one is unknown. */
  readonly known: readonly string[];
}

/** Most values are read once: compiling their reader would take longer than it saves. */
const ONCE = { async: false, jitless: true } as const;

/**
 * Reads an untrusted value by its schema, with every fault that it has. What is wrong is left out of the value, so that
 * what is left can be judged, too.
 */
export function readValue<T>(
  schema: z.ZodMiniType<T>,
  input: unknown,
): { readonly value: T | undefined; readonly faults: readonly Fault[] } {
  const { value, issues } = schema._zod.run({ value: input, issues: [] }, ONCE) as z.core.ParsePayload;
  const found = issues.flatMap(faultsOf).filter(isFirstAtPath);
  // A misspelt key explains why another one is missing.
  const faults = [...found.filter(isUnknownKey), ...found.filter((fault) => !isUnknownKey(fault))];
  return { value: faults.reduce((left, { path }) => without(left, path, input), value) as T | undefined, faults };
}

/** A text may break two rules of its schema at once, which have the same message. */
function isFirstAtPath(fault: Fault, index: number, all: readonly Fault[]): boolean {
  const before = all[index - 1];
  return before?.message !== fault.message || before.path.join('\0') !== fault.path.join('\0');
}

const isUnknownKey = ({ kind }: Fault) => kind === 'unknown-key';

function faultsOf(issue: z.core.$ZodRawIssue): readonly Fault[] {
  const path = (issue.path ?? []) as (string | number)[];
  const { inst } = issue;
  const known = inst instanceof z.ZodMiniObject ? Object.keys(inst.def.shape) : [];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ kind: 'unknown-key', path: [...path, key], message: 'unknown key', known }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.slice(0, 1).map(({ message }) => ({ kind: 'wrong-name', path, message, known }));
  }
  const { message } = util.finalizeIssue(issue, ONCE, {});
  return [{ kind: issue.input === undefined && path.length > 0 ? 'missing' : 'wrong', path, message, known }];
}

/** A value without the part at a path. Of a list nothing is left, as the others would move up, nor of one value that represents a mapping. */
function without(value: unknown, [step, ...rest]: Fault['path'], input: unknown): unknown {
  if (step === undefined || !isRecord(value) || !isRecord(input)) return undefined;
  if (!Object.hasOwn(value, step)) return value;
  const { [step]: inner, ...others } = value;
  const left = rest.length === 0 ? undefined : without(inner, rest, input[step]);
  return left === undefined ? others : { ...others, [step]: left };
}

/** What a schema takes, in words. */
export function allowedBy(schema: z.ZodMiniType): string {
  return readValue(schema, undefined).faults[0]?.message ?? 'anything';
}

/** `stop` + `limits` is `stop.limits`; a key that would not read well there is quoted: `checks["a b"]`. */
export function keyPath(parent: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${parent}[${JSON.stringify(clip(key))}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

export function itemPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** The path of what lies further inside. */
export function pathInside(parent: string, steps: Fault['path']): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? itemPath(path, step) : keyPath(path, step)),
    parent,
  );
}
