import type { StopCondition } from './condition.js';

/** What a command lets the agent know. */
export const MOST_TEXT_BYTES = 8 * 1024;

/** What an operator can ask of a live run, from code, a signal, the command line or the page. */
export type LoopCommand =
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'skip' }
  | { readonly type: 'approve' }
  | { readonly type: 'reject'; readonly text: string }
  | { readonly type: 'stop'; readonly now?: boolean | undefined }
  | { readonly type: 'reboot' }
  | { readonly type: 'steer'; readonly text: string }
  /** Without a question: the only one that is open. */
  | { readonly type: 'answer'; readonly text: string; readonly question?: string | undefined }
  | { readonly type: 'extend'; readonly limit: StopCondition };

/** So much of what operators say fits into one prompt. What does not fit is refused: nothing is cut. */
export const MOST_STEER_CHARACTERS = 8 * 1024;

/** A command as people type it. */
export function wordOf({ type }: LoopCommand): string {
  return type === 'resume' ? 'unpause' : type;
}
