import { Fragment } from 'react';
import { nextStepsOf } from '../../../../stop/next-step.js';
import { preconditionOf } from '../../../../stop/precondition.js';
import type { ViewedRun } from '../../wire/api.js';
import { CopyCommand } from '../parts/copy-command.js';
import { shownText } from '../text/shown-text.js';
import { commandsToCopy } from './commands-to-copy.js';

/** Runs are started and resumed in a terminal, where what they may do is seen. */
export function CommandList({ viewed }: { readonly viewed: ViewedRun }) {
  const { state } = viewed.view;
  const before = preconditionOf(state);
  return (
    <>
      {before === undefined ? null : <p className="note">{shownText(`First ${before}.`)}</p>}
      <div className="commands">
        {nextStepsOf(commandsToCopy(viewed), state).map(({ command, label, about }) => (
          <Fragment key={command}>
            <span className="step">{label === undefined ? '' : `${label}:`}</span>
            <div>
              <CopyCommand command={command} />
              {about === undefined ? null : <span className="note">{`(${about})`}</span>}
            </div>
          </Fragment>
        ))}
      </div>
    </>
  );
}
