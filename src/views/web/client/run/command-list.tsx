import { Fragment } from 'react';
import { nextStepsOf, preconditionOf } from '../../../../stop/run-summary.js';
import type { ViewedRun } from '../../wire/api.js';
import { CopyCommand } from '../parts/copy-command.js';
import { shownText } from '../text/shown-text.js';
import { hasEnded } from '../../../../model/phase.js';
import { shellWord } from '../../../../words/printable.js';
import { nextCommands, nextSteps } from '../../../../words/next-steps.js';

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

/** What can be done in a terminal about a run that no process runs: the same as the terminal shows. */
export function commandsToCopy({ runId, view, workingDir }: ViewedRun): readonly string[] {
  const { state } = view;
  const place = ` --cwd ${shellWord(workingDir)}`;
  if (isOfFleet(workingDir)) return [`pawl show ${runId}${place}`];
  // The page may be open anywhere: no command relies on a directory.
  const nowhere = { cwd: '', now: Date.now };
  return hasEnded(state)
    ? nextSteps(runId, state, nowhere, place)
    : nextCommands(runId, state, false, Date.now(), place);
}

/** The record is a copy: only the fleet continues it. */
function isOfFleet(workingDir: string): boolean {
  return /\/pawl\/fleet-records\/[0-9a-f]{16}$/.test(workingDir);
}
