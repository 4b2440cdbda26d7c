import type { LoopCommand } from '../../model/loop-command.js';
import { canResume } from '../../model/loop-state.js';
import { loopStateOf, waitingOf } from '../../model/phase.js';
import { shownQuestions } from '../../model/questions.js';
import type { RunState } from '../../model/run-state.js';
import { isForPerson } from '../../model/wait-policy.js';
import type { Key } from './keyboard.js';
import { type EditedLine, EMPTY_LINE, editLine } from './line-editor.js';

/** What the keys mean at the moment. */
export type Mode =
  | { readonly kind: 'watching' }
  | { readonly kind: 'help' }
  | { readonly kind: 'typing'; readonly what: 'steer' | 'reject' | 'answer'; readonly line: EditedLine };

export interface Pressed {
  readonly mode: Mode;
  readonly command?: LoopCommand | undefined;
  readonly leaves?: boolean | undefined;
}

export const WATCHING: Mode = { kind: 'watching' };

/** What is asked of one agent has no meaning for many side by side. */
export const NOT_IN_PIPELINES: ReadonlySet<string> = new Set(['k', 'r', 't', 'a', 'x']);

/** What a key does. */
export function press(mode: Mode, key: Key, state: RunState, mayLeave: boolean): Pressed {
  if (mode.kind === 'typing') return typed(mode, key);
  if (mode.kind === 'help') return { mode: WATCHING };
  if (state.pipeline !== undefined && NOT_IN_PIPELINES.has(key.text ?? '')) return { mode };
  const isAsked = waitingOf(state)?.for === 'approval';
  switch (key.text) {
    case 'p':
      return { mode, command: { type: continuesAfter(state) ? 'resume' : 'pause' } };
    case 's':
      return { mode, command: { type: 'stop' } };
    case 'S':
      return { mode, command: { type: 'stop', now: true } };
    case 'k':
      return { mode, command: { type: 'skip' } };
    case 'r':
      return { mode, command: { type: 'reboot' } };
    case 't':
      return { mode: { kind: 'typing', what: 'steer', line: EMPTY_LINE } };
    case 'a':
      if (shownQuestions(state).length > 0) return { mode: { kind: 'typing', what: 'answer', line: EMPTY_LINE } };
      return isAsked ? { mode, command: { type: 'approve' } } : { mode };
    case 'x':
      return { mode: isAsked ? { kind: 'typing', what: 'reject', line: EMPTY_LINE } : mode };
    case '?':
      return { mode: { kind: 'help' } };
    case 'q':
      return { mode, leaves: mayLeave };
    default:
      return { mode };
  }
}

/** Whether there is something to continue from: a pause, also one to come, or a wait that no person has to end. */
function continuesAfter(state: RunState): boolean {
  const waiting = waitingOf(state);
  const isAsked = waiting !== undefined && isForPerson(waiting.for);
  return state.requests.pause !== undefined || (canResume(loopStateOf(state)) && !isAsked);
}

function typed(mode: Extract<Mode, { kind: 'typing' }>, key: Key): Pressed {
  if (key.name === 'escape') return { mode: WATCHING };
  if (key.name !== 'enter') return { mode: { ...mode, line: editLine(mode.line, key) } };
  const text = `${mode.line.before}${mode.line.behind}`.trim();
  return text === '' ? { mode: WATCHING } : { mode: WATCHING, command: { type: mode.what, text } };
}
