import { Modal } from '../parts/modal.js';
import { FormProblem, type FormStanding } from './form-problem.js';

interface ConfirmStopProps extends FormStanding {
  readonly onStop: () => void;
}

/** The only command that throws work away is asked about once more. */
export function ConfirmStop({ onStop, isSending, problem, onClose }: ConfirmStopProps) {
  return (
    <Modal title="Stop now?" onClose={onClose}>
      <p>
        The agent and everything that it started are ended at once. What is under way is not finished, and not tested.
      </p>
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
