import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/resolve-config.js';
import { isStateShape } from '../../src/journal/state-shape.js';
import { itemAt } from '../../src/model/item-state.js';
import type { LoopCommand } from '../../src/model/loop-command.js';
import type { PhaseName } from '../../src/model/loop-state.js';
import { endOf, hasEnded, loopStateOf, openIteration, refusedIn, waitingOf } from '../../src/model/phase.js';
import { isLegal } from '../../src/model/record-fault.js';
import { reduce } from '../../src/model/reduce.js';
import type { AttemptOutcome, EventBodies, EventOf, EventType, NewEvent, RunEvent } from '../../src/model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../src/model/run-state.js';
import { isWaitDue, nextWait } from '../../src/model/wait-policy.js';
import { begin, type Draft, end, START, started } from '../support/record.js';
import { anyEvents } from './arbitraries.js';

type Move = (state: RunState) => Draft;

const hoursLater = (hours: number) => new Date(Date.parse(START) + hours * 3_600_000).toISOString();
const command = (given: LoopCommand): Draft => ({ type: 'command-received', command: given, by: 'me' });
const attemptStarted = (index: number): Draft => ({ type: 'attempt-started', item: `${index}`, index, attempt: 1 });
const attemptEnded = (index: number, outcome: AttemptOutcome): Draft => {
  return { type: 'attempt-ended', item: `${index}`, index, attempt: 1, outcome, durationMs: 1 };
};
/** The end of the open iteration. */
const ended =
  (more: Partial<EventBodies['iteration-ended']>): Move =>
  (state) =>
    end(openIteration(state)?.iteration ?? 1, more);

/** What moves a run from phase to phase, refusals more often than they happen. */
const MOVES: readonly Move[] = [
  ({ iterations }) => begin(iterations + 1),
  ({ iterations }) => begin(iterations + 1, 2),
  ended({ outcome: 'limited' }),
  ended({ outcome: 'limited' }),
  ended({ outcome: 'completed' }),
  ended({ outcome: 'skipped', agentStarted: false }),
  ended({ outcome: 'interrupted', interruption: 'crash' }),
  ended({ outcome: 'interrupted', interruption: 'unpushed' }),
  ended({ outcome: 'interrupted', interruption: 'operator' }),
  ...[0, 1].flatMap((index) => [
    () => attemptStarted(index),
    () => attemptStarted(index),
    () => attemptEnded(index, 'limited'),
    () => attemptEnded(index, 'limited'),
    () => attemptEnded(index, 'approved'),
    () => attemptEnded(index, 'interrupted'),
  ]),
  ...[
    { type: 'limit-hit', kind: 'usage-limit', message: 'later', resetsAt: hoursLater(0.5) },
    { type: 'limit-hit', kind: 'usage-limit', message: 'much later', resetsAt: hoursLater(9) },
    { type: 'limit-hit', kind: 'overload', message: 'at some time' },
    { type: 'waiting-started', for: 'usage-limit', until: hoursLater(2) },
    { type: 'waiting-started', for: 'overload', until: hoursLater(0) },
    { type: 'waiting-started', for: 'approval' },
    { type: 'waiting-started', for: 'answer' },
    { type: 'waiting-ended' },
    { type: 'waiting-ended' },
    { type: 'paused' },
    { type: 'resumed' },
    { type: 'reboot-started', reason: 'x' },
    { type: 'reboot-completed' },
    { type: 'item-ended', item: '0', index: 0, status: 'approved', attempts: 1 },
    { type: 'run-resumed', cause: 'crash' },
    { type: 'run-resumed', cause: 'moved' },
    { type: 'run-resumed', cause: 'operator' },
    { type: 'run-resumed', cause: 'operator' },
    { type: 'run-ended', state: 'stopped', reasons: [] },
    { type: 'hook-ran', hook: 'on_pause', durationMs: 1, failure: { message: 'a', leadsTo: 'pause' } },
    command({ type: 'stop' }),
    command({ type: 'pause' }),
    command({ type: 'resume' }),
    command({ type: 'reboot' }),
    command({ type: 'reboot' }),
    command({ type: 'steer', text: 'a' }),
    command({ type: 'steer', text: 'b' }),
    command({ type: 'reject', text: 'c' }),
    { ...command({ type: 'stop' }), refused: 'no' } as Draft,
  ].map((draft) => () => draft as Draft),
];

