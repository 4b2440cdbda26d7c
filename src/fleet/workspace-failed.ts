import { headOf } from '../model/cut-text.js';
import type { ToolResult } from '../process/run-tool.js';

/**
 * Why there is no workspace. `not-found`, `not-allowed`, `no-base` and `invalid` stay so until a person does something;
 * `unreachable` may pass. `damaged`: what this worker has kept of the repository cannot be read.
 */
export type WorkspaceFailure =
  | 'invalid'
  | 'not-found'
  | 'not-allowed'
  | 'no-base'
  | 'unreachable'
  | 'local'
  | 'damaged'
  | 'stopped';

/** A workspace cannot be opened; the message names the repository without its credentials. */
export class WorkspaceFailed extends Error {
  override readonly name = 'WorkspaceFailed';
  readonly kind: WorkspaceFailure;

  constructor(kind: WorkspaceFailure, message: string) {
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
 * What a call that asked the remote has failed of. `scrub` takes the credentials out; `own` is the folder of this worker
 * that the call works in.
 */
export function remoteFailure(
  repository: string,
  result: ToolResult,
  scrub: (text: string) => string,
  own?: string,
): WorkspaceFailed {
  const early = earlyFailure(result);
  if (early !== undefined) return early;
  if (result.timedOut) return new WorkspaceFailed('unreachable', `${repository} took too long to answer`);
  const said = scrub(result.stderr);
  const why = decisive(said);
  // A disk of ours refuses in the same words as a remote does, and that may pass.
  const ofDisk = ownTrouble(said, own);
  if (ofDisk !== undefined) return new WorkspaceFailed('local', `${repository} cannot be kept here: ${ofDisk}`);
  if (NOT_FOUND.test(said)) {
    return new WorkspaceFailed('not-found', `there is no git repository at ${repository}, or none that can be seen`);
  }
  if (NOT_ALLOWED.test(said)) {
    return new WorkspaceFailed('not-allowed', `${repository} does not let this worker in: ${why}; ${HOW_TO_GET_IN}`);
  }
  if (DAMAGED.test(said)) return new WorkspaceFailed('damaged', `the copy of ${repository} is damaged: ${why}`);
  return new WorkspaceFailed('unreachable', `${repository} cannot be reached: ${why}`);
}

/** What git says of the disk of this worker, without what the remote says of its own. */
function ownTrouble(said: string, own: string | undefined): string | undefined {
  const isOurs = (line: string) =>
    OWN_DISK.test(line) ||
    (own !== undefined && !line.startsWith('remote: ') && line.includes(own) && DENIED.test(line));
  const line = said.split('\n').find(isOurs);
  return line === undefined ? undefined : decisive(line);
}

const HOW_TO_GET_IN = 'a credential helper or an SSH key of the worker must';

/** What a call that only touches the disk of this worker has failed of. */
export function localFailure(what: string, result: ToolResult, scrub: (text: string) => string): WorkspaceFailed {
  const early = earlyFailure(result);
  if (early !== undefined) return early;
  if (result.timedOut) return new WorkspaceFailed('local', `${what} took too long`);
  const said = scrub(result.stderr);
  return new WorkspaceFailed(DAMAGED.test(said) ? 'damaged' : 'local', `${what}: ${decisive(said)}`);
}

function earlyFailure(result: ToolResult): WorkspaceFailed | undefined {
  if (result.aborted) return new WorkspaceFailed('stopped', 'it was stopped');
  if (result.notStarted === undefined) return undefined;
  return new WorkspaceFailed('local', `git cannot be started: ${result.notStarted}`);
}

/** The line that tells most: git ends with advice, and ssh has spoken before git did. */
export function decisive(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !SAYS_NOTHING.test(line));
  const line = lines.find((one) => /^(?:fatal|error): /i.test(one)) ?? lines[0] ?? 'git does not say why';
  return headOf(line.replace(/^(?:fatal|error): /i, ''), 500);
}

const SAYS_NOTHING =
  /^(?:warning|hint): |could not read from remote repository|make sure you have the correct access|^and the repository exists/i;
