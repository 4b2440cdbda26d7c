import type { PhaseName } from '../model/loop-state.js';
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
  original,
  pipeline,
  policy,
  reasons,
  spec,
  spend,
  text,
  texts,
  verdict,
} from '../model/recorded-shapes.js';

const error = fields({ kind: text, message: text, fingerprint: text });
const facts = fields({
  observation,
  matches: each(text),
  errors: list(error),
  newContent: maybe(flag),
  claims: maybe(each(text)),
  statusLine: maybe(text),
  doneInWords: maybe(text),
  wasDenied: maybe(flag),
  limitHit: maybe(fields({ kind: text, message: text, resetsAt: maybe(text) })),
});
const pause = fields({ by: text, reason: maybe(text) });
const span = { since: text, until: maybe(text) };
const refusals = { since: text, tries: number };
const begun = fields(span);
const refused = {
  refused: maybe(
    fields({ ...refusals, lastAt: maybe(text), wait: (value) => value === 'due' || value === 'over' || begun(value) }),
  ),
};
const green = maybe(fields({ tree: text, at: text, passed: number }));
const iterating = fields({
  iteration: number,
  try: number,
  startedAt: text,
  cookie: maybe(text),
  pid: maybe(number),
  pidStartTime: maybe(text),
  step: maybe(text),
  steersSince: maybe(number),
  asking: maybe(begun),
  refusals: maybe(fields(refusals)),
  green,
});
const end = fields({ class: maybe(text), reasons, error: maybe(text), at: text, pauseAsked: maybe(pause) });
const PHASES: Readonly<Record<PhaseName, Check>> = {
  idle: object,
  starting: fields(refused),
  iterating,
  resting: fields({ ...refused, isRebooting: maybe(flag) }),
  waiting: fields({ ...refused, ...span, for: text }),
  paused: fields(refused),
  ended: fields({ ...refused, state: text, end }),
};
const phase: Check = (value) => {
  const { name }: { readonly name?: unknown } = Object(value);
  return typeof name === 'string' && Object.hasOwn(PHASES, name) && PHASES[name as PhaseName](value);
};
const account = {
  models: each(
    fields({
      settled: spend,
      settledInIteration: spend,
      settledInProcess: spend,
      unclaimed: spend,
      open: list(fields({ id: maybe(text), spend, settled: maybe(flag) })),
      closed: spend,
    }),
  ),
  estimated: spend,
  estimatedIterations: number,
  unknownIterations: number,
  acceptedIterations: maybe(number),
  unansweredInARow: maybe(number),
  dearest: maybe(spend),
  sessionTotals: list(fields({ session: text, model: text, spend })),
  counted: list(fields({ session: text, model: text, spend })),
  session: maybe(text),
};

const reviewed = { iteration: number, tree: maybe(text), cause: text };

