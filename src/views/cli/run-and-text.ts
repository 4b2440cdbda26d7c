import { listRuns } from '../../journal/list-runs.js';
import { ConfigError } from '../../model/errors.js';
import { parseCommand } from '../../run/control-request.js';
import { runFolderOf } from './run-folder.js';

/** Long enough that nobody says it by chance. */
const ID_CHARACTERS = 6;

/** One word is the text for the live run, two are a run and the text for it. Throws ConfigError. */
export function runAndText(
  type: 'reject' | 'steer',
  words: readonly string[],
  cwd: string | undefined,
): { readonly run?: string | undefined; readonly text: string } {
  const [first = '', second] = words;
  if (words.length > 2) throw refused(`the text to ${type} a run with is one word: put it in quotes`);
  const text = second ?? first;
  parseCommand({ type, text });
  if (second !== undefined) return { run: first, text };
  if (namesRun(text, cwd)) throw refused(`${text} is a run; the text to ${type} it with is missing`);
  return { text };
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

function namesRun(word: string, cwd: string | undefined): boolean {
  const wanted = word.toLowerCase().replace(/^loop_/, '');
  if (wanted.length < ID_CHARACTERS) return false;
  const runs = listRuns(runFolderOf(cwd).workingDir, process.env);
  return runs.some(({ runId }) =>
    runId
      .toLowerCase()
      .replace(/^loop_/, '')
      .startsWith(wanted),
  );
}
