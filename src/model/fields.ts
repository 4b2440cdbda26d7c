import * as z from 'zod/mini';
import { DURATION_EXAMPLES, DURATION_SHAPE, parseDuration } from './duration.js';
import { type FailureModel, isFailureModel } from './failure-model.js';
import { showValue } from './show-value.js';
import type { AnyCondition } from './judging/condition-definition.js';

/** What is allowed, in words: the message of every fault of a schema. Where nothing is given, the words alone. */
export const must = (allowed: string) => ({
  error: ({ input }: { readonly input?: unknown }) => {
    if (input === undefined) return allowed;
    if (typeof input === 'string' && input.includes('\0')) return 'must not contain a NUL';
    return `must be ${allowed}, not ${showValue(input)}`;
  },
});

export const hasNoNul = z.refine<string>((written) => !written.includes('\0'));
const list = <T>(schema: z.ZodMiniType<T>, allowed: string) => z.array(schema, must(allowed));
const text = z.string(must('a text that is not empty')).check(z.minLength(1));

export const anyCondition = z.custom<AnyCondition>();

/** What the fields of conditions hold. */
export const field = {
  count: z.int(must('a whole number of at least 1')).check(z.gte(1)),
  usd: z.number(must('an amount of US dollars above 0')).check(z.positive()),
  duration: z.string(must(`a duration with units, such as ${DURATION_EXAMPLES}`)).check(
    z.regex(DURATION_SHAPE),
    z.refine((written) => (parseDuration(written) ?? 0) > 0),
    z.meta({ examples: ['90s', '4h', '1h 30m'] }),
  ),
  time: z.string(must('an ISO 8601 time with its zone, such as "2026-01-31T06:00:00Z"')).check(
    z.refine((written) => isTime(written)),
    z.meta({ examples: ['2026-01-31T06:00:00Z'] }),
  ),
  percent: z.number(must('a percentage from 0 to 100')).check(z.gte(0), z.lte(100)),
  rate: z.number(must('a number from 0 to 1')).check(z.gte(0), z.lte(1)),
  number: z.number(must('a number')),
  amount: z.number(must('a number of at least 0')).check(z.gte(0)),
  direction: z.enum(['higher', 'lower'], must('"higher" or "lower"')),
  text,
  path: z.string(must('a path')).check(z.minLength(1), hasNoNul),
  texts: list(text, 'a list of at least one text').check(z.minLength(1)) as z.ZodMiniType<readonly string[]>,
  arguments: list(z.string(must('a text')).check(hasNoNul), 'a list of texts') as z.ZodMiniType<readonly string[]>,
  flag: z.boolean(must('true or false')),
  allow: z.literal('allow', must('"allow"')),
  opinion: z.enum(['blocked', 'stuck'], must('"blocked" or "stuck"')),
  model: z.custom<FailureModel>(isFailureModel, must('the file of a model that pawl tune has written')),
  // What is inside is read by the reader of conditions, which knows all ways of writing them.
  condition: z.custom<AnyCondition>((value) => value !== undefined, must('a condition')),
  conditions: z.array(anyCondition, must('a list of at least one condition')).check(z.minLength(1)),
};

/** The signals that end an agent, in order. */
export const signals = list(
  z.enum(['SIGINT', 'SIGTERM'], must('SIGINT or SIGTERM')),
  'a list of SIGINT and SIGTERM',
).check(z.minLength(1)) as z.ZodMiniType<readonly ('SIGINT' | 'SIGTERM')[]>;

export { optional } from 'zod/mini';

export type FieldKind = keyof typeof field;

const KINDS = new Map<z.core.$ZodType, FieldKind>(
  Object.entries(field).map(([kind, schema]) => [schema, kind as FieldKind]),
);

/** Which of these a schema is, also where the field may be missing. */
export function kindOf(schema: z.core.$ZodType | undefined): FieldKind | undefined {
  return schema && KINDS.get(isOptional(schema) ? schema._zod.def.innerType : schema);
}

export function isOptional(schema: z.core.$ZodType): schema is z.core.$ZodOptional {
  return schema._zod.def.type === 'optional';
}

function isTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    isDay(text.slice(0, 10))
  );
}

/** `Date` takes February 30 for March 2. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
