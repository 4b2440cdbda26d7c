import { conditionDefinitions, DRAFT, jsonSchema } from '../config/config-schema.js';
import type { JsonSchema } from '../model/json.js';
import { MANIFEST } from './manifest-shape.js';

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

const COUNT = { type: 'integer', minimum: 0 } as const;
const RATE = { type: 'number', minimum: 0, maximum: 1 } as const;
const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

const STATISTICS: JsonSchema = closed({
  total_frames: COUNT,
  frames_attempted: COUNT,
  frames_approved: COUNT,
  frames_rejected: COUNT,
  frames_failed: COUNT,
  retry_rate: RATE,
  reject_rate: RATE,
  consecutive_fails: COUNT,
});

const ATTEMPT: JsonSchema = closed(
  {
    attempt: { type: 'integer', minimum: 1 },
    outcome: { enum: ['approved', 'rejected', 'retry', 'failed'] },
    duration_ms: COUNT,
    reasons: { type: 'array', items: TEXT },
    score: { type: 'number' },
  },
  ['attempt', 'outcome', 'duration_ms'],
);

const FRAME: JsonSchema = closed(
  {
    index: COUNT,
    status: { enum: ['pending', 'in_progress', 'approved', 'rejected', 'failed', 'withdrawn'] },
    attempts: { type: 'array', items: ATTEMPT },
    interrupted: COUNT,
  },
  ['index', 'status', 'attempts'],
);

/** The JSON Schema of a pipeline's `state.json`, as far as it is meant for readers. The rest is Pawl's own. */
export function stateSchema(): JsonSchema {
  return {
    $schema: DRAFT,
    title: 'state.json of a pipeline',
    type: 'object',
    properties: {
      run_id: TEXT,
      run_status: { enum: ['running', 'stopped', 'completed', 'error'] },
      stop_reason: closed(
        { condition: TEXT, value: { type: 'number' }, threshold: { type: 'number' }, message: TEXT },
        ['condition', 'message'],
      ),
      error: TEXT,
      stopped_at: TIME,
      resumable: { type: 'boolean' },
      resume_from_frame: COUNT,
      consecutive_fail_count: COUNT,
      statistics: STATISTICS,
      frame_states: { type: 'object', additionalProperties: FRAME },
    },
    required: ['run_id', 'run_status', 'resumable', 'consecutive_fail_count', 'statistics', 'frame_states'],
  };
}

function closed(properties: Readonly<Record<string, JsonSchema>>, required = Object.keys(properties)): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}
