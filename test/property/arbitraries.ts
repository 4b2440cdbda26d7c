import fc from 'fast-check';
import type { ConditionType, StopCondition } from '../../src/model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, neededBy } from '../../src/model/condition-catalog.js';
import type { Observation, SeenRequest } from '../../src/model/observation.js';
import { parseCondition } from '../../src/model/parse-condition.js';
import type { Policy } from '../../src/model/policy.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { type FieldKind, isOptional, kindOf } from '../../src/model/fields.js';
import type { Facts } from '../../src/model/judging/facts.js';
import { anyEvent } from '../contract/arbitrary-event.js';
import { FAILURE_MODEL } from '../support/failure-model.js';
import { type Draft, record, tests, trees } from '../support/record.js';

const small = fc.integer({ min: 1, max: 6 });
const name = fc.constantFrom('a', 'b', 'c');
const rate = fc.constantFrom(0, 0.25, 0.5, 1);

/** Values of each kind of field that often meet what `anyFacts` has. */
const VALUES: Readonly<Partial<Record<FieldKind, fc.Arbitrary<unknown>>>> = {
  count: small,
  usd: small.map((usd) => usd / 4),
  duration: fc.constantFrom('1s', '5s', '1m', '2h'),
  time: fc.constantFrom('2026-03-01T00:00:05Z', '2026-03-01T00:01:00Z'),
  percent: fc.integer({ min: 0, max: 100 }),
  rate,
  number: small,
  amount: fc.constantFrom(0, 1),
  direction: fc.constantFrom('higher', 'lower'),
  text: name,
  path: name,
  texts: fc.uniqueArray(name, { minLength: 1 }),
  arguments: fc.constant(['--now']),
  flag: fc.boolean(),
  allow: fc.constant('allow'),
  opinion: fc.constantFrom('blocked', 'stuck'),
  model: fc.constant(FAILURE_MODEL),
};

/** Conditions of a type, made from its fields. None if it holds other conditions and `more` has no values for them. */
export function conditionsOf(type: ConditionType, more: typeof VALUES = {}): readonly fc.Arbitrary<unknown>[] {
  const { fields, needsOneOf = [] } = CONDITION_CATALOG[type];
  const values = { ...VALUES, ...more };
  const kinds = Object.entries(fields);
  const known = kinds.flatMap(([field, schema]) => {
    const value = values[kindOf(schema) ?? 'condition'];
    return value === undefined ? [] : [[field, value]];
  });
  if (known.length < kinds.length) return [];
  const required = kinds.flatMap(([field, schema]) => (isOptional(schema) ? [] : [field]));
  const model = Object.fromEntries(known) as Record<string, fc.Arbitrary<unknown>>;
  return [fc.record(model, { requiredKeys: [...required, ...needsOneOf] }).map((given) => ({ type, ...given }))];
}

/** Any condition of the catalog that has no other one inside. */
const leaf: fc.Arbitrary<unknown> = fc.oneof(...CONDITION_TYPES.flatMap((type) => conditionsOf(type)));

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((conditions) => ({ all: conditions })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((conditions) => ({ any: conditions })),
    tie('tree').map((condition) => ({ type: 'not', condition })),
    fc.tuple(small, tie('tree')).map(([iterations, condition]) => ({ type: 'for', iterations, condition })),
  ),
}));

/** Any condition, of any depth. */
export const anyCondition: fc.Arbitrary<StopCondition> = tree.map((input) => parseCondition(input));

export const anyLeaf: fc.Arbitrary<StopCondition> = leaf.map((input) => parseCondition(input));

const list = fc.array(anyCondition, { maxLength: 4 });

export const anyPolicy: fc.Arbitrary<Policy> = fc.record(
  {
    success: list,
    failure: list,
    limits: list,
    conditions: list,
    confirm: fc.integer({ min: 1, max: 3 }),
    atLeast: fc.integer({ min: 0, max: 3 }),
    stopOnFirst: fc.boolean(),
  },
  { requiredKeys: ['success', 'failure', 'limits'] },
);