/** Every field of the state: one that is added is checked, too. */
const SHAPE: { readonly [K in keyof RunState]-?: Check } = {
  runId: maybe(text),
  kind: maybe(text),
  task: maybe(text),
  phase,
  requests: fields({
    stop: maybe(fields({ by: text, now: maybe(flag) })),
    pause: maybe(pause),
    reboot: maybe(fields({ by: text })),
    steers: texts,
  }),
  spec: maybe(spec),
  policy,
  rules: maybe(each(number)),
  seal: maybe(text),
  agent: maybe(fields({ name: text, usage: text, model: maybe(text) })),
  seq: number,
  at: maybe(text),
  startedAt: maybe(text),
  activeMs: number,
  iterations: number,
  spend: fields({ ...account, lanes: maybe(each(fields(account))) }),
  streaks: (value) => fields({ lastError: maybe(error) })(value) && each((one) => object(one) || number(one))(value),
  tests: each(number),
  baseline: maybe(observation),
  accepted: maybe(observation),
  originals: maybe(
    fields({ refused: number, unusable: number, problem: maybe(text), tree: maybe(text), last: original }),
  ),
  checklists: maybe(
    each(
      fields({
        checked: maybe(number),
        total: maybe(number),
        problem: maybe(text),
        mostBoxes: number,
        fewestOpen: number,
      }),
    ),
  ),
  metrics: maybe(
    each(
      fields({
        start: maybe(number),
        last: maybe(number),
        problem: maybe(text),
        isUnfit: maybe(flag),
        best: maybe(fields({ value: number, iteration: number, tree: maybe(text) })),
        stalled: number,
      }),
    ),
  ),
  keptBest: maybe(fields({ iteration: number, before: text, problem: maybe(text) })),
  review: maybe(
    fields({
      answered: number,
      repeats: number,
      silent: number,
      last: maybe(
        fields({
          ...reviewed,
          answer: text,
          reasons: texts,
          question: maybe(text),
          alive: maybe(flag),
          isTakenUp: maybe(flag),
        }),
      ),
      problem: maybe(fields({ ...reviewed, kind: text, message: text, resetsAt: maybe(text) })),
      isStreakReviewed: maybe(flag),
      open: maybe(fields({ since: text, reviewer: text })),
    }),
  ),
  userWords: maybe(texts),
  latest: facts,
  factsBefore: maybe(facts),
  lastLook: maybe(observation),
  holds: each(fields({ iterations: number, upTo: number })),
  context: maybe(fields({ usedTokens: maybe(number), windowTokens: maybe(number) })),
  session: maybe(fields({ id: text, openedAt: text })),
  conversation: maybe(fields({ session: text, messages: number })),
  guard: maybe(text),
  unguarded: maybe(flag),
  guardBroken: maybe(fields({ iteration: number, detail: text })),
  testOutputs: maybe(texts),
  batch: maybe(fields({ batch: text, othersUsd: maybe(number), dearestUsd: maybe(number), problem: maybe(text) })),
  day: maybe(fields({ day: text, othersUsd: maybe(number), problem: maybe(text), ownBeforeUsd: maybe(number) })),
  commits: maybe(fields({ made: number, problem: maybe(text), isUnpushed: maybe(flag) })),
  hook: maybe(text),
  blockedByHook: maybe(fields({ hook: text, message: text })),
  handover: maybe(text),
  unstarted: maybe(fields({ iteration: number, try: number })),
  question: maybe(text),
  questionChoices: maybe(texts),
  questions: maybe(
    fields({
      asked: number,
      list: list(
        fields({
          id: text,
          text,
          choices: maybe(texts),
          iteration: number,
          askedAt: text,
          answer: maybe(fields({ text, by: text })),
          isGivenUp: maybe(flag),
          isSent: maybe(flag),
        }),
      ),
      wait: maybe((value) => value === 'over' || begun(value)),
    }),
  ),
  blockedReport: maybe(fields({ iteration: number, evidence: text })),
  saidDone: maybe(number),
  waitedMs: maybe(number),
  testFiles: maybe(each(text)),
  reboots: number,
  crashesInARow: number,
  trees: texts,
  toolUse: maybe(
    fields({
      calls: number,
      repeats: number,
      failures: number,
      failuresInARow: number,
      edits: number,
      callsSinceEdit: number,
      failingTests: maybe(number),
      fewestFailing: maybe(number),
      resultsSinceFewest: number,
      recent: texts,
    }),
  ),
  seenLines: maybe(texts),
  seenErrors: maybe(texts),
  seenResults: maybe(texts),
  ownChanges: maybe(fields({ inTree: maybe(flag), elsewhere: maybe(flag), unknown: maybe(flag) })),
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
      green,
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
      open: maybe(each(iterating)),
      atHalt: maybe(each(number)),
    }),
  ),
  verdict: maybe(verdict),
  faults: maybe(list(fields({ seq: number, type: text, phase: text }))),
};

const isShape = fields(SHAPE);

/** Whether a value that was read is a state that can be folded on and shown. */
export function isStateShape(value: unknown): value is RunState {
  return isShape(value);
}
