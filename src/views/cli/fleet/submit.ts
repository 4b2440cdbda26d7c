import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reviewPolicy } from '../../../config/review-policy.js';
import { isConnectionLost } from '../../../fleet/connect-postgres.js';
import type { Fleet } from '../../../fleet/open-fleet.js';
import { asksForTicket, forgottenName, type Matrix, readMatrix, type Ticket } from '../../../fleet/read-matrix.js';
import { withoutCredentials } from '../../../workspace/repository-name.js';
import { setSchedule } from '../../../fleet/schedules.js';
import { type Batch, type SubmittedRun, submitRuns } from '../../../fleet/submit-runs.js';
import { keysIn } from '../../../journal/known-keys.js';
import { secretsIn } from '../../../journal/redact.js';
import { ConfigError, formatIssue, type Issue } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { printable, shellWord } from '../../../words/printable.js';
import { shownPath } from '../../../app/shown-path.js';
import { databaseUrl, type FleetOptions, withFleet } from './fleet-connection.js';
import { givenLabels, type LabelOptions } from './fleet-labels.js';
import { type SubmittedConfig, submittedConfig } from './submitted-config.js';
import { submittedFile } from './submitted-file.js';
import { collecting, refuseAll, submittedRuns } from './submitted-runs.js';
import { repositoryOf } from './submitted-place.js';
import { issuesWith } from './submitted-secrets.js';
import type { SubmittedText } from './submitted-text.js';
import type { CommandContext } from '../command-context.js';

export interface SubmitOptions extends FleetOptions, LabelOptions {
  readonly cwd?: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly matrix?: string;
  readonly keyGroup?: string;
  /** What it was called. */
  readonly apiKey?: string;
  readonly every?: string;
  readonly timeZone?: string;
  readonly batch?: string;
  readonly batchCost?: string;
  readonly json?: boolean;
  readonly [flag: string]: unknown;
}

const MOST_RETRIES = 3;
const RETRY_MS = 1000;
const LARGEST_MATRIX_BYTES = 64 * 1024 * 1024;

/** Checks everything here, and puts the runs into the queue: all of them or none. */
export async function submitCommand(
  file: string | undefined,
  options: SubmitOptions,
  command: readonly string[] | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { config, tickets, runs, batch } = checkedSubmission(file, options, command, context);
  databaseUrl(options, context.environment);
  warn(config, tickets, context);
  if (options.every !== undefined) return submitEvery(options.every, runs, options, context);
  return withFleet(options, context, async (database) => {
    await submitSurely(database, runs, batch);
    for (const [index, run] of runs.entries()) {
      if (options.json === true) terminal.raw(`${jsonText(submittedJson(run, batch, tickets?.[index]))}\n`);
      else terminal.say(run.id);
    }
    if (options.json !== true) terminal.note(submittedText(runs.length, batch));
    return EXIT_CODES.goal;
  });
}

/** From now on, at the times of a cron expression. */
async function submitEvery(
  cron: string,
  runs: readonly SubmittedRun[],
  options: SubmitOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { batch, batchCost, timeZone = 'UTC' } = options;
  if (batch === undefined) throw refused('--every', 'needs a --batch: the schedule has its name');
  if (batchCost !== undefined)
    throw refused('--every', 'and --batch-cost cannot be combined: the budget is for one batch, not for each night');
  return withFleet(options, context, async (fleet) => {
    await setSchedule(fleet, { name: batch, cron, timeZone, batch, runs });
    context.terminal.say(`${batch}: ${plural(runs.length, 'run')} at ${cron} (${timeZone})`);
    return EXIT_CODES.goal;
  });
}

/** Runs that are there already stay as they are: when nobody knows what became of it, it is asked again. */
async function submitSurely(fleet: Fleet, runs: readonly SubmittedRun[], batch: Batch | undefined): Promise<void> {
  for (let left = MOST_RETRIES; ; left -= 1) {
    try {
      await submitRuns(fleet, runs, { batch });
      return;
    } catch (error) {
      if (left === 0 || !isConnectionLost(error)) throw error;
      await sleep(RETRY_MS);
    }
  }
}

interface Submission {
  readonly config: SubmittedConfig;
  /** Undefined without a matrix. */
  readonly tickets: readonly Ticket[] | undefined;
  readonly runs: readonly SubmittedRun[];
  readonly batch: Batch | undefined;
}

/** Throws ConfigError with all that is wrong. */
function checkedSubmission(
  file: string | undefined,
  options: SubmitOptions,
  command: readonly string[] | undefined,
  context: CommandContext,
): Submission {
  const cwd = folderOf(options.cwd, context.cwd);
  const { environment } = context;
  const issues: Issue[] = [];
  const config = collecting(issues, () => submittedConfig({ cwd, file, options, command, environment }, context));
  const matrix = options.matrix === undefined ? undefined : matrixIn(options.matrix, cwd, issues, context);
  const tickets = matrix?.tickets;
  const repository = collecting(issues, () => repositoryOf(options.repo)) ?? '';
  const labels = collecting(issues, () => givenLabels(options)) ?? [];
  const keyGroup = collecting(issues, () => keyGroupOf(options));
  const batch = collecting(issues, () => batchOf(options));
  // What is wrong with a config would be told as wrong with each line.
  if (config === undefined) return refuseAll(issues, environment);
  const common = { repository, base: options.branch, labels, keyGroup };
  const secrets = secretsIn(environment);
  const runs = submittedRuns({ config, common, tickets, secrets }, issues);
  const isTold = (place: string) => issues.some((issue) => issue.place === place);
  const given = flagTexts(options).filter(({ place }) => !isTold(place));
  issues.push(...secretsOf(config, given, environment));
  return issues.length > 0 ? refuseAll(issues, environment) : { config, tickets, runs, batch };
}

