import type { PhaseName } from './loop-state.js';
import type { Phase } from './phase.js';
import { EVENT_TYPES, type EventType, type RunEvent } from './run-event.js';

/** An event that was recorded in a phase in which it cannot happen. */
export interface Fault {
  readonly seq: number;
  readonly type: EventType;
  readonly phase: PhaseName;
}

const KEPT_FAULTS = 10;
const SHOWN_FAULTS = 3;

/** Whether the event can happen in this phase. */
export function isLegal({ name }: Phase, event: RunEvent): boolean {
  if (event.type === 'waiting-started' && (event.for === 'answer') !== (name === 'iterating')) return false;
  return EVENT_TYPES[event.type].phases.includes(name);
}

/** The faults of a record after one more event. */
export function faultsAfter(
  faults: readonly Fault[] | undefined,
  { name }: Phase,
  { seq, type }: RunEvent,
): readonly Fault[] {
  const known = faults ?? [];
  return known.length < KEPT_FAULTS ? [...known, { seq, type, phase: name }] : known;
}

/** What is wrong with a record that has faults; undefined for one without any. */
export function faultsText(faults: readonly Fault[] = []): string | undefined {
  if (faults.length === 0) return undefined;
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ seq, type, phase }) => `${type} while ${phase} (event ${seq})`);
  const more = faults.length > SHOWN_FAULTS ? ', and more' : '';
  return `the record has events that cannot have happened: ${shown.join(', ')}${more}`;
}
