import { listRunIds } from '../../../journal/list-runs.js';
import { importedFolder } from '../../../journal/run-places.js';
import { ConfigError } from '../../../model/errors.js';
import { parseCommand } from '../../../run/control-request.js';
import { runFolderOf } from '../../../app/run-folder.js';
import { shellWord } from '../../../words/printable.js';
import type { CommandContext } from '../command-context.js';

/** Long enough that no one says it by chance. */
const ID_CHARACTERS = 6;

/** One word is the text for the live run, two are a run and the text for it. Throws ConfigError. */
export function runAndText(
  type: 'reject' | 'steer' | 'answer',
  words: readonly string[],
  cwd: string | undefined,
  context: CommandContext,
): { readonly run?: string | undefined; readonly text: string } {
  const [first = '', second] = words;
  if (words.length > 2) throw unquoted(type, words, cwd, context);
  // A text that was quoted comes after a run that there is not: that is said by who looks for it.
  if (second !== undefined && !/\s/.test(second) && !beginsRun(first, cwd, context))
    throw unquoted(type, words, cwd, context);
  const text = second ?? first;
  const unedited = placeholderText(text);
  if (unedited !== undefined) throw refused(unedited);
  parseCommand({ type, text });
  if (second !== undefined) return { run: first, text };
  if (withoutPrefix(text).length >= ID_CHARACTERS && beginsRun(text, cwd, context)) {
    throw refused(`${text} is a run; the text to ${type} it with is missing`);
  }
  return { text };
}

/** What a printed command has in place of the words of the user. */
const PLACEHOLDER = /^\s*[<‹](?:your answer|what to do differently|what is wrong)[>›]\s*$/;

export function placeholderText(text: string): string | undefined {
  return PLACEHOLDER.test(text) ? `replace ${JSON.stringify(text)} with your own words` : undefined;
}

/** Anyone who leaves out the quotes gets back what was meant. */
function unquoted(
  type: string,
  words: readonly string[],
  cwd: string | undefined,
  context: CommandContext,
): ConfigError {
  const [first = '', ...rest] = words;
  const isRun = beginsRun(first, cwd, context);
  const meant = isRun ? [first, rest.join(' ')] : [words.join(' ')];
  const quoted = `put the text in quotes, as in pawl ${type} ${meant.map(shellWord).join(' ')}`;
  return refused(isRun ? quoted : `there is no run ${JSON.stringify(first)}; ${quoted}`);
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}

function beginsRun(word: string, cwd: string | undefined, context: CommandContext): boolean {
  const wanted = withoutPrefix(word);
  if (wanted === '') return false;
  const { environment } = context;
  const folders = [runFolderOf(cwd, context).workingDir, importedFolder(environment)].filter(
    (one) => one !== undefined,
  );
  return folders
    .flatMap((folder) => listRunIds(folder, environment))
    .some((runId) => withoutPrefix(runId).startsWith(wanted));
}

function withoutPrefix(word: string): string {
  return word.toLowerCase().replace(/^(?:loop|pipe|agent|imported)_/, '');
}
