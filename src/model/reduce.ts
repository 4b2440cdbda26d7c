import { faultsAfter, isLegal } from './record-fault.js';
import { openIteration, refusalsOf, refusedIn } from './phase.js';
import type { Reducers } from './reducers.js';
import { withTests } from './progress.js';
import { sentWithPrompt } from './questions.js';
import { BUDGET_REDUCERS, LIFETIME_REDUCERS } from './reduce-lifetime.js';
import { goalsAfter } from './reduce-goals.js';
import { addedOutputs, endOfIteration, KEPT_TREES } from './reduce-iteration.js';
import { NEW_PIPELINE, PIPELINE_REDUCERS, withHalt } from './reduce-pipeline.js';
import { REVIEW_REDUCERS } from './reduce-review.js';
import type { EventOf, RunEvent } from './run-event.js';
import { INITIAL_STATE, NO_FACTS, type RunState, type SeenError } from './run-state.js';
import { beginIteration, beginProcess, openSession, reportRecordedTotal, reportSpend } from './report-spend.js';
import { afterAnswer, afterCall, NO_TOOL_USE } from './tool-use.js';
import { laneOf, reportInLane, REVIEW_LANE } from './spend-lanes.js';

const REMEMBERED_ERRORS = 20;

/** The state after one more event. Pure and total: any sequence of events is applied, in any order, and what is illegal is reported. */
export function reduce(state: RunState, event: RunEvent): RunState {
  const reducer = REDUCERS[event.type] as (before: RunState, one: RunEvent) => RunState;
  const reduced = reducer(state, event);
  // No other code has this copy yet: one copy per event, as a journal may hold a million.
  const next: { -readonly [K in keyof RunState]: RunState[K] } = reduced === state ? { ...state } : reduced;
  next.seq = event.seq;
  next.at = event.at;
  next.activeMs = Math.max(state.activeMs, event.activeMs);
  if (!isLegal(state.phase, event)) next.faults = faultsAfter(state.faults, state.phase, event);
  return next;
}

export function reduceAll(events: Iterable<RunEvent>, from: RunState = INITIAL_STATE): RunState {
  let state = from;
  for (const event of events) state = reduce(state, event);
  return state;
}

const same = (state: RunState) => state;

const REDUCERS: Reducers = {
  ...LIFETIME_REDUCERS,
  ...REVIEW_REDUCERS,
  ...PIPELINE_REDUCERS,
  ...BUDGET_REDUCERS,
  'run-started': started,
  'baseline-observed': baselineObserved,
  'iteration-started': iterationStarted,
  'agent-spawned': agentSpawned,
  'iteration-status': iterationStatus,
  'agent-said': (state, { matches }) => (matches === undefined ? state : matched(state, matches)),
  'tool-called': toolCalled,
  'tool-answered': toolAnswered,
  'usage-reported': (state, event) => ({ ...state, spend: spent(state, event) }),
  'message-recorded': (state, { session, index }) => ({ ...state, conversation: { session, messages: index + 1 } }),
  'context-reported': (state, { usedTokens, windowTokens }) => ({ ...state, context: { usedTokens, windowTokens } }),
  'session-opened': sessionOpened,
  'limit-hit': limitHit,
  'error-seen': errorSeen,
  'permission-denied': denied,
  'agent-finished': (state, { stoppedBy: stoppedItself }) => ({
    ...state,
    latest: { ...state.latest, finished: true, stoppedItself },
  }),
  'claim-made': claimMade,
  'green-seen': greenSeen,
  'iteration-ended': endOfIteration,
  'verdict-reached': verdictReached,
  'hook-started': (state, { hook }) => ({ ...state, hook }),
  'hook-ran': hookRan,
  'notification-sent': same,
  'tree-restored': treeRestored,
  tick: same,
};

/** A restore that failed has changed nothing. */
function treeRestored(
  state: RunState,
  { tree, before, iteration = 0, isBest, error }: EventOf<'tree-restored'>,
): RunState {
  const kept = isBest === true ? { keptBest: { iteration, before, problem: error } } : {};
  return { ...state, ...kept, ...(error === undefined ? { restoredTree: tree } : {}) };
}

