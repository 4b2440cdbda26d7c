import fc from 'fast-check';
import type { NewEvent } from '../../src/model/run-event.js';

/** Any UTF-16, halves of surrogate pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('', '\n', '\u2028\u2029', '\ud800', '{"v":1,"seq":2,', '","sum":"00000000"}\n', '__proto__'),
);
const count = fc.nat();
const spend = fc.record(
  { inputTokens: count, outputTokens: count, costUsd: fc.nat({ max: 1000 }) },
  { requiredKeys: [] },
);

/** Any event that the types allow, as far as the journal can tell events apart. */
export const anyEvent: fc.Arbitrary<NewEvent> = fc.oneof(
  fc.record({ type: fc.constant('agent-said' as const), text: anyText, matches: fc.dictionary(anyText, anyText) }),
  fc.record({ type: fc.constant('tool-called' as const), name: anyText, input: anyText, id: anyText }),
  fc.record({ type: fc.constant('tool-answered' as const), output: anyText, denied: fc.boolean() }),
  fc.record({
    type: fc.constant('usage-reported' as const),
    scope: fc.constantFrom('request' as const, 'turn' as const, 'session-total' as const),
    id: anyText,
    model: fc.constantFrom('a', 'b'),
    spend,
  }),
  fc.record({
    type: fc.constant('error-seen' as const),
    kind: fc.constantFrom('auth' as const, 'other' as const),
    message: anyText,
    fingerprint: anyText,
  }),
  fc.record({
    type: fc.constant('iteration-started' as const),
    iteration: count,
    try: fc.constant(1),
    cookie: anyText,
  }),
  fc.record({
    type: fc.constant('iteration-ended' as const),
    iteration: count,
    outcome: fc.constantFrom('completed' as const, 'failed' as const, 'limited' as const),
    agentStarted: fc.boolean(),
    durationMs: count,
    observation: fc.record({ tree: anyText, summary: anyText, outputTail: anyText }, { requiredKeys: [] }),
  }),
  fc.record({
    type: fc.constant('claim-made' as const),
    claim: fc.constantFrom('done' as const, 'blocked' as const),
    evidence: anyText,
    by: anyText,
  }),
  fc.record({ type: fc.constant('paused' as const), reason: anyText }),
  fc.constant({ type: 'resumed' as const }),
  fc.constant({ type: 'tick' as const }),
);
