import { type BackgroundRequest, type Begun, beginInBackground } from '../../../app/begin-in-background.js';
import { placeFlag } from '../../../app/run-folder.js';
import { shownPath } from '../../../app/shown-path.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { shortId } from '../../../words/short-id.js';
import { jsonText } from '../../text/json-text.js';
import { labelledRows } from '../../text/labelled-rows.js';
import type { CommandContext } from '../command-context.js';

export interface DetachRequest extends BackgroundRequest {
  readonly cwd?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Does the same in the background, and returns when the run has begun there, or with the reason why it has not. */
export async function detach(request: DetachRequest, context: CommandContext): Promise<ExitCode> {
  const result = await beginInBackground(request, context);
  if (result.kind === 'not-begun') {
    context.terminal.note(result.why);
    return result.exitCode;
  }
  say(request, result, context);
  return EXIT_CODES.goal;
}

function say({ cwd, json }: DetachRequest, { runId, pid, log }: Begun, context: CommandContext): void {
  const { terminal } = context;
  if (json === true) {
    terminal.raw(`${jsonText({ runId, pid, log })}\n`);
    return;
  }
  const [id, place] = [shortId(runId), placeFlag(cwd)];
  terminal.say(terminal.style('bold', `${runId} runs in the background, process ${pid}`));
  const rows = [
    ['watch', { command: `pawl watch ${id}${place}` }],
    ['stop', { command: `pawl stop ${id}${place}` }],
    ['output', shownPath(log, context.cwd)],
  ] as const;
  for (const line of labelledRows(rows, terminal)) terminal.say(line);
}
