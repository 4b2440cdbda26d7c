import { messageOf, WorkingDirGone } from '../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import type { LoopState } from '../model/loop-state.js';
import { endOf, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { StopClass } from '../model/stop-class.js';
import type { StopReason } from '../model/verdict.js';

/** How a run, or this stretch of it, ended. */
export interface RunResult {
  readonly runId: string;
  readonly status: LoopState;
  readonly class?: StopClass | undefined;
  /** Every reason, the deciding one first. */
  readonly reasons: readonly StopReason[];
  readonly exitCode: ExitCode;
  /** Why the run itself broke. */
  readonly error?: string | undefined;
  readonly state: RunState;
}

export function resultOf(runId: string, state: RunState, error: string | undefined): RunResult {
  const end = endOf(state);
  const broken = error ?? end?.error;
  const stopClass = end?.class;
  return {
    runId,
    status: broken === undefined ? loopStateOf(state) : 'error',
    class: stopClass,
    reasons: end?.reasons ?? [],
    exitCode: broken === undefined && stopClass !== undefined ? EXIT_CODES[stopClass] : EXIT_CODES.error,
    ...(broken === undefined ? {} : { error: broken }),
    state,
  };
}

/** Tells whoever can still be told why a run broke, and the record, as far as that can be done. */
export async function failWith(
  live: { readonly fail: (message: string) => void | Promise<void> },
  error: unknown,
): Promise<string> {
  const message = messageOf(error);
  try {
    await live.fail(message);
    return message;
  } catch (again) {
    // It says what happened to the record.
    if (again instanceof WorkingDirGone) return again.message;
    return `${message}; and this could not be recorded: ${messageOf(again)}`;
  }
}
