import { messageOf } from '../model/errors.js';
import { PushFailed } from '../workspace/work-publisher.js';

/** Why there was no more time for a push. */
const TOO_LATE: Readonly<Record<string, string>> = {
  worker: 'the worker ends',
  operator: 'the run is cancelled',
  failure: 'a failure condition is met',
};

/** Why work is on no branch, in words; `ending` is what the run was to end for meanwhile. */
export function tooLate(error: unknown, ending: unknown): string {
  if (!(error instanceof PushFailed)) return messageOf(error);
  return `${TOO_LATE[String(ending)] ?? 'a limit is reached'} before its work could be pushed: ${error.why}`;
}
