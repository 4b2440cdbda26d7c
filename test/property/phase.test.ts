import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStateShape } from '../../src/journal/state-shape.js';
import { itemAt } from '../../src/model/item-state.js';
import { isLegal } from '../../src/model/record-fault.js';
import type { LoopCommand } from '../../src/model/loop-command.js';
import { endOf, hasEnded, loopStateOf, openIteration, refusedIn, waitingOf } from '../../src/model/phase.js';
import { reduce } from '../../src/model/reduce.js';
import type { EventBodies, EventOf, EventType, RunEvent } from '../../src/model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../src/model/run-state.js';
import { isWaitDue, nextWait } from '../../src/model/wait-policy.js';
import { begin, type Draft, end, record, START, started } from '../support/record.js';
import { anyEvents } from './arbitraries.js';

const ended = (outcome: 'completed' | 'limited', more: Partial<EventBodies['iteration-ended']> = {}): Draft =>
  end(1, { outcome, ...more });
const attempt = { item: 'x', index: 0, attempt: 1, durationMs: 1 };
const command = (given: LoopCommand): Draft => ({ type: 'command-received', command: given, by: 'me' });

/** What moves a run from phase to phase, refusals more often than they happen. */
const moves: fc.Arbitrary<Draft> = fc.constantFrom<Draft>(
  begin(1),
  begin(1, 2),
  ended('limited'),
  ended('limited'),
  ended('completed'),
  ended('completed', { agentStarted: false, outcome: 'skipped' }),
  ended('completed', { outcome: 'interrupted', interruption: 'crash' }),
  { type: 'limit-hit', kind: 'usage-limit', message: 'later', resetsAt: '2026-03-01T00:30:00.000Z' },
  { type: 'waiting-started', for: 'usage-limit', until: '2026-03-01T02:00:00.000Z' },
  { type: 'waiting-started', for: 'overload', until: '2026-03-01T00:00:20.000Z' },
  { type: 'waiting-started', for: 'approval' },
  { type: 'waiting-started', for: 'answer' },
  { type: 'waiting-ended' },
  { type: 'waiting-ended' },
  { type: 'paused' },
  { type: 'resumed' },
  { type: 'reboot-started', reason: 'x' },
  { type: 'reboot-completed' },
  { type: 'attempt-started', item: 'x', index: 0, attempt: 1 },
  { type: 'attempt-ended', ...attempt, outcome: 'limited' },
  { type: 'attempt-ended', ...attempt, outcome: 'limited' },
  { type: 'attempt-ended', ...attempt, outcome: 'approved' },
  { type: 'item-ended', item: 'x', index: 0, status: 'approved', attempts: 1 },
  { type: 'run-resumed', cause: 'crash' },
  { type: 'run-resumed', cause: 'moved' },
  { type: 'run-resumed', cause: 'operator' },
  { type: 'run-ended', state: 'stopped', reasons: [] },
  command({ type: 'stop' }),
  command({ type: 'pause' }),
  command({ type: 'reboot' }),
  command({ type: 'steer', text: 'a' }),
);
const start = fc.constantFrom(started(), started({}, { kind: 'pipeline', items: 1 }));
const anyMoves = fc.tuple(start, fc.array(moves, { maxLength: 30 })).map(([first, rest]) => record([first, ...rest]));

/** Checks each step of a run, from the state before the event to the state after it. */
function everyStep(check: (before: RunState, event: RunEvent, after: RunState) => void): void {
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: anyMoves }, { weight: 1, arbitrary: anyEvents }), (events) => {
      let state = INITIAL_STATE;
      for (const event of events) {
        const after = reduce(state, event);
        check(state, event, after);
        state = after;
      }
    }),
    { numRuns: 1000 },
  );
}

const HOUR_LATER = Date.parse(START) + 3_600_000;
const waitNow = (state: RunState) => nextWait(state, HOUR_LATER, () => 0.5);

function resumed(state: RunState, cause: EventOf<'run-resumed'>['cause']): RunState {
  const { seq, activeMs } = state;
  return reduce(state, { type: 'run-resumed', cause, v: 1, seq: seq + 1, at: state.at ?? START, activeMs });
}

function isRefused(event: RunEvent): boolean {
  return (event.type === 'iteration-ended' || event.type === 'attempt-ended') && event.outcome === 'limited';
}

describe('the phase of a run', () => {
  it('is a legal one after any event, and an event that is illegal is reported', () => {
    everyStep((before, event, after) => {
      expect(isStateShape(JSON.parse(JSON.stringify(after)))).toBe(true);
      const known = before.faults ?? [];
      if (isLegal(before.phase, event)) expect(after.faults).toEqual(before.faults);
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

/** What is no longer to be done after an event, because it has been done or taken back. */
const FULFILLED: Partial<Record<EventType, readonly (keyof RunState['requests'])[]>> = {
  'command-received': ['stop', 'pause', 'reboot', 'steers'],
  'hook-ran': ['pause'],
  'iteration-started': ['reboot'],
  'iteration-ended': ['steers'],
  'run-ended': ['pause', 'reboot'],
};

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
      const isByPerson = event.type === 'run-resumed' && event.cause === 'operator';
      const fulfilled = isByPerson ? ['stop'] : (FULFILLED[event.type] ?? []);
      for (const key of ['stop', 'pause', 'reboot', 'steers'] as const) {
        if (!fulfilled.includes(key)) expect(after.requests[key]).toEqual(before.requests[key]);
      }
    });
  });
});

describe('the wait for a provider', () => {
  it('that is over never starts again: only another refusal, or a limit that is known to last, makes one due', () => {
    everyStep((before, event, after) => {
      if (isWaitDue(before) || isRefused(event)) return;
      if (event.type !== 'run-resumed' || event.cause !== 'operator') expect(isWaitDue(after)).toBe(false);
      else if (isWaitDue(after)) {
        expect(refusedIn(before.phase)).toBeDefined();
        expect(Date.parse(after.latest.limitHit?.resetsAt ?? '')).toBeGreaterThan(Date.parse(event.at));
      }
    });
  });

  it('is due after every refusal, whatever came before', () => {
    everyStep((before, event, after) => {
      if (isRefused(event) && isLegal(before.phase, event)) expect(isWaitDue(after)).toBe(after.phase.name !== 'idle');
    });
  });

  it('stays due until it has ended, an attempt or iteration follows, or a person resumes the run', () => {
    const enders: readonly EventType[] = ['waiting-ended', 'iteration-started', 'iteration-ended', 'attempt-ended'];
    everyStep((before, event, after) => {
      const isByPerson = event.type === 'run-resumed' && event.cause === 'operator';
      // What ends here is another wait: for an approval, or for a refusal before the last one.
      const { phase } = before;
      const isOther = event.type === 'waiting-ended' && phase.name === 'waiting' && phase.refused?.wait === 'due';
      if (isByPerson || (enders.includes(event.type) && !isOther)) return;
      if (isWaitDue(before)) expect(isWaitDue(after)).toBe(true);
    });
  });

  it('is the same after a crash or a move at any point', () => {
    everyStep((_before, _event, after) => {
      const wait = waitNow(after);
      for (const cause of ['crash', 'moved'] as const) {
        expect(waitNow(resumed(after, cause))).toEqual(wait);
        expect(waitNow(resumed(resumed(after, cause), 'crash'))).toEqual(wait);
      }
    });
  });
});
