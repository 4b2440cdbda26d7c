import type { LoopCommand } from '../../../../model/loop-command.js';
import type { RunState } from '../../../../model/run-state.js';
import { ConfirmStop } from './confirm-stop.js';
import { ExtendForm } from './extend-form.js';
import { TextForm } from './text-form.js';

export type Asking = 'steer' | 'reject' | 'extend' | 'stop-now';

interface ActionDialogProps {
  readonly asking: Asking;
  readonly state: RunState;
  readonly onSend: (command: LoopCommand) => void;
  readonly onClose: () => void;
}

/** What has to be known before something is asked of a run. */
export function ActionDialog({ asking, state, onSend, onClose }: ActionDialogProps) {
  switch (asking) {
    case 'steer':
      return (
        <TextForm
          title="Steer the agent"
          hint="It is told this with its next prompt."
          verb="Steer"
          onText={(text) => onSend({ type: 'steer', text })}
          onClose={onClose}
        />
      );
    case 'reject':
      return (
        <TextForm
          title="Reject"
          hint="Why it does not begin: the agent is told this."
          verb="Reject"
          onText={(text) => onSend({ type: 'reject', text })}
          onClose={onClose}
        />
      );
    case 'extend':
      return (
        <ExtendForm policy={state.policy} onLimit={(limit) => onSend({ type: 'extend', limit })} onClose={onClose} />
      );
    case 'stop-now':
      return <ConfirmStop onStop={() => onSend({ type: 'stop', now: true })} onClose={onClose} />;
    default:
      return asking satisfies never;
  }
}
