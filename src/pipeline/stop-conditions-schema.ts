import * as z from 'zod/mini';
import { jsonSchema } from '../config/config-schema.js';
import type { JsonSchema } from '../model/json.js';
import { readValues } from '../config/read-shape.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { STOP_CONDITION_KEYS } from './manifest/manifest-shape.js';
import { DEFAULT_STOP_CONDITIONS, type StopConditions } from './stop-conditions.js';

const SCHEMA = z.strictObject(STOP_CONDITION_KEYS);

type SafeResult =
  | { readonly success: true; readonly data: StopConditions }
  | { readonly success: false; readonly error: ConfigError };

/**
 * Reads `retry.stop_conditions`: defaults are filled in, everything else is refused with its path. It can be used wherever
 * a Standard Schema is taken.
 *
 * @example
 * ```ts
 * import { StopConditionsSchema } from 'pawl/pipeline';
 *
 * StopConditionsSchema.parse({ max_reject_rate: 0.1 }).max_retry_rate; // 0.5
 * ```
 */
export const StopConditionsSchema = Object.freeze({
  /** Throws ConfigError. */
  parse(input: unknown): StopConditions {
    const result = StopConditionsSchema.safeParse(input);
    if (result.success) return result.data;
    throw result.error;
  },
  safeParse(input: unknown): SafeResult {
    const issues: Issue[] =
      input === null ? [{ path: '', message: 'must be a mapping of keys to values, not null' }] : [];
    const values = readValues(SCHEMA, withoutUndefined(input), { spelling: 'snake', issues });
    if (issues.length > 0) return { success: false, error: new ConfigError(issues) };
    return { success: true, data: { ...DEFAULT_STOP_CONDITIONS, ...values } as StopConditions };
  },
  jsonSchema: (): JsonSchema => jsonSchema(SCHEMA),
  '~standard': {
    version: 1,
    vendor: 'pawl',
    validate(input: unknown) {
      const result = StopConditionsSchema.safeParse(input);
      if (result.success) return { value: result.data };
      return { issues: result.error.issues.map(({ path, message }) => ({ message, path: path === '' ? [] : [path] })) };
    },
  } as const,
});

function withoutUndefined(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