function folderOf(given: string | undefined, cwd: string): string {
  const folder = resolve(cwd, given ?? '.');
  if (given === undefined || statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw refused('--cwd', `${JSON.stringify(given)} is not a folder`);
}

function matrixIn(path: string, cwd: string, issues: Issue[], context: CommandContext): Matrix {
  const read = collecting(issues, () => {
    if (path === '') throw refused('--matrix', 'which file?');
    const whole = resolve(cwd, path);
    const shown = shownPath(whole, context.cwd);
    const request = { path: whole, shown, role: '--matrix', limitBytes: LARGEST_MATRIX_BYTES };
    return readMatrix(submittedFile(request), shown);
  });
  issues.push(...(read?.issues ?? []));
  return read ?? { tickets: [], issues: [] };
}

function flagTexts({ repo, branch, label, labels, keyGroup, batch }: SubmitOptions): readonly SubmittedText[] {
  // A part of a path is a word of its own.
  const parts = repo === undefined ? [] : [...new Set([repo, ...repo.split('/')])];
  const flags = { '--repo': parts, '--branch': branch, '--label': label, '--labels': labels };
  return Object.entries({ ...flags, '--key-group': keyGroup, '--batch': batch }).flatMap(([place, value]) =>
    [value ?? []].flat().map((text) => ({ place, text })),
  );
}

function secretsOf(
  { loaded, texts }: SubmittedConfig,
  given: readonly SubmittedText[],
  environment: NodeJS.ProcessEnv,
): readonly Issue[] {
  return issuesWith({
    texts: [...texts, ...given],
    config: { place: loaded.projectFile ?? 'the config', spec: loaded.spec },
    agentEnvironment: loaded.spec.agent.env,
    placeOf: (name) => loaded.origins[`agent.env.${name}`]?.place,
    environment,
  });
}

function warn(config: SubmittedConfig, tickets: readonly Ticket[] | undefined, context: CommandContext): void {
  const { terminal } = context;
  const { loaded, prompt, warnings } = config;
  const { spec, origins } = loaded;
  const policy = reviewPolicy(spec, { now: context.now(), origins });
  for (const issue of [...warnings, ...loaded.warnings, ...policy]) {
    terminal.note(`warning: ${printable(formatIssue(issue))}`);
  }
  if (prompt === undefined && tickets === undefined) {
    terminal.note('there is no prompt here: the prompt of the repository is used');
  }
  const odd = prompt === undefined ? undefined : oddPrompt(prompt.text, tickets);
  if (odd !== undefined) terminal.note(`warning: ${printable(odd)}`);
}

function oddPrompt(prompt: string, tickets: readonly Ticket[] | undefined): string | undefined {
  const asks = asksForTicket(prompt);
  if (tickets === undefined) {
    return asks ? 'the prompt asks for a {{ticket.…}}, and there is no --matrix: it stays as it is' : undefined;
  }
  const forgotten = tickets[0] && forgottenName(prompt, tickets[0]);
  if (forgotten !== undefined) {
    const { name, key } = forgotten;
    return `{{${name}}} stays as it is in the prompt; the value of the matrix is {{ticket.${key}}}`;
  }
  return asks ? undefined : 'the prompt uses no value of the matrix: all runs get the same prompt';
}

function batchOf({ batch, batchCost }: SubmitOptions): Batch | undefined {
  if (batch !== undefined && !/^[^\s\p{Cc}]{1,100}$/u.test(batch)) {
    throw refused('--batch', `must be one word of at most 100 characters, not ${JSON.stringify(batch)}`);
  }
  if (batchCost === undefined) return batch === undefined ? undefined : { id: batch };
  const maxCostUsd = /^\$?\d{1,9}(?:\.\d{1,6})?$/.test(batchCost) ? Number(batchCost.replace('$', '')) : 0;
  if (maxCostUsd > 0) return { id: batch ?? `batch-${randomBytes(4).toString('hex')}`, maxCostUsd };
  throw refused('--batch-cost', `must be an amount of US dollars above 0, not ${JSON.stringify(batchCost)}`);
}

/** A name for a limit; a key itself is told by what it looks like. */
function keyGroupOf({ keyGroup: name, apiKey }: SubmitOptions): string | undefined {
  if (apiKey !== undefined) throw refused('--api-key', 'is now --key-group, with the same name as its value');
  const isName = name === undefined || (/^[\w.-]{1,64}$/.test(name) && !/^(?:sk|pk|ghp|xox)[-_]/.test(name));
  if (isName && keysIn(name ?? '').length === 0) return name;
  throw refused('--key-group', 'must be a name, such as team-a, that limits count by; never a key itself');
}

function submittedJson({ id, repository, base, labels, keyGroup }: SubmittedRun, batch?: Batch, ticket?: Ticket) {
  const shown = withoutCredentials(repository);
  return {
    runId: id,
    batch: batch?.id,
    repository: shown,
    branch: base,
    labels,
    keyGroup,
    ticket: ticket?.values['id'],
  };
}

function submittedText(runs: number, batch: Batch | undefined): string {
  const where = batch === undefined ? '' : ` in the batch ${batch.id}`;
  const look = batch === undefined ? '' : ` --batch ${shellWord(batch.id)}`;
  return `${plural(runs, 'run')} submitted${where}; pawl fleet status${look} shows ${runs === 1 ? 'its' : 'their'} progress`;
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}
