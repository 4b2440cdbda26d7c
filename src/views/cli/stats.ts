import { knownProjects } from '../../journal/known-projects.js';
import { listRuns, type ListedRun } from '../../journal/list-runs.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { createRunStatistics, type RunStatistics } from '../../replay/run-statistics.js';
import { type Statistics, summariseRuns } from '../../replay/statistics.js';
import { plural } from '../../stop/figures.js';
import { printable } from '../terminal/printable.js';
import { shownPath } from '../terminal/shown-path.js';
import { statisticsLines } from '../terminal/statistics-lines.js';
import { readRecord } from './read-record.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

export interface StatsOptions {
  readonly allProjects?: boolean;
  readonly cwd?: string;
  readonly json?: boolean;
}

interface Project {
  readonly path: string;
  readonly runs: readonly ListedRun[];
}

/** What the runs of a project, or of all projects of the user, took and what came of it. */
export async function statsCommand({ allProjects, cwd, json }: StatsOptions, terminal: Terminal): Promise<ExitCode> {
  const projects = projectsOf(allProjects === true, cwd);
  const found: { readonly path: string; readonly runs: readonly RunStatistics[] }[] = [];
  for (const { path, runs } of projects) {
    // oxlint-disable-next-line no-await-in-loop -- one record at a time is in memory
    found.push({ path, runs: await statisticsOf(runs, terminal) });
  }
  const total = summariseRuns(found.flatMap(({ runs }) => runs));
  if (json === true) {
    const byProject = found.map(({ path, runs }) => ({ project: path, ...summariseRuns(runs) }));
    terminal.raw(`${JSON.stringify({ ...total, projects: byProject }, null, 2)}\n`);
    return EXIT_CODES.goal;
  }
  print(total, projects, allProjects === true, terminal);
  return EXIT_CODES.goal;
}

function print(total: Statistics, projects: readonly Project[], isAll: boolean, terminal: Terminal): void {
  const [only] = projects;
  const where = isAll ? plural(projects.length, 'project') : shownPath(only?.path ?? '.');
  if (total.runs === 0) terminal.say(`No runs in ${printable(where)} yet; pawl run starts one.`);
  else for (const line of statisticsLines(total, where, terminal)) terminal.say(line);
}

function projectsOf(isAll: boolean, cwd: string | undefined): readonly Project[] {
  if (!isAll) {
    const { workingDir: path } = runFolderOf(cwd);
    return [{ path, runs: listRuns(path, process.env) }];
  }
  // A worktree is a project of its own to the one and part of its repository to the other.
  const seen = new Set<string>();
  return knownProjects(process.env).flatMap((path) => {
    const runs = listRuns(path, process.env).filter(({ runId }) => !seen.has(runId));
    for (const { runId } of runs) seen.add(runId);
    return runs.length === 0 ? [] : [{ path, runs }];
  });
}

async function statisticsOf(runs: readonly ListedRun[], terminal: Terminal): Promise<readonly RunStatistics[]> {
  const found: RunStatistics[] = [];
  for (const run of runs) {
    const reading = createRunStatistics();
    // oxlint-disable-next-line no-await-in-loop -- one record at a time is in memory
    const { problem } = await readRecord(run, (event) => reading.see(event));
    if (problem !== undefined) terminal.note(`pawl: ${printable(`${run.runId}: ${problem}`)}`);
    found.push({ ...reading.end(), runId: run.runId });
  }
  return found;
}
