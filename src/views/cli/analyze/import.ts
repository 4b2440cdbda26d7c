import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findRecordings, ownFolders } from '../../../import/find-recordings.js';
import { type ImportedRun, importRecordings, type ImportResult } from '../../../import/import-recordings.js';
import { readLabels } from '../../../import/labels.js';
import type { Label } from '../../../import/record-session.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { count, plural, usd } from '../../../model/figures.js';
import { addSpend, NOTHING_SPENT, type Spend } from '../../../model/usage.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { shownPath } from '../../../app/shown-path.js';
import type { CommandContext } from '../command-context.js';
import type { Terminal } from '../../text/terminal.js';

export interface ImportCommandOptions {
  readonly labels?: string;
  readonly as?: 'calls' | 'runs';
  readonly json?: boolean;
}

const MOST_SHOWN = 10;

/** Makes records of sessions that other tools have recorded. */
export async function importCommand(
  sources: readonly string[],
  { labels: labelsFile, as = 'calls', json }: ImportCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, cwd, environment } = context;
  const labels = labelsFile === undefined ? undefined : labelsIn(resolve(cwd, labelsFile), labelsFile);
  const places = sources.length > 0 ? sources : ownFolders(environment);
  if (places.length === 0) {
    throw new ConfigError([
      {
        path: '',
        message: 'found no sessions of Claude Code or Codex to import: name files or folders, as in pawl import DIR',
      },
    ]);
  }
  const files = findRecordings(places, cwd);
  const result = await importRecordings(files, {
    environment,
    as,
    labels,
    onProgress: progress(files.length, terminal),
  });
  if (json === true) terminal.raw(`${jsonText(resultJson(result), 2)}\n`);
  else print(result, context);
  return result.refused.length > 0 ? EXIT_CODES.error : EXIT_CODES.goal;
}

function labelsIn(path: string, shown: string): ReadonlyMap<string, Label> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([{ path: '', place: '--labels', message: messageOf(error) }]);
  }
  return readLabels(text, shown);
}

/** A long import shows that it continues. */
function progress(total: number, terminal: Terminal): (done: number) => void {
  return (done) => {
    if (terminal.isScreen && done % 100 === 0 && done < total) terminal.note(`${count(done)} of ${count(total)} files`);
  };
}

function print(
  { imported, unchanged, empty, ignored, refused }: ImportResult,
  { terminal, cwd }: CommandContext,
): void {
  for (const { path, problem } of refused.slice(0, MOST_SHOWN)) {
    terminal.note(`pawl: ${printable(shownPath(path, cwd))}: ${printable(systemErrorWords(problem))}`);
  }
  if (refused.length > MOST_SHOWN)
    terminal.note(`pawl: and ${count(refused.length - MOST_SHOWN)} more files that cannot be imported`);
  const calls = imported.reduce((sum, run) => sum + run.calls, 0);
  const what =
    imported.length === 0 ? '' : ` (${sourcesText(imported)}; ${plural(calls, 'model call')}, ${costOf(imported)})`;
  terminal.say(`Imported ${plural(imported.length, 'run')}${what}.`);
  if (unchanged > 0) terminal.say(`${plural(unchanged, 'run')} had been imported before and did not change.`);
  if (empty.length > 0) terminal.say(`${plural(empty.length, 'file')} without a model call left out.`);
  if (ignored > 0) terminal.say(`${plural(ignored, 'file')} that no known tool has recorded left out.`);
  if (imported.length + unchanged > 0) terminal.say(terminal.style('dim', 'inspect them: pawl list --imported'));
}

function sourcesText(imported: readonly ImportedRun[]): string {
  const counts = new Map<string, number>();
  for (const { source } of imported) counts.set(source, (counts.get(source) ?? 0) + 1);
  return [...counts].map(([source, runs]) => `${count(runs)} of ${source}`).join(', ');
}

/** What is known of it; some tools do not record what a call cost. */
function costOf(imported: readonly ImportedRun[]): string {
  const known = imported.filter(({ spend }) => spend.costUsd !== undefined);
  const { costUsd = 0 } = known.reduce<Spend>((sum, run) => addSpend(sum, run.spend), NOTHING_SPENT);
  const unknown = imported.length - known.length;
  if (known.length === 0) return 'cost unknown';
  return unknown === 0 ? usd(costUsd) : `${usd(costUsd)}, and the cost of ${plural(unknown, 'run')} is unknown`;
}

function resultJson({ imported, unchanged, empty, ignored, refused }: ImportResult) {
  const runs = imported.map(({ spend, ...run }) => ({ ...run, costUsd: spend.costUsd, tokens: spend.totalTokens }));
  return { imported: runs, unchanged, empty, ignored, refused };
}
