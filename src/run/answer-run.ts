import { locateRun } from '../journal/list-runs.js';
import { openFileJournal } from '../journal/open-file-journal.js';
import type { Environment } from '../journal/run-places.js';
import { InvalidState } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { loopStateOf } from '../model/phase.js';
import { meantBy } from '../model/questions.js';
import { whyNotAnswered, whyNotInPrompt } from './command-legality.js';

export type Answer = Extract<LoopCommand, { readonly type: 'answer' }>;

export interface AnswerOptions {
  readonly workingDir: string;
  readonly runId: string;
  readonly answer: Answer;
  /** Who answers, for the record. */
  readonly by: string;
  readonly environment: Environment;
}

/**
 * Records the answer to a question of a run that no process has now: it has ended, or its process is gone. A resume then
 * continues with it. Throws InvalidState when there is no such question, LockedError while a run is at work in the tree.
 */
export async function answerStoppedRun(options: AnswerOptions): Promise<Answer & { readonly status: string }> {
  const { runId, answer, by, environment } = options;
  const { workingDir } = locateRun(options.workingDir, runId, environment);
  const journal = openFileJournal({ workingDir, runId, environment });
  try {
    const { state } = journal;
    const status = loopStateOf(state);
    const why =
      status === 'completed'
        ? 'cannot answer: the run is done, and is not resumed'
        : (whyNotAnswered(answer, state) ?? whyNotInPrompt(answer.text, state));
    if (why !== undefined) throw new InvalidState(status, 'answer', why);
    const command = { ...answer, ...meantBy(answer, state) } as Answer;
    journal.append({ type: 'command-received', command, by }, state.activeMs);
    return { ...command, status };
  } finally {
    await journal.close();
  }
}
