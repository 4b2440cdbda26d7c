import { Modal } from './modal.js';

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['j', '↓'], 'the next run, or the next iteration'],
  [['k', '↑'], 'the one before'],
  [['Enter'], 'opens it'],
  [['/'], 'jumps to the filter'],
  [['Esc'], 'closes what is open, then goes back to the list'],
  [['?'], 'shows the keys'],
];

/** What each key does. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div className="modal-actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}
