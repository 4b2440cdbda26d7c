import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../model/json.js';
import type { EventOf, NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { RedactLine } from './record-line.js';
import type { Environment } from './second-home.js';
import { makeUserKey, readUserKey } from './user-key.js';

/** What a run executes, as it is recorded. */
type Sealed = Pick<EventOf<'run-started'>, 'spec' | 'pipeline'> & { readonly runId: string };

/** Gives the seal of a run, or nothing where there is no key for one. */
export type Seal = (sealed: Sealed) => string | undefined;

/**
 * Seals runs with the user's own key, so that a record that came with a repository is not taken for one of the user's.
 * Says why when there can be no key.
 */
export function createSeal(environment: Environment, onProblem: (error: unknown) => void): Seal {
  return (sealed) => {
    try {
      return sealOf(sealed, makeUserKey(environment));
    } catch (error) {
      onProblem(error);
      return undefined;
    }
  };
}

/** An event that says what a run executes, with its seal: over what will be recorded, not over the secrets in it. */
export function withSeal(event: NewEvent, runId: string, seal: Seal, redact: RedactLine): NewEvent {
  if (event.type !== 'run-started' && event.type !== 'manifest-changed' && event.type !== 'run-resumed') return event;
  if (event.spec === undefined) return event;
  const { spec, pipeline } = JSON.parse(redact(JSON.stringify(event))) as Omit<Sealed, 'runId'>;
  return { ...event, seal: seal({ runId, spec, pipeline }) };
}

/** Whether this user began the run, and what it executes is as it was then. */
export function isSealed({ seal, runId, spec, pipeline }: RunState, environment: Environment): boolean {
  const key = readUserKey(environment);
  if (typeof seal !== 'string' || runId === undefined || spec === undefined || key === undefined) return false;
  const expected = Buffer.from(sealOf({ runId, spec, pipeline: pipeline?.spec }, key));
  const found = Buffer.from(seal);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function sealOf({ runId, spec, pipeline }: Sealed, key: string): string {
  return createHmac('sha256', key).update(canonicalJson({ runId, spec, pipeline })).digest('hex');
}
