import { recordingOf } from '../../../import/import-recordings.js';
import { knownProjects } from '../../../journal/run-places.js';
import { listRuns, type ListedRun } from '../../../journal/list-runs.js';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { createRunStatistics, type RunStatistics } from '../../../replay/run-statistics.js';
import { type Statistics, summariseRuns } from '../../../replay/statistics.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { shownPath } from '../../../app/shown-path.js';
import { statisticsLines } from '../../text/statistics-lines.js';
import { placeOfRuns } from '../../../app/fleet-records.js';
import { readRuns } from '../../../app/recorded-runs.js';
import { folderOfRuns, noRunsText } from '../../../app/run-folder.js';
import type { CommandContext } from '../command-context.js';

export interface StatsOptions {
  readonly allProjects?: boolean;
  /** Those that other tools have run. */
  readonly imported?: boolean;
  readonly cwd?: string;
  readonly json?: boolean;
}

interface Project {
  readonly path: string;
  readonly runs: readonly ListedRun[];
}

/** What the runs of a project, or of all projects of the user, took and what came of it. */
export async function statsCommand(options: StatsOptions, context: CommandContext): Promise<ExitCode> {
  const { allProjects, cwd, imported, json } = options;
  const { terminal } = context;
  if (allProjects === true && (cwd !== undefined || imported === true)) {
    const other = imported === true ? '--imported at the runs of other tools' : '--cwd in one';
    const message = `it looks in every folder, and ${other}: use only one of them`;
    throw new ConfigError([{ path: '', place: '--all-projects', message }]);
  }
  const projects = await projectsOf(options, context);
  const found: { readonly path: string; readonly runs: readonly RunStatistics[] }[] = [];
  for (const project of projects) {
    // oxlint-disable-next-line no-await-in-loop -- one record at a time is in memory
    found.push({ path: project.path, runs: await statisticsOf(project, context) });
  }
  const total = summariseRuns(found.flatMap(({ runs }) => runs));
  if (json === true) {
    const byProject = found.map(({ path, runs }) => ({ project: path, ...summariseRuns(runs) }));
    terminal.raw(`${jsonText({ ...total, projects: byProject }, 2)}\n`);
    return EXIT_CODES.goal;
  }
  print(total, projects, options, context);
  return EXIT_CODES.goal;
}

function print(total: Statistics, projects: readonly Project[], options: StatsOptions, context: CommandContext): void {
  const { terminal } = context;
  const [only] = projects;
  const where =
    options.allProjects === true ? plural(projects.length, 'project') : shownPath(only?.path ?? '.', context.cwd);
  if (total.runs === 0) terminal.say(noRunsText(where, options));
  else for (const line of statisticsLines(total, where, terminal)) terminal.say(line);
}

async function projectsOf(options: StatsOptions, context: CommandContext): Promise<readonly Project[]> {
  if (options.allProjects !== true) {
    const path = await placeOfRuns(folderOfRuns(options, context), context);
    return [{ path, runs: listRuns(path, context.environment) }];
  }
  // A worktree is a project of its own to the one and part of its repository to the other.
  const seen = new Set<string>();
  return knownProjects(context.environment).flatMap((path) => {
    const runs = listRuns(path, context.environment).filter(({ runId }) => !seen.has(runId));
    for (const { runId } of runs) seen.add(runId);
    return runs.length === 0 ? [] : [{ path, runs }];
  });
}

async function statisticsOf({ path, runs }: Project, context: CommandContext): Promise<readonly RunStatistics[]> {
  const { terminal } = context;
  const named = runs.map((run) => ({ name: run.runId, run, isNamed: false }));
  const { found } = await readRuns(named, () => createRunStatistics(), terminal);
  const folders = new Map(runs.map(({ runId, folder }) => [runId, folder]));
  return found.map(({ name, result }) => {
    const recording = recordingOf(folders.get(name) ?? '');
    // Another tool ran it, in a folder of its own.
    const project = recording === undefined ? path : (recording.folder ?? 'unknown');
    return { ...result, runId: name, history: { ...result.history, project } };
  });
}
