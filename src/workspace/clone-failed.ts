import type { ToolResult } from '../process/run-tool.js';
import { decisiveLine } from './git.js';

/**
 * Why there is no clone. `not-found`, `not-allowed`, `no-base` and `invalid` stay so until a person does something;
 * `unreachable` may pass. `damaged`: what this machine has kept of the repository cannot be read.
 */
export type CloneFailure =
  | 'invalid'
  | 'not-found'
  | 'not-allowed'
  | 'no-base'
  | 'unreachable'
  | 'local'
  | 'damaged'
  | 'stopped';

/** A clone cannot be made; the message names the repository without its credentials. */
export class CloneFailed extends Error {
  override readonly name = 'CloneFailed';
  readonly kind: CloneFailure;

  constructor(kind: CloneFailure, message: string) {
    super(message);
    this.kind = kind;
  }
}

const NOT_FOUND =
  /repository '.*' not found|repository not found|does not appear to be a git repository|project .* could not be found/i;
const NOT_ALLOWED =
  /authentication failed|could not read (?:username|password)|permission denied|host key verification failed|returned error: 40[13]|dubious ownership|access denied|invalid credentials/i;
const OWN_DISK =
  /(?<!remote: .*)(?:no space left on device|disk quota exceeded|read-only file system|unable to create|temporary file|insufficient permission for adding an object|cannot lock ref)/i;
const DENIED = /permission denied|operation not permitted|input\/output error|dubious ownership/i;
const DAMAGED =
  /(?<!remote: .*)(?:bad object|missing (?:blob|tree|commit|object|necessary objects)|corrupt|does not point to a valid object|unable to read|did not send all necessary objects|inflate|packfile|not a git repository: |invalid object|unable to parse object|not a valid object)/i;

/**
 * Why a request to the remote failed. `scrub` removes the credentials; `own` is the folder on this machine that git
 * worked in.
 */
export function remoteFailure(
  repository: string,
  result: ToolResult,
  scrub: (text: string) => string,
  own?: string,
): CloneFailed {
  const early = earlyFailure(result);
  if (early !== undefined) return early;
  if (result.timedOut) return new CloneFailed('unreachable', `${repository} took too long to answer`);
  const said = scrub(result.stderr);
  const why = decisiveLine(said);
  // The disk of this machine refuses in the same words as a remote does, and that may pass.
  const ofDisk = ownTrouble(said, own);
  if (ofDisk !== undefined) return new CloneFailed('local', `${repository} cannot be kept here: ${ofDisk}`);
  if (NOT_FOUND.test(said)) {
    return new CloneFailed('not-found', `there is no git repository at ${repository}, or none that can be seen`);
  }
  if (NOT_ALLOWED.test(said)) {
    return new CloneFailed('not-allowed', `${repository} does not let this worker in: ${why}; ${HOW_TO_GET_IN}`);
  }
  if (DAMAGED.test(said)) return new CloneFailed('damaged', `the copy of ${repository} is damaged: ${why}`);
  return new CloneFailed('unreachable', `${repository} cannot be reached: ${why}`);
}

/** What git says of the disk of this machine, without what the remote says of its own. */
function ownTrouble(said: string, own: string | undefined): string | undefined {
  const isOurs = (line: string) =>
    OWN_DISK.test(line) ||
    (own !== undefined && !line.startsWith('remote: ') && line.includes(own) && DENIED.test(line));
  const line = said.split('\n').find(isOurs);
  return line === undefined ? undefined : decisiveLine(line);
}

const HOW_TO_GET_IN = 'a credential helper or an SSH key of the worker must';

/** Why a call failed that only uses the disk of this machine. */
export function localFailure(what: string, result: ToolResult, scrub: (text: string) => string): CloneFailed {
  const early = earlyFailure(result);
  if (early !== undefined) return early;
  if (result.timedOut) return new CloneFailed('local', `${what} took too long`);
  const said = scrub(result.stderr);
  return new CloneFailed(DAMAGED.test(said) ? 'damaged' : 'local', `${what}: ${decisiveLine(said)}`);
}

function earlyFailure(result: ToolResult): CloneFailed | undefined {
  if (result.aborted) return new CloneFailed('stopped', 'it was stopped');
  if (result.notStarted === undefined) return undefined;
  return new CloneFailed('local', `git cannot be started: ${result.notStarted}`);
}
