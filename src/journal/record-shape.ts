import type { EventBodies, EventType, RunEvent } from '../model/run-event.js';
import { isConditionShape } from './condition-shape.js';
import {
  anything,
  type Check,
  command,
  each,
  fields,
  flag,
  list,
  maybe,
  number,
  object,
  observation,
  oneOf,
  pipeline,
  policy,
  reasons,
  spend,
  text,
  texts,
  verdict,
} from './recorded-shapes.js';

/** Every field of every type: one that is added is checked, too. */
type Shapes = { readonly [T in EventType]: { readonly [F in keyof EventBodies[T]]-?: Check } };

const index = maybe(number);

const SHAPES: Shapes = {
  'run-started': {
    runId: text,
    kind: text,
    policy,
    spec: maybe(object),
    agent: fields({ name: text, usage: text, model: maybe(text) }),
    versions: each(text),
    items: maybe(number),
    pipeline: maybe(pipeline),
    task: maybe(text),
    seal: maybe(text),
  },
  'baseline-observed': { observation },
  'iteration-started': {
    iteration: number,
    try: number,
    cookie: maybe(text),
    session: maybe(text),
    configHash: maybe(text),
  },
  'agent-spawned': { pid: number, startTime: text },
  'iteration-status': { status: text, guard: maybe(text) },
  'agent-said': { index, text, omitted: maybe(number), matches: maybe(each(text)) },
  'tool-called': { index, id: maybe(text), name: text, input: maybe(text) },
  'tool-answered': { index, id: maybe(text), failed: maybe(flag), denied: maybe(flag), output: maybe(text) },
  'usage-reported': {
    index,
    scope: oneOf<EventBodies['usage-reported']['scope']>({ request: true, turn: true, 'session-total': true }),
    id: maybe(text),
    session: maybe(text),
    model: maybe(text),
    spend,
    rates: maybe(object),
    priceListMissing: anything,
    notional: anything,
    rejected: maybe(texts),
    audit: anything,
    unknown: anything,
  },
  'message-recorded': {
    session: text,
    index: number,
    message: anything,
    file: maybe(fields({ path: text, bytes: number, sha256: text })),
    call: maybe(fields({ id: text, model: maybe(text), spend, finishReason: text, invalid: maybe(each(text)) })),
    purpose: maybe(text),
  },
  'context-reported': { usedTokens: maybe(number), windowTokens: maybe(number) },
  'session-opened': { session: text, resumed: maybe(flag) },
  'limit-hit': { index, kind: text, resetsAt: maybe(text), message: text },
  'error-seen': { index, kind: text, message: text, fingerprint: text },
  'permission-denied': { index, tool: text, detail: maybe(text) },
  'agent-finished': { index, summary: maybe(text), stoppedBy: maybe(text) },
  'claim-made': { claim: text, evidence: text, by: text },
  'day-spend-seen': { day: text, othersUsd: maybe(number), problem: maybe(text) },
  'batch-spend-seen': { batch: text, othersUsd: maybe(number), dearestUsd: maybe(number), problem: maybe(text) },
  tick: {},
  'iteration-ended': {
    iteration: number,
    outcome: text,
    interruption: maybe(text),
    agentStarted: maybe(flag),
    unanswered: maybe(flag),
    spendIncomplete: maybe(flag),
    durationMs: number,
    error: maybe(text),
    ending: maybe(fields({ cause: text, stragglers: number, survivors: number, spentOn: maybe(flag) })),
    observation,
  },
  'verdict-reached': { iteration: number, verdict },
  'hook-started': { hook: text },
  'hook-ran': {
    hook: text,
    exitCode: maybe(number),
    durationMs: number,
    output: maybe(text),
    failure: maybe(fields({ message: text, leadsTo: text })),
  },
  'notification-sent': { channel: text, event: text, error: maybe(text) },
  'work-committed': { iteration: number, commit: maybe(text), commits: maybe(number), error: maybe(text) },
  'tree-restored': { tree: text, before: text, iteration: maybe(number), undoes: maybe(flag) },
  paused: { reason: maybe(text) },
  resumed: {},
  'waiting-started': { for: text, until: maybe(text), reason: maybe(text) },
  'waiting-ended': { reason: maybe(text) },
  'reboot-started': { reason: text },
  'reboot-completed': { handover: maybe(text) },
  'command-received': { command, by: text, refused: maybe(text) },
  'limit-extended': { limit: isConditionShape, by: text },
  'run-resumed': {
    cause: text,
    spec: maybe(object),
    policy: maybe(policy),
    changes: maybe(texts),
    seal: maybe(text),
  },
  'item-started': { item: text, index: number },
  'attempt-started': { item: text, index, attempt: number },
  'attempt-ended': {
    item: text,
    index,
    attempt: number,
    outcome: text,
    reasons: maybe(texts),
    score: maybe(number),
    message: maybe(text),
    output: maybe(text),
    hash: maybe(text),
    agentStarted: maybe(flag),
    auditSpendUnknown: anything,
    durationMs: number,
  },
  'item-ended': { item: text, index: number, status: text, attempts: number },
  'item-reopened': { item: text, index: number, isLost: maybe(flag) },
  'manifest-changed': {
    items: number,
    withdrawn: list(number),
    withdrawnItems: maybe(texts),
    policy,
    spec: object,
    pipeline,
    seal: maybe(text),
  },
  'run-ended': { state: text, class: maybe(text), reasons, error: maybe(text) },
};

interface FieldCheck {
  readonly name: string;
  readonly check: Check;
}

const CHECKS = Object.fromEntries(
  Object.entries(SHAPES).map(([type, shape]) => [
    type,
    Object.entries(shape)
      .filter(([, check]) => check !== anything)
      .map(([name, check]) => ({ name, check })),
  ]),
) as unknown as Readonly<Record<EventType, readonly FieldCheck[]>>;

/**
 * The field of a record that is not of its type's shape, if there is one. The checksum is no secret: a record that came
 * with a repository has the right one, and anything in its fields.
 */
export function misshapenField(record: RunEvent): string | undefined {
  const values = record as unknown as Readonly<Record<string, unknown>>;
  for (const { name, check } of CHECKS[record.type]) if (!check(values[name])) return name;
  return undefined;
}
