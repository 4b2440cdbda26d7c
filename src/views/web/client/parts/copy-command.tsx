import { say } from '../live/toasts.js';

/** A command to be run in a terminal. */
export function CopyCommand({ command }: { readonly command: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      say('copied');
    } catch {
      say('the browser blocked copying: select the command', { isProblem: true });
    }
  };
  return (
    <div className="command">
      <code>{command}</code>
      <button type="button" className="quiet" onClick={() => void copy()} aria-label={`Copy the command ${command}`}>
        copy
      </button>
    </div>
  );
}
