import { useState } from 'react';
import type { LoopCommand } from '../../../../model/loop-command.js';
import type { ViewedRun } from '../../wire/api.js';
import { sendCommand } from '../live/send-command.js';
import { ActionDialog, type Asking } from './action-dialog.js';
import { type Action, possibleActions } from './possible-actions.js';

const LABELS: Readonly<Record<Action, string>> = {
  approve: 'Approve',
  reject: 'Reject…',
  pause: 'Pause',
  unpause: 'Unpause',
  stop: 'Stop',
  'stop-now': 'Stop now…',
  skip: 'Skip',
  reboot: 'Reboot',
  steer: 'Steer…',
  extend: 'Extend…',
};

const TITLES: Readonly<Record<Action, string>> = {
  approve: 'Lets the next iteration begin',
  reject: 'Sends it back with a reason',
  pause: 'Pauses after what is under way',
  unpause: 'Goes on',
  stop: 'Stops after what is under way',
  'stop-now': 'Ends the agent and everything that it started',
  skip: 'Ends this iteration and goes on with the next',
  reboot: 'Begins a fresh session with the next iteration',
  steer: 'Tells the agent something with the next prompt',
  extend: 'Sets a new limit',
};

/** Those that need nothing more than to be pressed. */
const AT_ONCE: Readonly<Partial<Record<Action, LoopCommand>>> = {
  approve: { type: 'approve' },
  pause: { type: 'pause' },
  unpause: { type: 'resume' },
  stop: { type: 'stop' },
  skip: { type: 'skip' },
  reboot: { type: 'reboot' },
};

/** What can be asked of a run. */
export function ActionBar({ viewed }: { readonly viewed: ViewedRun }) {
  const [asking, setAsking] = useState<Asking>();
  const [isSending, setSending] = useState(false);
  const send = async (command: LoopCommand) => {
    setAsking(undefined);
    setSending(true);
    await sendCommand(viewed.runId, command);
    setSending(false);
  };
  const press = (action: Action) => {
    const command = AT_ONCE[action];
    if (command !== undefined) void send(command);
    else setAsking(action as Asking);
  };
  return (
    <div className="actions" role="group" aria-label="Actions">
      {possibleActions(viewed).map(([action, isPossible]) => (
        <button
          key={action}
          type="button"
          className={`action-${action}`}
          title={TITLES[action]}
          disabled={!isPossible || isSending}
          onClick={() => press(action)}
        >
          {LABELS[action]}
        </button>
      ))}
      {asking === undefined ? null : (
        <ActionDialog
          asking={asking}
          state={viewed.view.state}
          onSend={(command) => void send(command)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </div>
  );
}
