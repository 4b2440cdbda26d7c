import { Modal } from '../parts/modal.js';

interface ConfirmStopProps {
  readonly onStop: () => void;
  readonly onClose: () => void;
}

/** The only command that throws work away is asked about once more. */
export function ConfirmStop({ onStop, onClose }: ConfirmStopProps) {
  return (
    <Modal title="Stop now?" onClose={onClose}>
      <p>
        The agent and everything that it started are ended at once. What is under way is not finished, and not tested.
      </p>
      <div className="modal-actions">
        <button type="button" onClick={onClose}>
          Let it run
        </button>
        <button type="button" className="danger" onClick={onStop}>
          Stop now
        </button>
      </div>
    </Modal>
  );
}