/** The same limit is reported twice: with the time at which it resets, and in words. */
function limitHit(state: RunState, { kind, resetsAt, message }: EventOf<'limit-hit'>): RunState {
  const known = state.latest.limitHit?.resetsAt;
  return { ...state, latest: { ...state.latest, limitHit: { kind, resetsAt: resetsAt ?? known, message } } };
}

function hookRan(state: RunState, { hook, failure }: EventOf<'hook-ran'>): RunState {
  const done = { ...state, hook: undefined };
  const { leadsTo = 'warn', message = '' } = failure ?? {};
  switch (leadsTo) {
    case 'warn':
      return done;
    case 'block':
      return { ...done, blockedByHook: { hook, message } };
    case 'pause':
      return { ...done, requests: { ...state.requests, pause: { by: `the hook ${hook}`, reason: message } } };
    default:
      return leadsTo satisfies never;
  }
}

function started(state: RunState, event: EventOf<'run-started'>): RunState {
  return {
    ...state,
    runId: event.runId,
    kind: event.kind,
    phase: state.phase.name === 'ended' ? state.phase : { name: 'starting', refused: refusedIn(state.phase) },
    policy: event.policy,
    ...(event.rules === undefined ? {} : { rules: event.rules }),
    spec: event.spec,
    agent: event.agent,
    ...(event.task === undefined ? {} : { task: event.task }),
    seal: event.seal,
    startedAt: event.at,
    toolUse: event.kind === 'pipeline' ? undefined : NO_TOOL_USE,
    pipeline:
      event.kind === 'pipeline' ? { ...NEW_PIPELINE, items: event.items ?? 0, spec: event.pipeline } : undefined,
  };
}

function baselineObserved(state: RunState, { observation }: EventOf<'baseline-observed'>): RunState {
  const tree = observation.tree ?? observation.fingerprint?.after;
  return {
    ...state,
    baseline: observation,
    guard: observation.guard ?? state.guard,
    ...addedOutputs(state, observation),
    latest: { ...NO_FACTS, observation },
    ...goalsAfter({ ...state, baseline: observation }, observation, { iteration: 0, tree: observation.tree }),
    tests: observation.tests === undefined ? state.tests : withTests(state.tests, observation.tests),
    trees: tree === undefined ? state.trees : [...state.trees, tree].slice(-KEPT_TREES),
  };
}

function iterationStarted(state: RunState, event: EventOf<'iteration-started'>): RunState {
  const { phase, requests } = state;
  const { iteration, try: number, at: startedAt, cookie } = event;
  const refusals = refusalsOf(refusedIn(phase));
  return {
    ...state,
    phase: phase.name === 'ended' ? phase : { name: 'iterating', iteration, try: number, startedAt, cookie, refusals },
    requests: { ...requests, reboot: undefined },
    spend: beginIteration(state.spend),
    latest: NO_FACTS,
    factsBefore: state.latest,
    restoredTree: undefined,
    keptBest: undefined,
    question: undefined,
    questionChoices: undefined,
    ...sentWithPrompt(state),
  };
}

function agentSpawned(state: RunState, { pid, startTime: pidStartTime }: EventOf<'agent-spawned'>): RunState {
  const open = openIteration(state);
  if (open === undefined) return state;
  return { ...state, phase: { ...open, pid, pidStartTime }, spend: beginProcess(state.spend) };
}

/** A change of protected files between two iterations is not the agent's. */
function iterationStatus(state: RunState, { status: step, guard }: EventOf<'iteration-status'>): RunState {
  const open = openIteration(state);
  if (open === undefined) return state;
  const measure = state.unguarded === true ? state.guard : (guard ?? state.guard);
  return { ...state, phase: { ...open, step }, guard: measure };
}

