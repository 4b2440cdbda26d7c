import * as z from 'zod/mini';
import type { StopCondition } from '../model/condition.js';
import { DURATION_EXAMPLES, DURATION_SHAPE, parseDuration } from '../model/duration.js';
import { FIELD_PATH, MANY_PATH } from '../model/field-path.js';
import { field, hasNoNul, must, signals } from '../model/fields.js';
import type { Json } from '../model/json.js';
import { didYouMean } from '../model/nearest.js';
import type { PolicyList } from '../model/policy.js';
import { clip, isRecord } from '../model/show-value.js';
import { splitCommand } from './split-command.js';

/** An entry of a list of conditions: `max_iterations: 0` is no condition but the wish for no such limit. */
export interface ListEntry {
  /** Where it was written, such as `stop.limits[0]`. */
  readonly path: string;
  readonly condition: StopCondition | 'no-iteration-limit';
}

export type Keys = Readonly<Record<string, z.ZodMiniType>>;

/** What is said of a key in its place, besides what it takes: in the registry from which JSON Schema takes it. */
const about = <S extends z.ZodMiniType>(key: S, description: string, fallback?: Json): S => {
  z.globalRegistry.add(key, { description, ...(fallback === undefined ? {} : { default: fallback }) });
  return key;
};

export const key = <S extends z.ZodMiniType>(schema: S, description: string, fallback?: Json) =>
  about(z.optional(schema), description, fallback);

export const required = <S extends z.ZodMiniType>(schema: S, description: string) =>
  about(z.nonoptional(schema), description);

/** The default that is said of a key. */
export function fallbackOf(key: z.core.$ZodType): Json | undefined {
  return z.globalRegistry.get(key)?.['default'] as Json | undefined;
}

/** The same of a key that has one. */
export function defaultOf<T>(key: z.ZodMiniType<T>): NonNullable<T> {
  return fallbackOf(key) as NonNullable<T>;
}

const NOTHING_IS_EMPTY = z.transform((value: unknown) => (value === null ? {} : value));
const SHORTS = new WeakMap<z.core.$ZodType, string>();
const LISTS = new WeakMap<z.core.$ZodType, PolicyList>();
const PUBLISHED = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** A mapping of these keys, some of which are required: nothing is none. */
export const object = <const K extends Keys>(keys: K) => z.strictObject(keys, must('a mapping of keys to values'));

/** A mapping of these keys; nothing is an empty one. */
export const mapping = <const K extends Keys>(keys: K) => z.pipe(NOTHING_IS_EMPTY, object(keys));

/** A mapping, or one value that represents its `short` key. */
export function shortForm<const K extends Keys>(short: keyof K & string, keys: K) {
  const schema = z.pipe(
    z.transform((value: unknown) => (isRecord(value) || value === undefined ? value : { [short]: value })),
    object(keys),
  );
  SHORTS.set(schema, short);
  return schema;
}

/** What the names of a mapping with free names may be. */
interface NameRule {
  readonly allowed: string;
  readonly pattern: RegExp;
}

export const named = <const S extends z.ZodMiniType>({ allowed, pattern }: NameRule, of: S) => {
  const error = `a name here is ${allowed}`;
  return z.pipe(
    z.transform((value: unknown, { issues }) => {
      if (!isRecord(value)) return value === null ? {} : value;
      const path = ['__proto__'];
      // A schema of a record would skip it.
      if (Object.hasOwn(value, '__proto__'))
        issues.push({
          code: 'invalid_key',
          origin: 'record',
          issues: [{ code: 'custom', path, message: error, input: value }],
          path,
          input: value,
        });
      return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
    }),
    z.record(z.string(error).check(z.regex(pattern)), of, must('a mapping of names to values')),
  );
};

/** A list that the reader of conditions reads, entry by entry. */
export function conditions(list: PolicyList) {
  const schema = z.array(z.custom<ListEntry>(), must('a list of conditions ([] for none)'));
  LISTS.set(schema, list);
  return schema;
}

export function choice<const T extends readonly string[]>(...of: T) {
  const allowed = of.length < 2 ? of.join() : `${of.slice(0, -1).join(', ')} or ${of.at(-1)}`;
  const { error } = must(allowed);
  return z.enum(of, {
    error: (issue) => error(issue) + (typeof issue.input === 'string' ? didYouMean(clip(issue.input), of) : ''),
  });
}

/** The keys of a mapping, in either form. */
export function keysOf(schema: z.core.$ZodType): Keys | undefined {
  const { def } = inner(schema)._zod;
  return def.type === 'object' ? ((def as z.core.$ZodObjectDef).shape as Keys) : undefined;
}

