import type { RunState } from '../model/run-state.js';
import {
  type Check,
  each,
  fields,
  flag,
  list,
  maybe,
  number,
  object,
  observation,
  pipeline,
  policy,
  reasons,
  spend,
  text,
  texts,
  verdict,
} from './recorded-shapes.js';

const error = fields({ kind: text, message: text, fingerprint: text });
const facts = fields({
  observation,
  matches: each(text),
  errors: list(error),
  claims: maybe(each(text)),
  limitHit: maybe(fields({ kind: text, message: text, resetsAt: maybe(text) })),
});
const account = {
  models: each(
    fields({
      settled: spend,
      settledInIteration: spend,
      open: list(fields({ id: maybe(text), spend })),
      closed: spend,
    }),
  ),
  estimated: spend,
  estimatedIterations: number,
  unknownIterations: number,
  acceptedIterations: maybe(number),
  unansweredInARow: maybe(number),
  dearest: maybe(spend),
  sessionTotals: list(fields({ key: text, spend })),
};

/** Every field of the state: one that is added is checked, too. */
const SHAPE: { readonly [K in keyof RunState]-?: Check } = {
  runId: maybe(text),
  kind: maybe(text),
  status: text,
  spec: maybe(object),
  policy,
  seal: maybe(text),
  agent: maybe(fields({ name: text, usage: text, model: maybe(text) })),
  seq: number,
  at: maybe(text),
  startedAt: maybe(text),
  activeMs: number,
  iterations: number,
  open: maybe(fields({ iteration: number, try: number, startedAt: text, cookie: maybe(text), status: maybe(text) })),
  spend: fields({ ...account, lanes: maybe(each(fields(account))) }),
  streaks: (value) => fields({ lastError: maybe(error) })(value) && each((one) => object(one) || number(one))(value),
  tests: each(number),
  baseline: maybe(observation),
  latest: facts,
  factsBefore: maybe(facts),
  holds: each(fields({ iterations: number, upTo: number })),
  context: maybe(fields({ usedTokens: maybe(number), windowTokens: maybe(number) })),
  session: maybe(fields({ id: text, openedAt: text })),
  conversation: maybe(fields({ session: text, messages: number })),
  operatorStop: maybe(fields({ by: text, now: maybe(flag) })),
  pauseAsked: maybe(fields({ by: text, reason: maybe(text) })),
  rebootAsked: maybe(fields({ by: text })),
  steers: texts,
  guard: maybe(text),
  batch: maybe(fields({ batch: text, othersUsd: maybe(number), dearestUsd: maybe(number), problem: maybe(text) })),
  day: maybe(fields({ day: text, othersUsd: maybe(number), problem: maybe(text), ownBeforeUsd: maybe(number) })),
  commits: maybe(fields({ made: number, problem: maybe(text), isUnpushed: maybe(flag) })),
  hook: maybe(text),
  blockedByHook: maybe(fields({ hook: text, message: text })),
  handover: maybe(text),
  limitedSince: maybe(text),
  limitedTries: maybe(number),
  unstarted: maybe(fields({ iteration: number, try: number })),
  waiting: maybe(fields({ for: text, until: maybe(text), since: text })),
  reboots: number,
  crashesInARow: number,
  trees: texts,
  restoredTree: maybe(text),
  recent: list(
    fields({
      iteration: number,
      try: number,
      outcome: text,
      startedAt: text,
      endedAt: text,
      durationMs: number,
      activeMs: number,
      spend,
      summary: maybe(text),
      error: maybe(text),
    }),
  ),
  history: each(number),
  pipeline: maybe(
    fields({
      items: number,
      approved: number,
      rejected: number,
      failed: number,
      withRetries: number,
      attempts: number,
      consecutiveFails: number,
      spec: maybe(pipeline),
      accepted: maybe(each(number)),
      seen: maybe(each(number)),
      states: maybe(object),
      atHalt: maybe(each(number)),
    }),
  ),
  verdict: maybe(verdict),
  ended: maybe(fields({ class: maybe(text), reasons, error: maybe(text), at: text })),
};

const isShape = fields(SHAPE);

/** Whether a value that was read is a state that can be folded on and shown. */
export function isStateShape(value: unknown): value is RunState {
  return isShape(value);
}
