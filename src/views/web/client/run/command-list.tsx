import { Fragment } from 'react';
import { preconditionOf, restoreMeaning } from '../../../../stop/precondition.js';
import type { ViewedRun } from '../../wire/api.js';
import { CopyCommand } from '../parts/copy-command.js';
import { commandsToCopy } from './commands-to-copy.js';

/** Runs are started and resumed in a terminal, where what they may do is seen. */
export function CommandList({ viewed }: { readonly viewed: ViewedRun }) {
  const before = preconditionOf(viewed.view.state);
  return (
    <>
      {before === undefined ? null : <p className="note">{`First ${before}.`}</p>}
      <div className="commands">
        {commandsToCopy(viewed).map((command) => (
          <Fragment key={command}>
            <CopyCommand command={command} />
            {restoreMeaning(command) === undefined ? null : (
              <span className="note">{`(${restoreMeaning(command)})`}</span>
            )}
          </Fragment>
        ))}
      </div>
    </>
  );
}
