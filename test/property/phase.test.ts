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
import { answersToSend, nextPersonWait, openQuestions, unansweredText } from '../../src/model/questions.js';
import { isWaitDue, nextWait } from '../../src/model/wait-policy.js';
import { tries } from '../support/full-form.js';
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

/** The next question of the agent. */
const asked: Move = ({ questions }) => {
  return { type: 'question-asked', question: `q${(questions?.asked ?? 0) + 1}`, text: 'which?', by: 'me' };
};

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
  asked,
  asked,
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
    { type: 'waiting-started', for: 'person', until: hoursLater(3) },
    { type: 'waiting-started', for: 'person', until: hoursLater(3) },
    { type: 'question-asked', question: 'q2', text: 'again?', by: 'me' },
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
    command({ type: 'answer', question: 'q1', text: 'd' }),
    command({ type: 'answer', question: 'q1', text: 'g' }),
    command({ type: 'answer', question: 'q2', text: 'e' }),
    command({ type: 'answer', question: 'q9', text: 'f' }),
    { type: 'answer-delivered', question: 'q1' },
    { type: 'answer-delivered', question: 'q2' },
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

interface Run {
  readonly events: readonly RunEvent[];
  /** The state after each event. */
  readonly states: readonly RunState[];
}

function folded(events: readonly RunEvent[]): Run {
  let state = INITIAL_STATE;
  return { events, states: events.map((event) => (state = reduce(state, event))) };
}

function checkRun({ events, states }: Run, check: Check): void {
  for (const [index, event] of events.entries()) {
    check(states[index - 1] ?? INITIAL_STATE, event, states[index] ?? INITIAL_STATE, events.slice(0, index));
  }
}

const anyRun = fc.oneof({ weight: 4, arbitrary: anyMoves }, { weight: 1, arbitrary: anyEvents });
const SAMPLE = { numRuns: tries(300), seed: Math.floor(Math.random() * 2 ** 31) };
/** The same for all properties: to make and to fold them costs more than to check them. */
let sampled: readonly Run[] | undefined;

/** Checks each step of many runs, from the state before the event to the state after it. */
function everyStep(check: Check): void {
  sampled ??= fc.sample(anyRun, SAMPLE).map(folded);
  try {
    for (const run of sampled) checkRun(run, check);
  } catch (error) {
    // Once more, for the shortest run that fails.
    fc.assert(
      fc.property(anyRun, (events) => checkRun(folded(events), check)),
      SAMPLE,
    );
    throw error;
  }
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
  'question-asked': ['iterating'],
  'answer-delivered': ['iterating'],
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
      // A review that could not be made is a refusal, if it is one that is waited for.
      if (isWaitDue(before) || isRefused(event) || event.type === 'review-ended') return;
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
    const enders: readonly EventType[] = ['waiting-ended', 'iteration-started', 'iteration-ended', 'review-ended'];
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
      const waits = (['crash', 'moved'] as const).flatMap((cause) => {
        const again = resumed(after, cause);
        return [again, recovered(again), recovered(resumed(again, 'crash'))].map(waitNow);
      });
      expect(waits).toEqual(waits.map(() => waitNow(after)));
    });
  });
});

const ids = (questions: readonly { readonly id: string }[]) => questions.map(({ id }) => id);
const personWait = (state: RunState) => nextPersonWait(state, HOUR_LATER);
const isAnswerTo = (event: RunEvent, id: string): boolean =>
  event.type === 'command-received' &&
  event.refused === undefined &&
  event.command.type === 'answer' &&
  event.command.question === id;

/** An iteration that ended by itself: its agent has had what it was given. */
function isHeard(event: RunEvent): boolean {
  return requestsOf(event).includes('steers') && event.type === 'iteration-ended';
}

describe('a question to a person', () => {
  it('stays open through every change of the phase, until it is answered or a person resumes the run without an answer', () => {
    everyStep((before, event, after) => {
      for (const { id } of openQuestions(before)) {
        if (isAnswerTo(event, id)) expect(ids(openQuestions(after))).not.toContain(id);
        else if (!isResumeByPerson(event)) expect(ids(openQuestions(after))).toContain(id);
      }
    });
  });

  it('takes one answer: the first, which no later one replaces', () => {
    everyStep((before, event, after) => {
      for (const { id, answer } of before.questions?.list ?? []) {
        const now = after.questions?.list.find((question) => question.id === id);
        if (answer !== undefined && now !== undefined) expect(now.answer).toEqual(answer);
        if (answer === undefined && now?.answer !== undefined) expect(isAnswerTo(event, id)).toBe(true);
      }
    });
  });

  it('keeps its answer until an iteration that ended by itself was given it', () => {
    everyStep((before, event, after) => {
      const known = before.questions?.list.filter(({ answer }) => answer !== undefined) ?? [];
      for (const { id, isSent } of known) {
        const isKept = after.questions?.list.some((question) => question.id === id && question.answer !== undefined);
        if (isKept !== true) expect([isSent, isHeard(event)]).toEqual([true, true]);
      }
      // What came after the prompt was made is for the next one.
      if (event.type !== 'iteration-ended' || openIteration(before) === undefined) return;
      expect(ids(answersToSend(after))).toEqual(expect.arrayContaining(ids(answersToSend(before))));
    });
  });

  it('is waited for once: a wait that is over never starts again, and only another question makes one due', () => {
    everyStep((before, event, after) => {
      const { phase } = before;
      const isItsEnd = event.type === 'waiting-ended' && phase.name === 'waiting' && phase.for === 'person';
      if ((personWait(before) !== undefined && !isItsEnd) || event.type === 'question-asked') return;
      expect(personWait(after)).toBeUndefined();
    });
  });

  it('ends the run exactly when its wait is over and it is not answered, and never within an iteration', () => {
    everyStep((_before, _event, after) => {
      const isOver = openQuestions(after).length > 0 && personWait(after) === undefined;
      expect(unansweredText(after) !== undefined).toBe(isOver && openIteration(after) === undefined);
    });
  });

  it('is waited for in the same way after a crash or a move at any point', () => {
    everyStep((_before, _event, after) => {
      for (const cause of ['crash', 'moved'] as const) {
        const again = recovered(resumed(after, cause));
        expect(personWait(again)).toEqual(personWait(after));
        expect(ids(openQuestions(again))).toEqual(ids(openQuestions(after)));
      }
    });
  });
});