const count = fc.integer({ min: 0, max: 8 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const details = fc.array(fc.record({ name, status: fc.constantFrom('passed', 'failed', 'skipped', 'error') }), {
  maxLength: 4,
});
const anyTests = fc.oneof(
  fc.tuple(count, count, details).map(([passed, failed, found]) => tests(passed, failed, { details: found })),
  fc.constantFrom(0, 1).map((exitCode) => ({ source: 'harness' as const, exitCode, details: [] })),
);
const probe = fc.record({ met: maybe(fc.boolean()) }, { requiredKeys: [] });

/** Keys of conditions that `leaf` makes, by what is recorded for them. */
const LEAVES = fc.sample(anyLeaf, { numRuns: 1000, seed: 1 });
const PROBED = [...neededBy(LEAVES, 'probe').keys(), ...neededBy(LEAVES, 'guard').keys()];
const PATTERNS = [...neededBy(LEAVES, 'output').keys()];
const probes = fc.dictionary(fc.constantFrom(...PROBED), probe, { maxKeys: 40 });
const checks = fc.dictionary(name, fc.record({ passed: maybe(fc.boolean()) }), { maxKeys: 3 });
const matches = fc.dictionary(fc.constantFrom(...PATTERNS), fc.constant('found'), { maxKeys: 4 });
const spend = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    totalTokens: count,
    costUsd: fc.double({ min: 0, max: 2, noNaN: true }),
  },
  { requiredKeys: [] },
);

export const anyFacts: fc.Arbitrary<Facts> = fc
  .record(
    {
      iteration: fc.integer({ min: 0, max: 7 }),
      startedAtMs: fc.constant(Date.parse('2026-03-01T00:00:00Z')),
      nowMs: fc.integer({ min: 0, max: 90 }).map((s) => Date.parse('2026-03-01T00:00:00Z') + s * 1000),
      activeMs: fc.integer({ min: 0, max: 90_000 }),
      spendProblem: fc.constant({ tokens: 'it was not told', cost: 'it was not told' }),
      tests: anyTests,
      baselineTests: anyTests,
      checks,
      probes,
      files: fc.record({ changedFiles: count, changedLines: count }),
      matches,
      claims: fc.record({ done: name, blocked: name }, { requiredKeys: [] }),
      errors: fc.array(fc.record({ kind: fc.constantFrom('other', 'auth', 'overload'), message: name }), {
        maxLength: 2,
      }),
      contextPercent: fc.double({ min: 0, max: 120, noNaN: true }),
      userSignal: fc.boolean(),
      confirmations: fc.array(fc.record({ tests: anyTests, probes, checks }, { requiredKeys: [] }), { maxLength: 2 }),
      pipeline: fc.record({
        items: count,
        approved: count,
        rejected: count,
        failed: count,
        withRetries: count,
        attempts: count,
        consecutiveFails: count,
      }),
    },
    { requiredKeys: [] },
  )
  .chain((known) =>
    fc
      .record({
        spend,
        streaks: fc.record(
          {
            testFailures: count,
            strictTestFailures: count,
            withoutProgress: count,
            failures: count,
            sameError: count,
            denials: count,
            oscillations: count,
          },
          { requiredKeys: [] },
        ),
      })
      .map((always) => ({ ...known, ...always })),
  );

const tree3 = fc.constantFrom('t1', 't2', 't3');
const anyRequest = fc.constantFrom<SeenRequest>(
  { kind: 'none' },
  { kind: 'request', sentence: 'A or B?' },
  { kind: 'impossible', sentence: 'It cannot be done.' },
);
const anyObservation: fc.Arbitrary<Observation> = fc
  .tuple(maybe(anyTests), maybe(fc.tuple(tree3, tree3)), maybe(probes), maybe(checks), maybe(anyRequest))
  .map(([found, moved, probed, checked, request]) => ({
    ...(request === undefined ? {} : { request }),
    ...(found === undefined ? {} : { tests: found }),
    ...(moved === undefined ? {} : trees(...moved)),
    ...(probed === undefined ? {} : { probes: probed }),
    ...(checked === undefined ? {} : { checks: checked }),
  }));

