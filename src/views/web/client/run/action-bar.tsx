import { useRef } from 'react';
import type { LoopCommand } from '../../../../model/loop-command.js';
import { policyEntries } from '../../../../model/policy.js';
import type { ViewedRun } from '../../wire/api.js';
import { ActionDialog, type Asking } from './action-dialog.js';
import { type Action, possibleActions } from './possible-actions.js';
import { useCommands } from './use-commands.js';

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
  approve: 'Lets the next iteration start',
  reject: 'Sends it back with a reason',
  pause: 'Pauses after the work in progress',
  unpause: 'Continues',
  stop: 'Stops after the work in progress',
  'stop-now': 'Ends the agent and everything it started',
  skip: 'Ends this iteration and starts the next',
  reboot: 'Starts a new session with the next iteration',
  steer: 'Adds a message to the next prompt',
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
  const { state } = viewed.view;
  const { asking, isSending, problem, ask, send } = useCommands(viewed.runId, state);
  const limitOrder = useRef<readonly string[]>(undefined);
  limitOrder.current ??= policyEntries(state.policy).map(({ condition }) => condition.type);
  const actions = possibleActions(viewed);
  const press = (action: Action) => {
    const command = AT_ONCE[action];
    if (command !== undefined) void send(command);
    else ask(action as Asking);
  };
  return (
    <>
      {actions.length === 0 ? null : (
        <div className="actions" role="group" aria-label="Actions">
          {actions.map(([action, isPossible]) => (
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
        </div>
      )}
      {asking === undefined ? null : (
        <ActionDialog
          asking={asking}
          state={state}
          limitOrder={limitOrder.current}
          isSending={isSending}
          problem={problem}
          onSend={(command) => void send(command)}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