/** What the agent says of its own work. That it is blocked is for a person, also when the run continues. */
function claimMade(state: RunState, { claim, evidence, from }: EventOf<'claim-made'>): RunState {
  const { latest, blockedReport } = state;
  if (from === 'words') return { ...state, latest: { ...latest, doneInWords: evidence } };
  const claims = { ...latest.claims, [claim]: evidence };
  const iteration = openIteration(state)?.iteration ?? state.iterations;
  // What it reported as blocked before it ended its turn is still to be answered.
  const isKept = claim === 'continue' && blockedReport?.iteration === iteration;
  return {
    ...state,
    latest: { ...latest, claims, ...(from === 'status-line' ? { statusLine: claim } : {}) },
    blockedReport: claim === 'blocked' ? { iteration, evidence } : isKept ? blockedReport : undefined,
  };
}

/** The last one of an iteration counts. */
function greenSeen(state: RunState, { iteration, tree, passed, at }: EventOf<'green-seen'>): RunState {
  const open = openIteration(state);
  return open?.iteration === iteration ? { ...state, phase: { ...open, green: { tree, at, passed } } } : state;
}

function verdictReached(state: RunState, { verdict }: EventOf<'verdict-reached'>): RunState {
  const { pipeline } = state;
  const halted = pipeline !== undefined && verdict.stop ? withHalt(pipeline) : pipeline;
  return { ...state, verdict, holds: { ...state.holds, ...verdict.holds }, pipeline: halted };
}

function spent({ spend, kind }: RunState, event: EventOf<'usage-reported'>): RunState['spend'] {
  if (kind === 'imported' && event.scope === 'session-total') return reportRecordedTotal(spend, event);
  if (event.review === true) return reportInLane(spend, REVIEW_LANE, event);
  return event.index === undefined
    ? reportSpend(spend, event)
    : reportInLane(spend, laneOf(event.index, event.audit), event);
}

function matched(state: RunState, matches: Readonly<Record<string, string>>): RunState {
  return { ...state, latest: { ...state.latest, matches: { ...state.latest.matches, ...matches } } };
}

function denied(state: RunState): RunState {
  const { latest, streaks } = state;
  return { ...state, latest: { ...latest, wasDenied: true }, streaks: { ...streaks, denials: streaks.denials + 1 } };
}

/** Unknown in a record whose snapshot is of an older Pawl: its calls so far were not counted. */
function toolCalled(state: RunState, event: EventOf<'tool-called'>): RunState {
  const { toolUse } = state;
  return toolUse === undefined ? state : { ...state, toolUse: afterCall(toolUse, event) };
}

function toolAnswered(state: RunState, event: EventOf<'tool-answered'>): RunState {
  const next = event.denied === true ? state : allowed(state);
  const { toolUse } = next;
  const after = toolUse === undefined ? undefined : afterAnswer(toolUse, event);
  return after === toolUse ? next : { ...next, toolUse: after };
}

/** A tool that was let work ends a streak of denials. */
function allowed(state: RunState): RunState {
  return state.streaks.denials === 0 ? state : { ...state, streaks: { ...state.streaks, denials: 0 } };
}

function sessionOpened(state: RunState, { session: id, resumed, at }: EventOf<'session-opened'>): RunState {
  const spend = openSession(state.spend, id);
  if (resumed && state.session?.id === id) return { ...state, spend };
  const context = state.session?.id === id ? state.context : undefined;
  return { ...state, spend, session: { id, openedAt: at }, context };
}

function errorSeen(state: RunState, { kind, message, fingerprint }: EventOf<'error-seen'>): RunState {
  const error: SeenError = { kind, message, fingerprint };
  const again = state.streaks.lastError?.fingerprint === fingerprint;
  return {
    ...state,
    latest: { ...state.latest, errors: remember(state.latest.errors, error) },
    streaks: { ...state.streaks, lastError: error, sameError: again ? state.streaks.sameError + 1 : 1 },
  };
}

/** The same error is kept once. Of too many the oldest goes, but never one that a person must see to. */
function remember(errors: readonly SeenError[], error: SeenError): readonly SeenError[] {
  const others = errors.filter(({ kind, message }) => kind !== error.kind || message !== error.message);
  if (others.length < REMEMBERED_ERRORS) return [...others, error];
  const oldest = others.findIndex(({ kind }) => kind !== 'auth' && kind !== 'billing');
  return [...others.toSpliced(Math.max(0, oldest), 1), error];
}