const { spec } = resolveConfig({ maxWait: '1h' });
const pipeline = { kind: 'pipeline', items: 2 } as const;
const START_MOVES = [{}, { spec }, pipeline, { ...pipeline, spec }].map((more) => started({}, more));

/** The event that a draft is after a state, so many seconds later. */
function eventAfter({ seq, at = START, activeMs }: RunState, draft: NewEvent, seconds = 1): RunEvent {
  const later = new Date(Date.parse(at) + seconds * 1000).toISOString();
  return { v: 1, ...draft, seq: seq + 1, at: later, activeMs: activeMs + seconds * 1000 };
}

/** The move of that number, or the next one that is legal. */
function moveFrom(state: RunState, pick: number, isToBeLegal: boolean, seconds: number): RunEvent {
  const event = eventAfter(state, MOVES[pick % MOVES.length]?.(state) ?? { type: 'tick' }, seconds);
  const isWanted = !isToBeLegal || isLegal(state.phase, event);
  return isWanted ? event : moveFrom(state, pick + 1, isToBeLegal, seconds);
}

interface Step {
  readonly pick: number;
  readonly legal: boolean;
  readonly seconds: number;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  pick: fc.nat(MOVES.length - 1),
  legal: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  seconds: fc.constantFrom(1, 1, 60, 3000),
});

const anyMoves: fc.Arbitrary<readonly RunEvent[]> = fc
  .tuple(fc.constantFrom(...START_MOVES), fc.array(anyStep, { maxLength: 60, size: 'max' }))
  .map(([first, steps]) => {
    const events = [eventAfter(INITIAL_STATE, first)];
    let state = events.reduce(reduce, INITIAL_STATE);
    for (const { pick, legal, seconds } of steps) {
      const event = moveFrom(state, pick, legal, seconds);
      events.push(event);
      state = reduce(state, event);
    }
    return events;
  });

type Check = (before: RunState, event: RunEvent, after: RunState, past: readonly RunEvent[]) => void;

/** Checks each step of a run, from the state before the event to the state after it. */
function everyStep(check: Check): void {
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: anyMoves }, { weight: 1, arbitrary: anyEvents }), (events) => {
      let state = INITIAL_STATE;
      for (const [index, event] of events.entries()) {
        const after = reduce(state, event);
        check(state, event, after, events.slice(0, index));
        state = after;
      }
    }),
    { numRuns: 1000 },
  );
}

const BETWEEN: readonly PhaseName[] = ['starting', 'resting', 'waiting', 'paused'];
const LIVE: readonly PhaseName[] = [...BETWEEN, 'iterating'];
/** Where an event that changes the phase can happen. */
const LEGAL: Partial<Record<EventType, readonly PhaseName[]>> = {
  'run-started': ['idle'],
  'iteration-started': BETWEEN,
  'iteration-ended': ['iterating'],
  paused: ['starting', 'resting', 'waiting'],
  resumed: ['paused'],
  'waiting-ended': LIVE,
  'reboot-started': BETWEEN,
  'reboot-completed': BETWEEN,
  'attempt-started': BETWEEN,
  'attempt-ended': BETWEEN,
  'item-ended': BETWEEN,
  'run-resumed': [...LIVE, 'ended'],
  'run-ended': LIVE,
  'command-received': ['idle', ...LIVE, 'ended'],
};

/** Undefined for an event that changes no phase. */
function isPossible({ phase: { name } }: RunState, event: RunEvent): boolean | undefined {
  if (event.type === 'waiting-started') return event.for === 'answer' ? name === 'iterating' : BETWEEN.includes(name);
  return LEGAL[event.type]?.includes(name);
}

const HOUR_LATER = Date.parse(START) + 3_600_000;
const waitNow = (state: RunState) => nextWait(state, HOUR_LATER, () => 0.5);

const then = (state: RunState, draft: Draft) => reduce(state, eventAfter(state, draft, 0));

