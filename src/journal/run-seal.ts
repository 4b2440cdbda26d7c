import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../model/json.js';
import type { EventOf, NewEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { type Disk, NODE_DISK, makeFolder, readWholeFile } from './disk.js';
import type { RedactLine } from './record-scanner.js';
import { type Environment, stateHome } from './run-places.js';

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
  if (!('spec' in event) || event.spec === undefined) return event;
  const { spec, pipeline } = JSON.parse(redact(JSON.stringify(event))) as Omit<Sealed, 'runId'>;
  return { ...event, seal: seal({ runId, spec, pipeline }) };
}

/** Whether this user began the run, and what it executes is as it was then. */
export function isSealed({ seal, runId, spec, pipeline }: RunState, environment: Environment): boolean {
  const key = readUserKey(environment);
  if (typeof seal !== 'string' || runId === undefined || spec === undefined || key === undefined) return false;
  return isSame(sealOf({ runId, spec, pipeline: pipeline?.spec }, key), seal);
}

/** Takes the same time wherever they differ. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sealOf({ runId, spec, pipeline }: Sealed, key: string): string {
  return createHmac('sha256', key).update(canonicalJson({ runId, spec, pipeline })).digest('hex');
}

const SEGMENTS = ['pawl'];
const NAME = 'key';
const SHAPE = /^([0-9a-f]{64})\n$/;
const SIZE_BYTES = 65;

/** A key that only this user has, outside of every project; undefined when there is none, or none that can be used. */
export function readUserKey(environment: Environment): string | undefined {
  const path = join(stateHome(environment), ...SEGMENTS, NAME);
  try {
    return SHAPE.exec(String(readWholeFile(NODE_DISK, path, SIZE_BYTES)))?.[1];
  } catch {
    return undefined;
  }
}

/** The same, made when it is missing or damaged. Throws when that cannot be done. */
export function makeUserKey(environment: Environment, disk: Disk = NODE_DISK): string {
  const known = readUserKey(environment);
  if (known !== undefined) return known;
  const folder = makeFolder(NODE_DISK, { base: stateHome(environment), segments: SEGMENTS, makesBase: true }, 'refuse');
  const path = join(folder, NAME);
  const draft = join(folder, `.${NAME}-${process.pid}`);
  const key = randomBytes(32).toString('hex');
  writeFileSync(draft, `${key}\n`, { mode: 0o600 });
  try {
    disk.linkSync(draft, path);
    return key;
  } catch {
    // Of two runs that start at once, both have to find the same key.
    const others = readUserKey(environment);
    if (others !== undefined) return others;
    // It is damaged, or there are no hard links here.
    renameSync(draft, path);
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Answers from outside, signed. The key of one question is derived from the user's own key, so that anyone who is given it can
 * answer this question until this time, and nothing else. What is signed is the question, the time and the whole body.
 */
/** What a key is for. */
export interface AnswerTicket {
  readonly runId: string;
  /** The id of the question. */
  readonly question: string;
  /** Unix time in seconds. */
  readonly expires: number;
}

const PURPOSE = 'pawl answer v1';

function ticketText({ runId, question, expires }: AnswerTicket): string {
  return `${runId}\n${question}\n${expires}\n`;
}

/** The key by which this question can be answered until then. */
export function answerKey(ticket: AnswerTicket, userKey: string): string {
  return createHmac('sha256', userKey)
    .update(`${PURPOSE}\n${ticketText(ticket)}`)
    .digest('hex');
}

/** The signature of an answer by that key. */
export function signAnswer(ticket: AnswerTicket, body: string | Uint8Array, key: string): string {
  return createHmac('sha256', key).update(ticketText(ticket)).update(body).digest('hex');
}

/** Whether the body was signed by anyone who was given the key of this question. Does not look at the time. */
export function isAnswerSigned(
  ticket: AnswerTicket,
  body: string | Uint8Array,
  signature: string,
  userKey: string,
): boolean {
  return isSame(signAnswer(ticket, body, answerKey(ticket, userKey)), signature);
}
