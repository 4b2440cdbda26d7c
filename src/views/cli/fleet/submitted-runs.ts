import { keysAskedFor, promptFor, type Ticket, ticketText } from '../../../fleet/read-matrix.js';
import type { SubmittedRun } from '../../../fleet/submit-runs.js';
import type { SubmittedSpec } from '../../../fleet/submitted-spec.js';
import { type Secret, createRedactor } from '../../../journal/redact.js';
import { newRunId } from '../../../journal/run-places.js';
import { ConfigError, type Issue, formatIssue } from '../../../model/errors.js';
import { clip } from '../../../model/show-value.js';
import { plural } from '../../../model/figures.js';
import { labelsOf } from './fleet-labels.js';
import { LARGEST_PROMPT_BYTES } from '../../../app/prompt-file.js';
import type { SubmittedConfig } from './submitted-config.js';
import { branchOf } from './submitted-place.js';
import { secretIssues, type SubmittedText, unkeepableIssues } from './submitted-text.js';

/** What all runs of a submission have in common. */
interface CommonOfRuns {
  readonly repository: string;
  readonly base?: string | undefined;
  readonly labels: readonly string[];
  readonly keyGroup?: string | undefined;
}

/** More at once is more than a machine likes to hold, and the database takes it in one go or not at all. */
const MOST_BYTES = 200_000_000;

interface RunsRequest {
  readonly config: Pick<SubmittedConfig, 'flags' | 'text' | 'prompt'>;
  readonly common: CommonOfRuns;
  /** Undefined without a matrix. */
  readonly tickets: readonly Ticket[] | undefined;
  /** Of whoever submits. */
  readonly secrets: readonly Secret[];
}

/** One run, or one of each ticket; what is wrong with them is put with the issues. */
export function submittedRuns(request: RunsRequest, issues: Issue[]): readonly SubmittedRun[] {
  const { config, common, tickets } = request;
  if (tickets === undefined) {
    const base = collecting(issues, () => branchOf(common.base));
    return base === undefined ? [] : [runOf(request, base, common.labels, config.prompt?.text)];
  }
  if (tickets.some(({ branch }) => branch === undefined)) collecting(issues, () => branchOf(common.base));
  const bare = config.prompt === undefined ? tickets.find(({ prompt }) => prompt === undefined) : undefined;
  if (bare !== undefined) issues.push(issueAt(bare, 'there is no prompt here to put it into: give one with -p TEXT'));
  return runsOfTickets(request, tickets, issues);
}

function runsOfTickets(request: RunsRequest, tickets: readonly Ticket[], issues: Issue[]): readonly SubmittedRun[] {
  const { config, common, secrets } = request;
  const ofAll = config.prompt && { text: config.prompt.text, isWrong: issuesIn(config.prompt, secrets).length > 0 };
  const runs: SubmittedRun[] = [];
  let bytes = 0;
  for (const ticket of tickets) {
    const prompt = collecting(issues, () => filledPrompt(ticket, ofAll, secrets));
    const base = ticket.branch === undefined ? common.base : collecting(issues, () => branchOfTicket(ticket));
    const labels = collecting(issues, () => labelsOf(ticket.labels, `${ticket.place} labels`));
    if (prompt === undefined || base === undefined || labels === undefined) continue;
    bytes += Buffer.byteLength(prompt) + Buffer.byteLength(config.text);
    if (bytes > MOST_BYTES) {
      const message = `up to here the runs have more than ${MOST_BYTES / 1e6} MB together: submit them in parts`;
      issues.push(issueAt(ticket, message));
      break;
    }
    runs.push(runOf(request, base, [...new Set([...common.labels, ...labels])], prompt));
  }
  return runs;
}

function runOf(
  { config: { flags, text }, common: { repository, keyGroup } }: RunsRequest,
  base: string,
  labels: readonly string[],
  prompt: string | undefined,
): SubmittedRun {
  const spec: SubmittedSpec = { config: text, flags: prompt === undefined ? flags : { ...flags, prompt } };
  return { id: newRunId(), repository, base, labels, keyGroup, spec };
}

function branchOfTicket({ branch, place }: Ticket): string {
  return branchOf(branch, `${place} branch`);
}

interface PromptOfAll {
  readonly text: string;
  /** What is wrong with it is told by itself, not of every ticket. */
  readonly isWrong: boolean;
}

/** Undefined when nobody has written one. Throws ConfigError with the key of what cannot be kept. */
function filledPrompt(ticket: Ticket, ofAll: PromptOfAll | undefined, secrets: readonly Secret[]): string | undefined {
  const { place } = ticket;
  const template = ticket.prompt ?? ofAll?.text;
  const text = template === undefined ? undefined : promptFor(template, ticket);
  const issues = writtenIn(ticket, template ?? '').flatMap((part) => issuesIn(part, secrets));
  if (text === undefined && issues.length === 0) return undefined;
  const isTold = issues.length > 0 || text === ofAll?.text || (ticket.prompt === undefined && ofAll?.isWrong === true);
  // Of what was whole and what was put in, each harmless, a key may have become.
  if (!isTold) issues.push(...issuesIn({ place, path: 'prompt', text: text ?? '' }, secrets));
  if (Buffer.byteLength(text ?? '') > LARGEST_PROMPT_BYTES) {
    issues.push({
      path: 'prompt',
      place,
      message: `has more than the ${plural(LARGEST_PROMPT_BYTES, 'byte')} allowed`,
    });
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return text;
}

/** What takes part of a line, each by its key. */
function writtenIn({ place, values, prompt }: Ticket, template: string): readonly SubmittedText[] {
  const keys = [...keysAskedFor(template), 'labels', 'branch', ...(prompt === undefined ? [] : ['prompt'])];
  return [...new Set(keys)].flatMap((key) =>
    values[key] === undefined ? [] : [{ place, path: clip(key), text: ticketText(values[key]) }],
  );
}

function issuesIn(text: SubmittedText, secrets: readonly Secret[]): Issue[] {
  return [...unkeepableIssues(text), ...secretIssues(text, secrets)];
}

function issueAt({ place }: Ticket, message: string): Issue {
  return { path: '', place, message };
}

const MOST_ISSUES = 20;

/** What `look` gives; what it throws is put with the issues, so that all that is wrong is told at once. */
export function collecting<T>(issues: Issue[], look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    issues.push(...error.issues);
    return undefined;
  }
}

/** Throws ConfigError: the first ones by their lines, how many more there are, and never a secret. */
export function refuseAll(issues: readonly Issue[], environment: NodeJS.ProcessEnv): never {
  const redactor = createRedactor(environment);
  const each = [...new Map(issues.map((issue) => [formatIssue(issue), issue])).values()];
  const first = each.toSorted((one, other) => lineOf(one) - lineOf(other)).slice(0, MOST_ISSUES);
  const told = first.map((issue) => ({ ...issue, message: redactor.text(issue.message) }));
  const more = each.length - told.length;
  throw new ConfigError(more === 0 ? told : [...told, { path: '', message: `and ${plural(more, 'more mistake')}` }]);
}

function lineOf({ place = '' }: Issue): number {
  return Number(/:(\d+)(?::\d+)?(?: |$)/.exec(place)?.[1] ?? 0);
}
