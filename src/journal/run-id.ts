import { monotonicFactory } from 'ulid';
import { ConfigError } from '../model/errors.js';

const nextUlid = monotonicFactory();
const RUN_ID = /^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/;

/** A new id; ids made later sort later. */
export function newRunId(kind: 'loop' | 'pipe' | 'agent' = 'loop'): string {
  return `${kind}_${nextUlid()}`;
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** An id from outside becomes part of a path: nothing but an id may. */
export function checkRunId(text: string): string {
  if (!isRunId(text)) {
    throw new ConfigError([
      { path: '', message: `${JSON.stringify(text)} is not the id of a run (loop_, pipe_ or agent_ and a ULID)` },
    ]);
  }
  return text;
}
