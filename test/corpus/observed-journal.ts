import type { Journal } from '../../src/journal/journal.js';
import type { NewEvent } from '../../src/model/run-event.js';
import { SimulatedCrash } from '../../src/testing/crashing-journal.js';
import type { baselineOf, Scene } from './scenes-of.js';

export interface ObservedBy {
  readonly baseline: ReturnType<typeof baselineOf>;
  /** What is being played. */
  readonly scene: () => Scene | undefined;
  /** The process dies instead of recording this. */
  readonly isCrash: (event: NewEvent) => boolean;
}

/** A pid that no system gives, so that nobody is ever taken for the agent of a story. */
const NO_PID = 99_999_999;

/**
 * Takes the place of git and the test command: what they would have seen is in the story and is put into the events on
 * their way into the record. What differs from machine to machine is left out.
 */
export function observedJournal(inside: Journal, observed: ObservedBy): Journal {
  let isDead = false;
  return {
    get state() {
      return inside.state;
    },
    get diskFull() {
      return inside.diskFull;
    },
    append(event, activeMs) {
      if (isDead || observed.isCrash(event)) {
        isDead = true;
        throw new SimulatedCrash(inside.state.seq + 1, 'before');
      }
      return inside.append(withObserved(event, observed), activeMs);
    },
    subscribe: (listener) => inside.subscribe(listener),
    read: (fromSeq) => inside.read(fromSeq),
    close: () => inside.close(),
  };
}

function withObserved(event: NewEvent, { baseline, scene }: ObservedBy): NewEvent {
  switch (event.type) {
    case 'run-started':
      return { ...event, spec: asTracked(event.spec, baseline.tests !== undefined), versions: { pawl: '0.1.0' } };
    case 'agent-spawned':
      return { ...event, pid: NO_PID, startTime: '1' };
    case 'baseline-observed':
      return { ...event, observation: { ...event.observation, ...baseline } };
    case 'iteration-ended':
      return { ...event, observation: { ...event.observation, ...seenIn(event, scene()) } };
    default:
      return event;
  }
}

type Ended = Extract<NewEvent, { readonly type: 'iteration-ended' }>;

/** A limited try changed nothing; after a crash the files are looked at and the tests are not run. */
function seenIn({ outcome, interruption }: Ended, scene: Scene | undefined): Partial<Ended['observation']> {
  if (scene === undefined || outcome === 'limited') return {};
  const { files, tests } = scene;
  return interruption === 'crash' ? { files } : { files, tests };
}

type Spec = Extract<NewEvent, { readonly type: 'run-started' }>['spec'];

function asTracked(spec: Spec, hasTests: boolean): Spec {
  if (spec === undefined) return undefined;
  const tests = hasTests ? { tests: { command: 'npm test', timeoutMs: 600_000 } } : {};
  return { ...spec, ...tests, trackFileChanges: true };
}