function resumed(state: RunState, cause: EventOf<'run-resumed'>['cause']): RunState {
  return then(state, { type: 'run-resumed', cause });
}

/** Recovery ends what was open. */
function recovered(state: RunState): RunState {
  const open = openIteration(state);
  const crashed = { outcome: 'interrupted', interruption: 'crash' } as const;
  const closed = open === undefined ? state : then(state, end(open.iteration, crashed));
  const attempts = Object.keys(closed.pipeline?.open ?? {}).map((index) => attemptEnded(Number(index), 'interrupted'));
  return attempts.reduce(then, closed);
}

function isRefused(event: RunEvent): boolean {
  return (event.type === 'iteration-ended' || event.type === 'attempt-ended') && event.outcome === 'limited';
}

function isResumeByPerson(event: RunEvent): boolean {
  return event.type === 'run-resumed' && event.cause === 'operator';
}

/** Whether the end of an attempt shows that the provider lets something through since the last refusal. */
function wasLetThrough(
  state: RunState,
  { index, outcome }: EventOf<'attempt-ended'>,
  past: readonly RunEvent[],
): boolean {
  if (outcome === 'interrupted' || outcome === 'limited') return false;
  const isOpen = state.pipeline?.open?.[String(index)] !== undefined;
  const start = past.findLastIndex((event) => event.type === 'attempt-started' && event.index === index);
  return !isOpen || start > past.findLastIndex(isRefused);
}

describe('the phase of a run', () => {
  it('is a legal one after any event, and an event that is illegal is reported', () => {
    everyStep((before, event, after) => {
      expect(isStateShape(JSON.parse(JSON.stringify(after)))).toBe(true);
      const known = before.faults ?? [];
      const possible = isPossible(before, event);
      if (possible === undefined) return;
      if (possible) expect(after.faults).toEqual(before.faults);
      else if (known.length === 10) expect(after.faults).toBe(known);
      else expect(after.faults).toEqual([...known, { seq: event.seq, type: event.type, phase: before.phase.name }]);
    });
  });

  it('of an ended run stays so until the run is resumed, and an iteration ends only by its end or that of the run', () => {
    everyStep((before, { type }, after) => {
      if (hasEnded(before) && type !== 'run-resumed') expect(endOf(after)).toBe(endOf(before));
      const isOpen = openIteration(before) !== undefined;
      const enders: readonly EventType[] = ['iteration-ended', 'run-ended', 'run-started'];
      if (isOpen && !enders.includes(type)) expect(after.phase.name).toBe('iterating');
      if (!isOpen && type !== 'iteration-started') expect(after.phase.name).not.toBe('iterating');
    });
  });

  it('waits exactly while there is something that it waits for, and a question ends with its process', () => {
    everyStep((_before, event, after) => {
      if (event.type === 'run-resumed' && event.cause !== 'moved') expect(waitingOf(after)).toBeUndefined();
      expect(waitingOf(after) !== undefined).toBe(loopStateOf(after) === 'waiting');
    });
  });
});

type RequestName = keyof RunState['requests'];
const BY_COMMAND: Partial<Record<LoopCommand['type'], RequestName>> = {
  stop: 'stop',
  pause: 'pause',
  resume: 'pause',
  reboot: 'reboot',
  steer: 'steers',
  reject: 'steers',
};

/** The requests that an event makes, fulfils or takes back. */
function requestsOf(event: RunEvent): readonly (RequestName | undefined)[] {
  switch (event.type) {
    case 'command-received':
      return event.refused === undefined ? [BY_COMMAND[event.command.type]] : [];
    case 'hook-ran':
      return event.failure?.leadsTo === 'pause' ? ['pause'] : [];
    case 'iteration-started':
      return ['reboot'];
    case 'iteration-ended': {
      // The agent was given the messages.
      const { agentStarted, outcome, interruption } = event;
      const isLost = outcome === 'limited' || interruption === 'crash' || interruption === 'unpushed';
      return agentStarted && !isLost ? ['steers'] : [];
    }
    case 'run-resumed':
      return event.cause === 'operator' ? ['stop'] : [];
    case 'run-ended':
      return ['pause', 'reboot'];
    default:
      return [];
  }
}

