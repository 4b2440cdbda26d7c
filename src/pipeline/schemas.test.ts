import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ConfigError } from '../model/errors.js';
import { parseManifest } from './manifest/manifest-file.js';
import { manifestSchema } from './schemas.js';

const schema = z.fromJSONSchema(manifestSchema());

function loaderAccepts(manifest: unknown): boolean {
  try {
    return parseManifest(JSON.stringify(manifest), 'pipeline.json').issues.length === 0;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

const base = { items: ['a'], generate: { command: 'x' } };

describe('the schema of a manifest and its loader agree', () => {
  it.each<[unknown, boolean]>([
    [base, true],
    [{ ...base, items: [{ id: 'a', size: 3 }, 'b', 7] }, true],
    [{ ...base, items: { glob: '*.png' } }, true],
    [{ ...base, items: { file: 'x.csv', id: 'name' } }, true],
    [{ ...base, items: { command: 'ls', timeout: '5s' } }, true],
    [{ ...base, items: 'a' }, false],
    [{ generate: { command: 'x' } }, false],
    [{ items: ['a'] }, false],
    [{ ...base, audit: 'check' }, true],
    [{ ...base, audit: { command: 'check', timeout: '1m' } }, true],
    [{ ...base, audit: { timeout: '1m' } }, false],
    [{ ...base, concurrency: 0 }, false],
    [{ ...base, concurrency: 8 }, true],
    [{ ...base, retry: { max_attempts: 5, backoff: 0, circuit_breaker: 50 } }, true],
    [{ ...base, retry: { backoff: '1s', stop_conditions: { max_retry_rate: 0.5, min_items: 5 } } }, true],
    [{ ...base, retry: { stop_conditions: { max_retry_rate: 1.5 } } }, false],
    [{ ...base, retry: { stop_conditions: { max_consecutive_fails: 0 } } }, false],
    [{ ...base, retry: { stop_condition: {} } }, false],
    [{ ...base, limits: [{ max_cost: 5 }, { max_duration: '4h' }, { max_iterations: 100 }] }, true],
    [{ ...base, limits: [{ all_tests_pass: true }] }, false],
    [{ ...base, generate: { agent: 'claude', prompt: 'make {{item.id}}', output: 'out/{{item.id}}.png' } }, true],
    [{ ...base, generate: { command: 'x', output: '../{{item.id}}' } }, false],
    [{ ...base, generate: { command: 'x', env: { A: 'b' }, timeout: '90s' } }, true],
    [{ ...base, notify: { command: 'say' }, prices: { m: { input: 1, output: 2 } }, working_dir: '.' }, true],
    [{ ...base, hooks: {} }, false],
  ])('on %j: %s', (manifest, isGood) => {
    expect({ loader: loaderAccepts(manifest), schema: schema.safeParse(manifest).success }).toEqual({
      loader: isGood,
      schema: isGood,
    });
  });
});
