import { outcomeNow } from '../../model/outcome.js';
import { z } from 'zod';
import { knownProjects, type Environment } from '../../journal/run-places.js';
import { listRuns, locateRun, whyRunsUnreadable } from '../../journal/list-runs.js';
import { count, plural } from '../../model/figures.js';
import { explainedJson, explainRun } from '../../app/explain-run.js';
import { type ListedRecord, listedJson, readListed, whyListed } from '../../app/listed-record.js';
import { readRecord } from '../../app/read-record.js';
import { statusJson } from '../../app/status-json.js';
import { explainedLines } from '../text/explained-lines.js';
import { statusLines } from '../text/status-lines.js';
import { doneText } from '../../words/attempt-text.js';
import { oneLine } from '../../words/printable.js';
import { costText } from '../../words/spend-text.js';
import { keptTerminal } from './kept-terminal.js';
import { PROJECT, RUN, workingDirOf } from './run-reference.js';
import { defineTool, type McpSetting, type Registration, type ToolAnswer } from './tool.js';
import type { TextContext } from '../text/text-context.js';

const DEFAULT_RUNS = 20;
const MOST_RUNS = 200;
/** Of the items of a pipeline. */
const MOST_ITEMS = 20;
const MOST_ITERATION = 999_999_999;

const READS = { readOnlyHint: true, openWorldHint: false } as const;

const LIST = z.strictObject({
  all: z.boolean().optional().describe('Include the runs of every folder, not only this one'),
  limit: z
    .int()
    .min(1)
    .max(MOST_RUNS)
    .optional()
    .describe(`At most this many runs, newest first (default: ${DEFAULT_RUNS})`),
});

const STATUS = z.strictObject({ run: RUN.optional(), project: PROJECT });

const EXPLAIN = z.strictObject({
  run: RUN.optional(),
  project: PROJECT,
  iteration: z
    .int()
    .min(0)
    .max(MOST_ITERATION)
    .optional()
    .describe('Explain the state after this iteration instead of the last one; 0: before the first'),
});

/** The tools that look at runs and change nothing. */
export function inspectionTools({ cwd }: McpSetting, context: TextContext): readonly Registration[] {
  return [
    defineTool({
      name: 'list_runs',
      title: 'List runs',
      description:
        'Lists the runs of Pawl (agents in a loop) with state, iterations done, cost in US dollars and why each ended, newest first.',
      input: LIST,
      annotations: READS,
      call: ({ all = false, limit = DEFAULT_RUNS }) => list(cwd, all, limit, context),
    }),
    defineTool({
      name: 'run_status',
      title: 'Status of a run',
      description:
        'Shows where a run is now, or how it ended: current iteration, tests, spend, what the agent reported, how close each stop condition is. Without `run` the latest one.',
      input: STATUS,
      annotations: READS,
      call: ({ run, project }) => status(workingDirOf(cwd, project, context), run, context),
    }),
    defineTool({
      name: 'explain_run',
      title: 'Explain a run',
      description:
        'Explains why a run stopped, or why it continues: every stop condition with its figures, how close it came and what it would have taken. Without `run` the latest one.',
      input: EXPLAIN,
      annotations: READS,
      call: ({ run, project, iteration }) => explain(workingDirOf(cwd, project, context), run, iteration, context),
    }),
  ];
}

async function list(cwd: string, all: boolean, limit: number, context: TextContext): Promise<ToolAnswer> {
  const here = workingDirOf(cwd, undefined, context);
  const folders = all ? [...new Set([here, ...knownProjects(context.environment)])] : [here];
  const found = folders.flatMap((folder) => listedIn(folder, context.environment).map((run) => ({ folder, run })));
  // Ids begin with the time.
  const sorted = found.toSorted((a, b) => (timeOf(a.run.runId) < timeOf(b.run.runId) ? 1 : -1)).slice(0, limit);
  const rows = await Promise.all(sorted.map(async ({ folder, run }) => ({ folder, record: await readListed(run) })));
  const lines = rows.map(
    ({ folder, record }) => `${lineOf(record, context.now())}${all ? ` in ${oneLine(folder, 200)}` : ''}`,
  );
  const rest = found.length - rows.length;
  if (rest > 0) lines.push(`${plural(rest, 'older run')} left out`);
  const problems = folders.flatMap((folder) => whyRunsUnreadable(folder) ?? []);
  lines.push(...problems.map((problem) => oneLine(problem, 400)));
  const runs = rows.map(({ folder, record }) => ({ ...listedJson(record, context.environment), project: folder }));
  return {
    text: lines.join('\n') || 'There are no runs yet.',
    data: { runs, total: found.length, ...(problems.length === 0 ? {} : { problems }) },
  };
}

/** A folder that cannot be read now hides no other. */
function listedIn(folder: string, environment: Environment): ReturnType<typeof listRuns> {
  try {
    return listRuns(folder, environment);
  } catch {
    return [];
  }
}

function timeOf(runId: string): string {
  return runId.slice(runId.indexOf('_') + 1);
}

function lineOf(record: ListedRecord, nowMs: number): string {
  const { run, state, isLive } = record;
  const { pipeline, iterations } = state;
  const cost = costText(state);
  const parts = [
    outcomeNow(state, isLive).word,
    pipeline === undefined
      ? `${count(iterations)} ${iterations === 1 ? 'iteration' : 'iterations'}`
      : doneText(pipeline),
    cost === 'unknown' ? 'cost unknown' : cost,
  ];
  const why = oneLine(whyListed(record, nowMs), 200);
  return `${run.runId} ${parts.filter((part) => part !== '').join(', ')}${why === '' ? '' : `: ${why}`}`;
}

async function status(workingDir: string, reference: string | undefined, context: TextContext): Promise<ToolAnswer> {
  const run = locateRun(workingDir, reference, context.environment);
  const record = await readRecord(run);
  const { verdict: _verdict, ...data } = statusJson(run, record, context);
  const lines = statusLines(run, record, { ...context, terminal: keptTerminal() });
  const { inFlight, waitingItems, failures } = data;
  const bounded = {
    inFlight: inFlight?.slice(0, MOST_ITEMS),
    waitingItems: waitingItems?.slice(0, MOST_ITEMS),
    failures: failures?.slice(-MOST_ITEMS),
  };
  return { text: lines.join('\n'), data: { ...data, ...bounded } };
}

async function explain(
  workingDir: string,
  reference: string | undefined,
  iteration: number | undefined,
  context: TextContext,
): Promise<ToolAnswer> {
  const explained = await explainRun(locateRun(workingDir, reference, context.environment), context.now(), iteration);
  const lines = explainedLines(explained, { ...context, terminal: keptTerminal() });
  return { text: lines.join('\n'), data: explainedJson(explained) };
}