/** What is under each name of a mapping with free names. */
export function valuesOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = inner(schema)._zod;
  return def.type === 'record' ? (def as z.core.$ZodRecordDef).valueType : undefined;
}

/** The key that one value represents, of a mapping that has such a short form. */
export function shortOf(schema: z.core.$ZodType): string | undefined {
  return SHORTS.get(given(schema));
}

/** Which list of conditions it is. */
export function listOf(schema: z.core.$ZodType): PolicyList | undefined {
  return LISTS.get(given(schema));
}

/** A schema that lets more through than may be written, because another reader gives its parts their places. */
export function publishedAs<S extends z.ZodMiniType>(schema: S, written: z.ZodMiniType): S {
  PUBLISHED.set(schema, written);
  return schema;
}

export function publishedOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  return PUBLISHED.get(schema);
}

/** What a key takes when it is given. */
export function given(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  return 'innerType' in def ? (def as z.core.$ZodOptionalDef).innerType : schema;
}

function inner(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = given(schema)._zod;
  return def.type === 'pipe' ? (def as z.core.$ZodPipeDef).out : given(schema);
}

const oneOrMore = <T>(one: z.ZodMiniType<T>, error: ReturnType<typeof must>) =>
  z.union([one, z.array(one, error).check(z.minLength(1)) as unknown as z.ZodMiniType<readonly T[]>], error);

function pathOf(pattern: RegExp, example: string) {
  const error = must(
    `a path into the line, such as ${example}, or a list of paths, of which the first that exists is used`,
  );
  return oneOrMore(z.string(error).check(z.regex(pattern), z.meta({ examples: [example] })), error);
}

/** The value may be a secret: a message never shows it. */
const mustSecretly = (allowed: string) => {
  const { error } = must(allowed);
  return { error: (issue: { readonly input?: unknown }) => error(issue).replace(/, not .*$/s, '') };
};

/** Relative, and without a step upwards. */
const INNER_PATH = /^(?!\/)(?!(?:[\s\S]*\/)?\.\.(?:\/|$))[\s\S]+$/;

const DELAY = must(`0 or a duration with units, such as ${DURATION_EXAMPLES}`);
const WORDS = must('a program with its arguments, as a list or as one text without shell syntax');
const LITERALS = must('a text, a number, true or false, or a list of them');

/** What a key with one value may take: what a field of a condition does, and more. */
export const leaf = {
  ...field,
  countOrNone: z.int(must('a whole number of at least 1, or 0 for none')).check(z.gte(0)),
  delay: z.union(
    [
      z.literal(0, DELAY),
      z.string(DELAY).check(
        z.regex(DURATION_SHAPE),
        z.refine((text) => parseDuration(text) !== undefined),
        z.meta({ examples: ['90s', '4h', '1h 30m'] }),
      ),
    ],
    DELAY,
  ),
  price: z.number(must('US dollars per million tokens, 0 or more')).check(z.gte(0)),
  innerPath: z
    .string(must('a path or glob inside the working directory, relative to it'))
    .check(z.minLength(1), z.regex(INNER_PATH), hasNoNul),
  command: z.string(must('a command line')).check(z.minLength(1), hasNoNul),
  words: z.union(
    [
      z.string(WORDS).check(
        z.minLength(1),
        z.refine((text) => splitCommand(text) !== undefined),
      ),
      z.array(z.string(WORDS).check(hasNoNul), WORDS).check(
        z.minLength(1),
        z.refine(([program]) => program !== ''),
      ) as unknown as z.ZodMiniType<readonly string[]>,
    ],
    WORDS,
  ),
  anyTexts: z.array(
    z.string(must('a text that is not empty')).check(z.minLength(1), hasNoNul),
    must('a list of texts, none of them empty'),
  ) as unknown as z.ZodMiniType<readonly string[]>,
  variable: z.string(mustSecretly('a text; put quotes around a number')).check(hasNoNul),
  model: z
    .string(must('a model name that does not begin with "-", which the agent would take for an option'))
    .check(z.minLength(1), z.regex(/^(?!\s*-)/), hasNoNul),
  webAddress: z.string(mustSecretly('an address that begins with http:// or https://')).check(
    z.regex(/^https?:\/\/\S+$/),
    z.refine((text) => URL.canParse(text)),
  ),
  fieldPath: pathOf(FIELD_PATH, 'message.id'),
  manyPath: pathOf(MANY_PATH, 'message.content[*].text'),
  literals: oneOrMore(z.union([z.string(), z.number(), z.boolean()], LITERALS), LITERALS),
  signals,
};
