import type { ViewedRun } from '../../wire/api.js';
import { CopyCommand } from '../parts/copy-command.js';
import { commandsToCopy } from './commands-to-copy.js';

/** Runs are started and resumed in a terminal, where what they may do is seen. */
export function CommandList({ viewed }: { readonly viewed: ViewedRun }) {
  return (
    <div className="commands">
      {commandsToCopy(viewed).map((command) => (
        <CopyCommand key={command} command={command} />
      ))}
    </div>
  );
}