describe('an open attempt', () => {
  it('is one whose start is recorded and whose end is not, in any phase', () => {
    everyStep((before, event, after) => {
      const isOpen = (state: RunState) => state.pipeline?.open?.['0'] !== undefined;
      if (!('index' in event) || event.index !== 0) return expect(isOpen(after)).toBe(isOpen(before));
      const isStart = event.type === 'attempt-started' && (before.pipeline?.items ?? 0) > 0;
      const isEnd = event.type === 'attempt-ended' || event.type === 'item-ended';
      const isFinal = event.type === 'item-ended' && itemAt(before.pipeline?.states, 0)?.status !== undefined;
      if (isStart) expect(isOpen(after)).toBe(true);
      else if (isEnd && !isFinal) expect(isOpen(after)).toBe(false);
    });
  });
});

describe('requests', () => {
  it('survive every change of the phase, but for what the event itself fulfils', () => {
    everyStep((before, event, after) => {
      const fulfilled = requestsOf(event);
      for (const key of ['stop', 'pause', 'reboot', 'steers'] as const) {
        if (!fulfilled.includes(key)) expect(after.requests[key]).toEqual(before.requests[key]);
      }
    });
  });

  it('to the agent come in their order, and an iteration takes only those that it started with', () => {
    everyStep((before, event, after) => {
      const known = before.requests.steers;
      const { steers } = after.requests;
      if (event.type === 'command-received') expect(steers.slice(0, known.length)).toEqual(known);
      else expect(steers).toEqual(known.slice(known.length - steers.length));
      const late = openIteration(before)?.steersSince ?? 0;
      if (event.type === 'iteration-ended' && openIteration(before)) expect(steers.length).toBeGreaterThanOrEqual(late);
    });
  });
});

describe('the wait for a provider', () => {
  it('that is over never starts again: only another refusal, or a limit that is known to last, makes one due', () => {
    everyStep((before, event, after) => {
      if (isWaitDue(before) || isRefused(event)) return;
      if (!isResumeByPerson(event)) expect(isWaitDue(after)).toBe(false);
    });
  });

  it('is made after a resume by a person exactly if the limit is known to last, and no longer than max_wait', () => {
    everyStep((before, event, after) => {
      if (!isResumeByPerson(event)) return;
      const leftMs = Date.parse(before.latest.limitHit?.resetsAt ?? '') - Date.parse(event.at);
      const longestMs = after.spec?.maxWaitMs ?? Number.POSITIVE_INFINITY;
      const isKept = refusedIn(before.phase) !== undefined && leftMs > 0 && leftMs <= longestMs;
      if (openIteration(before) === undefined) expect(isWaitDue(after)).toBe(isKept);
    });
  });

  it('is due after every refusal, whatever came before', () => {
    everyStep((before, event, after) => {
      if (isRefused(event) && isPossible(before, event)) expect(isWaitDue(after)).toBe(after.phase.name !== 'idle');
    });
  });

  it('stays due until it has ended, what started after the refusal has ended, or a person resumes the run', () => {
    const enders: readonly EventType[] = ['waiting-ended', 'iteration-started', 'iteration-ended'];
    everyStep((before, event, after, past) => {
      // What ends here is another wait: for an approval, or for a refusal before the last one.
      const { phase } = before;
      const isOther = event.type === 'waiting-ended' && phase.name === 'waiting' && phase.refused?.wait === 'due';
      if (isResumeByPerson(event) || (enders.includes(event.type) && !isOther)) return;
      if (event.type === 'attempt-ended' && wasLetThrough(before, event, past)) return;
      if (isWaitDue(before)) expect(isWaitDue(after)).toBe(true);
    });
  });

  it('is the same after a crash or a move at any point', () => {
    everyStep((_before, _event, after) => {
      const wait = waitNow(after);
      for (const cause of ['crash', 'moved'] as const) {
        expect(waitNow(resumed(after, cause))).toEqual(wait);
        expect(waitNow(recovered(resumed(after, cause)))).toEqual(wait);
        expect(waitNow(recovered(resumed(resumed(after, cause), 'crash')))).toEqual(wait);
      }
    });
  });
});
