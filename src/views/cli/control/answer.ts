import { locateRun } from '../../../journal/list-runs.js';
import { ConfigError, InvalidState } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { quote } from '../../../model/figures.js';
import { type Answer, answerStoppedRun } from '../../../run/resume-run.js';
import { jsonText } from '../../text/json-text.js';
import { oneLine, shellWord } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import type { CommandContext } from '../command-context.js';
import { placeFlag } from '../../../app/run-folder.js';
import { checkNotOfFleet } from '../../../app/fleet-records.js';
import { liveRunOrLatest } from '../../../app/find-live-run.js';
import { isPipelineId } from '../../../app/is-pipeline-id.js';
import { runAndText } from './run-and-text.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { checkNotItsAgent } from '../../../app/steer-run.js';
import { type SteerOptions, steerCommand } from './steer-run.js';

/** Answers a question of the agent. The answer to a run that no process has now is recorded for its resume. */
export async function answerCommand(
  words: readonly string[],
  options: SteerOptions & { readonly question?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { cwd, question } = options;
  const { run: reference, text } = runAndText('answer', words, cwd, context);
  const answer: Answer = { type: 'answer', text, ...(question === undefined ? {} : { question }) };
  const { workingDir } = runFolderOf(cwd, context);
  const isStopped = () => stoppedRun(workingDir, reference, context);
  const stopped = isStopped();
  if (stopped !== undefined) return answerStopped(stopped, answer, options, context);
  try {
    return await steerCommand({ name: 'answer', run: reference, commands: [answer], options }, context);
  } catch (error) {
    // It may have ended meanwhile.
    const ended = isStopped();
    if (ended === undefined) throw error;
    return answerStopped(ended, answer, options, context);
  }
}

/** The run that is meant, if no process has it. One of a fleet is said by who looks for it. */
function stoppedRun(
  workingDir: string,
  reference: string | undefined,
  { environment }: CommandContext,
): string | undefined {
  try {
    const run = liveRunOrLatest(workingDir, reference, environment);
    return run.holder === undefined && !isPipelineId(run.runId) ? run.runId : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

async function answerStopped(
  runId: string,
  answer: Answer,
  options: SteerOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { environment, terminal } = context;
  const { workingDir } = runFolderOf(options.cwd, context);
  checkNotOfFleet(locateRun(workingDir, runId, environment), environment);
  checkNotItsAgent('answer', runId, environment);
  const id = shortId(runId);
  const place = placeFlag(options.cwd);
  try {
    const by = `pawl answer (pid ${process.pid})`;
    const { status, ...command } = await answerStoppedRun({ workingDir, runId, answer, by, environment });
    if (options.json === true) terminal.raw(`${jsonText({ runId, commands: [command], status })}\n`);
    else {
      const said = `${id} has the answer to ${command.question ?? ''}, ${quote(command.text)}`;
      terminal.say(oneLine(`${said}; pawl resume ${id}${place} continues with it`, 400));
    }
    return EXIT_CODES.goal;
  } catch (error) {
    if (!(error instanceof InvalidState)) throw error;
    const resume = `pawl resume ${id} --steer ${shellWord(answer.text)}${place}`;
    const hint = error.message.includes('no question is open')
      ? `; ${oneLine(resume, 200)} resumes it with your words`
      : '';
    throw new ConfigError([{ path: '', message: `${id}: ${error.message}${hint}` }]);
  }
}
