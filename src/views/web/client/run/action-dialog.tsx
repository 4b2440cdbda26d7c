import type { LoopCommand } from '../../../../model/loop-command.js';
import type { RunState } from '../../../../model/run-state.js';
import { ExtendForm } from './extend-form.js';
import { TextForm } from './text-form.js';
import { Modal } from '../parts/modal.js';
import { FormProblem, type FormStanding } from './form-problem.js';

export type Asking = 'steer' | 'reject' | 'extend' | 'stop-now';

interface ActionDialogProps {
  readonly asking: Asking;
  readonly state: RunState;
  /** The types of the conditions as they stood when the page was opened. */
  readonly limitOrder: readonly string[];
  readonly isSending: boolean;
  /** Why it was not taken. */
  readonly problem: string | undefined;
  readonly onSend: (command: LoopCommand) => void;
  readonly onClose: () => void;
}

/** What has to be known before something is asked of a run. */
export function ActionDialog(props: ActionDialogProps) {
  const { asking, state, limitOrder, isSending, problem, onSend, onClose } = props;
  const form = { isSending, problem, onClose };
  switch (asking) {
    case 'steer':
      return (
        <TextForm
          title="Steer the agent"
          hint="This is added to its next prompt."
          verb="Steer"
          onText={(text) => onSend({ type: 'steer', text })}
          {...form}
        />
      );
    case 'reject':
      return (
        <TextForm
          title="Reject"
          hint="Say why it should not start. The agent gets this text."
          verb="Reject"
          onText={(text) => onSend({ type: 'reject', text })}
          {...form}
        />
      );
    case 'extend':
      return (
        <ExtendForm
          state={state}
          limitOrder={limitOrder}
          onLimit={(limit) => onSend({ type: 'extend', limit })}
          {...form}
        />
      );
    case 'stop-now':
      return <ConfirmStop onStop={() => onSend({ type: 'stop', now: true })} {...form} />;
    default:
      return asking satisfies never;
  }
}

interface ConfirmStopProps extends FormStanding {
  readonly onStop: () => void;
}

/** The only command that throws work away is asked about again. */
function ConfirmStop({ onStop, isSending, problem, onClose }: ConfirmStopProps) {
  return (
    <Modal title="Stop now?" onClose={onClose}>
      <p>The agent and everything that it started are ended at once. Work in progress is not finished or tested.</p>
      <FormProblem problem={problem} />
      <div className="modal-actions">
        <button type="button" onClick={onClose}>
          Let it run
        </button>
        <button type="button" className="danger" disabled={isSending} onClick={onStop}>
          Stop now
        </button>
      </div>
    </Modal>
  );
}
