import * as z from 'zod/mini';
import { conditionDefinitions, DRAFT, jsonSchema } from '../config/config-schema.js';
import type { JsonSchema } from '../model/json.js';
import { MANIFEST } from './manifest/manifest-shape.js';

/** The JSON Schema of a manifest, from the table that the loader reads. */
export function manifestSchema(): JsonSchema {
  return {
    $schema: DRAFT,
    title: 'pipeline.yaml',
    description: 'The items to process, how each one is judged, and when to halt.',
    ...jsonSchema(MANIFEST),
    $defs: conditionDefinitions('pipeline'),
  };
}

const count = z.int().check(z.gte(0));
const rate = z.number().check(z.gte(0), z.lte(1));
const time = z.string().check(z.meta({ format: 'date-time' }));

const ATTEMPT = z.strictObject({
  attempt: z.int().check(z.gte(1)),
  outcome: z.enum(['approved', 'rejected', 'retry', 'failed']),
  duration_ms: count,
  reasons: z.optional(z.array(z.string())),
  score: z.optional(z.number()),
});

const STATE = z.looseObject({
  run_id: z.string(),
  run_status: z.enum(['running', 'stopped', 'completed', 'error']),
  stop_reason: z.optional(
    z.strictObject({
      condition: z.string(),
      value: z.optional(z.number()),
      threshold: z.optional(z.number()),
      message: z.string(),
    }),
  ),
  error: z.optional(z.string()),
  stopped_at: z.optional(time),
  resumable: z.boolean(),
  resume_from_frame: z.optional(count),
  consecutive_fail_count: count,
  statistics: z.strictObject({
    total_frames: count,
    frames_attempted: count,
    frames_approved: count,
    frames_rejected: count,
    frames_failed: count,
    retry_rate: rate,
    reject_rate: rate,
    consecutive_fails: count,
  }),
  frame_states: z.record(
    z.string(),
    z.strictObject({
      index: count,
      status: z.enum(['pending', 'in_progress', 'approved', 'rejected', 'failed', 'withdrawn']),
      attempts: z.array(ATTEMPT),
      interrupted: z.optional(count),
    }),
  ),
});

/** The JSON Schema of a pipeline's `state.json`, as far as it is meant for readers. The rest is Pawl's own. */
export function stateSchema(): JsonSchema {
  return { $schema: DRAFT, title: 'state.json of a pipeline', ...jsonSchema(STATE) };
}
