import { useEffect, useRef, useState } from 'react';
import type { LoopCommand } from '../../../../model/loop-command.js';
import { loopStateOf, openIteration } from '../../../../model/phase.js';
import type { RunState } from '../../../../model/run-state.js';
import { sendCommand } from '../live/send-command.js';
import { letGo, say } from '../live/toasts.js';
import type { Asking } from './action-dialog.js';

export interface Commands {
  /** The dialog that is open. */
  readonly asking: Asking | undefined;
  readonly isSending: boolean;
  /** Why what the dialog has sent was not taken. */
  readonly problem: string | undefined;
  readonly ask: (asking: Asking | undefined) => void;
  readonly send: (command: LoopCommand) => Promise<void>;
}

/** What is asked of a run. A dialog stays open, with all that was typed, until what it sends is taken. */
export function useCommands(runId: string, state: RunState): Commands {
  const [asking, setAsking] = useState<Asking>();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const opened = useRef<Asking>(undefined);
  const ask = (next: Asking | undefined) => {
    opened.current = next;
    setAsking(next);
    setProblem(undefined);
  };
  const send = async (command: LoopCommand) => {
    setSending(true);
    const refused = await sendCommand(runId, command);
    setSending(false);
    if (refused === undefined) ask(undefined);
    else if (opened.current === undefined) say(refused, { isProblem: true });
    else setProblem(refused);
  };
  const { policy, requests } = state;
  useEffect(letGo, [loopStateOf(state), openIteration(state)?.iteration, requests, policy]);
  return { asking, isSending, problem, ask, send };
}