/** Any event, in no sensible order: mostly such as hang together, and some with anything in their fields. */
export const anyDraft: fc.Arbitrary<Draft> = fc.oneof(
  anyPolicy.map(
    (policy): Draft => ({
      type: 'run-started',
      runId: 'loop_1',
      kind: 'loop',
      policy,
      agent: { name: 'x', usage: 'live' },
      versions: {},
    }),
  ),
  anyObservation.map((observation): Draft => ({ type: 'baseline-observed', observation })),
  small.map((iteration): Draft => ({ type: 'iteration-started', iteration, try: 1 })),
  matches.map((found): Draft => ({ type: 'agent-said', text: 'text', matches: found })),
  fc.boolean().map((denied): Draft => ({ type: 'tool-answered', denied })),
  fc
    .record({
      scope: fc.constantFrom('request', 'turn', 'session-total'),
      id: maybe(name),
      session: maybe(name),
      model: maybe(name),
      spend,
    })
    .map((body): Draft => ({ type: 'usage-reported', ...body })),
  fc
    .tuple(count, count)
    .map(([usedTokens, windowTokens]): Draft => ({ type: 'context-reported', usedTokens, windowTokens })),
  fc.tuple(name, fc.boolean()).map(([session, resumed]): Draft => ({ type: 'session-opened', session, resumed })),
  name.map((message): Draft => ({ type: 'error-seen', kind: 'other', message, fingerprint: message })),
  fc.constantFrom<Draft>(
    { type: 'permission-denied', tool: 'Bash' },
    { type: 'agent-finished', stoppedBy: 'budget' },
    { type: 'claim-made', claim: 'done', evidence: 'a', by: 'x' },
    { type: 'claim-made', claim: 'blocked', evidence: 'b', by: 'x' },
    { type: 'claim-made', claim: 'continue', evidence: 'c', from: 'status-line', by: 'x' },
    { type: 'claim-made', claim: 'done', evidence: 'd', from: 'words', by: 'x' },
    { type: 'tick' },
    { type: 'paused' },
    { type: 'resumed' },
    { type: 'waiting-started', for: 'overload' },
    { type: 'waiting-started', for: 'usage-limit', until: '2026-03-01T01:00:00Z' },
    { type: 'waiting-started', for: 'approval' },
    { type: 'waiting-started', for: 'answer' },
    { type: 'waiting-ended' },
    { type: 'reboot-started', reason: 'x' },
    { type: 'reboot-completed' },
    { type: 'command-received', command: { type: 'stop' }, by: 'cli' },
    { type: 'command-received', command: { type: 'pause' }, by: 'cli' },
    { type: 'command-received', command: { type: 'resume' }, by: 'cli' },
    { type: 'command-received', command: { type: 'reboot' }, by: 'cli' },
    { type: 'command-received', command: { type: 'steer', text: 'a' }, by: 'cli' },
    { type: 'hook-ran', hook: 'on_pause', durationMs: 1, failure: { message: 'a', leadsTo: 'pause' } },
    { type: 'run-resumed', cause: 'crash' },
    { type: 'run-resumed', cause: 'operator' },
    { type: 'run-resumed', cause: 'moved' },
    { type: 'run-ended', state: 'stopped', reasons: [] },
    { type: 'attempt-ended', item: 'x', attempt: 1, outcome: 'retry', durationMs: 1 },
    { type: 'item-started', item: 'x', index: 0 },
    { type: 'attempt-started', item: 'x', index: 0, attempt: 1 },
    { type: 'attempt-ended', item: 'x', index: 0, attempt: 1, outcome: 'approved', hash: 'a', durationMs: 1 },
    { type: 'attempt-ended', item: 'y', index: 1, attempt: 1, outcome: 'limited', durationMs: 1 },
    { type: 'usage-reported', index: 0, scope: 'request', spend: { costUsd: 0.5, totalTokens: 3 } },
    { type: 'item-ended', item: 'x', index: 0, status: 'failed', attempts: 2 },
    { type: 'item-reopened', item: 'x', index: 0 },
    { type: 'limit-hit', kind: 'overload', message: '529' },
    { type: 'limit-hit', kind: 'usage-limit', message: 'later', resetsAt: '2026-03-01T00:30:00.000Z' },
  ),
  fc
    .record({
      iteration: small,
      outcome: fc.constantFrom('completed', 'failed', 'timed-out', 'skipped', 'interrupted', 'limited'),
      interruption: maybe(fc.constantFrom('limit', 'operator', 'crash')),
      agentStarted: fc.boolean(),
      durationMs: count,
      observation: anyObservation,
    })
    .map((body): Draft => ({ type: 'iteration-ended', ...body })),
  anyLeaf.map((limit): Draft => ({ type: 'limit-extended', limit, by: 'cli' })),
  // A verdict follows from the other events.
  anyEvent.filter(({ type }) => type !== 'verdict-reached'),
);

export const anyEvents: fc.Arbitrary<RunEvent[]> = fc.array(anyDraft, { maxLength: 40 }).map(record);
