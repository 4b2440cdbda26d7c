import type { StopCondition } from '../../../model/condition.js';
import { ConfigError } from '../../../model/errors.js';
import { raisedLimits } from './raised-limits.js';

/** What flags say about a pipeline. Throws ConfigError. */
export function pipelineFlags(options: Readonly<Record<string, unknown>>): {
  readonly concurrency?: number | undefined;
  readonly limits: readonly StopCondition[];
} {
  const breaker = countOf('circuit-breaker', options['circuitBreaker']);
  return {
    concurrency: countOf('concurrency', options['concurrency']),
    limits: [
      ...raisedLimits(options),
      ...(breaker === undefined ? [] : [{ type: 'circuit_breaker', attempts: breaker } as const]),
    ],
  };
}

function countOf(flag: string, text: unknown): number | undefined {
  if (text === undefined) return undefined;
  const count = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new ConfigError([{ path: '', place: `--${flag}`, message: 'must be a whole number of at least 1' }]);
}
