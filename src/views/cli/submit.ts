import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reviewPolicy } from '../../config/review-policy.js';
import { type Database, isConnectionLost } from '../../fleet/connect-postgres.js';
import { asksForTicket, promptFor, readMatrix, type Ticket } from '../../fleet/read-matrix.js';
import { withoutCredentials } from '../../fleet/repository-name.js';
import { type Batch, type SubmittedRun, submitRuns } from '../../fleet/submit-runs.js';
import type { SubmittedSpec } from '../../fleet/submitted-spec.js';
import { newRunId } from '../../journal/run-id.js';
import { ConfigError, formatIssue, messageOf } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { plural } from '../../stop/figures.js';
import { jsonText } from '../terminal/json-text.js';
import { printable } from '../terminal/printable.js';
import { shownPath } from '../terminal/shown-path.js';
import { databaseUrl, type FleetOptions, withFleet } from './fleet-connection.js';
import { givenLabels, type LabelOptions, labelsOf } from './fleet-labels.js';
import { shellWord } from './shell-word.js';
import { type SubmittedConfig, submittedConfig } from './submitted-config.js';
import { branchOf, repositoryOf } from './submitted-place.js';
import { checkNoSecrets } from './submitted-secrets.js';
import type { Terminal } from './terminal.js';

export interface SubmitOptions extends FleetOptions, LabelOptions {
  readonly cwd?: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly matrix?: string;
  readonly apiKey?: string;
  readonly batch?: string;
  readonly batchCost?: string;
  readonly json?: boolean;
  readonly [flag: string]: unknown;
}

const MOST_RETRIES = 3;
const RETRY_MS = 1000;

/** Checks everything here, and puts the runs into the queue: all of them or none. */
export async function submitCommand(
  file: string | undefined,
  options: SubmitOptions,
  command: readonly string[] | undefined,
  terminal: Terminal,
): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? '.');
  const config = submittedConfig({ cwd, file, options, command, environment: process.env });
  const tickets = ticketsIn(options.matrix, cwd);
  const runs = runsOf(config, tickets, options);
  const batch = batchOf(options);
  checkSubmitted(config, runs, batch);
  databaseUrl(options);
  warn(config, tickets !== undefined, terminal);
  return withFleet(options, terminal, async (database) => {
    await submitSurely(database, runs, batch);
    for (const [index, run] of runs.entries()) {
      if (options.json === true) terminal.raw(`${jsonText(submittedJson(run, batch, tickets?.[index]))}\n`);
      else terminal.say(run.id);
    }
    if (options.json !== true) terminal.note(submittedText(runs.length, batch));
    return EXIT_CODES.goal;
  });
}

/** Runs that are there already stay as they are: when nobody knows what became of it, it is asked again. */
async function submitSurely(
  database: Database,
  runs: readonly SubmittedRun[],
  batch: Batch | undefined,
): Promise<void> {
  for (let left = MOST_RETRIES; ; left -= 1) {
    try {
      await submitRuns(database, runs, { batch });
      return;
    } catch (error) {
      if (left === 0 || !isConnectionLost(error)) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function runsOf(
  config: SubmittedConfig,
  tickets: readonly Ticket[] | undefined,
  options: SubmitOptions,
): readonly SubmittedRun[] {
  const labels = givenLabels(options);
  const common = { repository: repositoryOf(options.repo), apiKey: apiKeyOf(options.apiKey) };
  const { text, flags, prompt } = config;
  const specOf = (own: string | undefined): SubmittedSpec => ({
    config: text,
    flags: own === undefined ? flags : { ...flags, prompt: own },
  });
  if (tickets === undefined) {
    return [{ ...common, id: newRunId(), base: branchOf(options.branch), labels, spec: specOf(prompt) }];
  }
  return tickets.map((ticket) => {
    const { place } = ticket;
    const template = ticket.prompt ?? prompt;
    if (template === undefined) throw refused(place, 'there is no prompt here to put it into: give one with -p TEXT');
    return {
      ...common,
      id: newRunId(),
      base: branchOf(ticket.branch ?? options.branch, ticket.branch === undefined ? undefined : place),
      labels: [...new Set([...labels, ...labelsOf(ticket.labels, place)])],
      spec: specOf(promptFor(template, ticket)),
    };
  });
}

function checkSubmitted(config: SubmittedConfig, runs: readonly SubmittedRun[], batch: Batch | undefined): void {
  const { loaded, text, flags } = config;
  const rows = runs.flatMap(({ repository, base, labels = [], apiKey }) => [repository, base, apiKey, ...labels]);
  checkNoSecrets({
    agentEnvironment: loaded.spec.agent.env,
    environment: process.env,
    texts: {
      [loaded.projectFile ?? 'the config']: text,
      'the command line': [...Object.values(flags).flat(), batch?.id, ...new Set(rows)].join('\n'),
      'the prompt': runs.map(({ spec }) => (spec as SubmittedSpec).flags['prompt'] ?? '').join('\n'),
    },
  });
}

/** Undefined without a matrix. */
function ticketsIn(path: string | undefined, cwd: string): readonly Ticket[] | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw refused('--matrix', `${shownPath(path)} cannot be read: ${systemErrorWords(messageOf(error))}`);
  }
  return readMatrix(text, shownPath(path));
}

function warn(config: SubmittedConfig, hasMatrix: boolean, terminal: Terminal): void {
  const { loaded, prompt, warnings } = config;
  const { spec, origins } = loaded;
  const policy = reviewPolicy(spec, { now: Date.now(), origins });
  for (const issue of [...warnings, ...loaded.warnings, ...policy]) {
    terminal.note(`warning: ${printable(formatIssue(issue))}`);
  }
  if (prompt === undefined && !hasMatrix) terminal.note('there is no prompt here: that of the repository is used');
  if (prompt === undefined || hasMatrix === asksForTicket(prompt)) return;
  const odd = hasMatrix
    ? 'the prompt asks for nothing of the matrix: all runs have the same'
    : 'the prompt asks for a {{ticket.…}}, and there is no --matrix: it stays as it is';
  terminal.note(`warning: ${odd}`);
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

/** The name of a key, for its limit; a key itself is told by what it looks like. */
function apiKeyOf(name: string | undefined): string | undefined {
  if (name === undefined || (/^[\w.-]{1,64}$/.test(name) && !/^(?:sk|pk|ghp|xox)[-_]/.test(name))) return name;
  throw refused('--api-key', 'must be a name for the key, such as team-a, that limits count by; never the key itself');
}

function submittedJson({ id, repository, base, labels, apiKey }: SubmittedRun, batch?: Batch, ticket?: Ticket) {
  const shown = withoutCredentials(repository);
  return { runId: id, batch: batch?.id, repository: shown, branch: base, labels, apiKey, ticket: ticket?.values['id'] };
}

function submittedText(runs: number, batch: Batch | undefined): string {
  const where = batch === undefined ? '' : ` in the batch ${batch.id}`;
  const look = batch === undefined ? '' : ` --batch ${shellWord(batch.id)}`;
  return `${plural(runs, 'run')} submitted${where}; pawl fleet status${look} shows what becomes of ${runs === 1 ? 'it' : 'them'}`;
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place, message }]);
}
