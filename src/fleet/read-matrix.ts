import { ConfigError, type Issue, messageOf } from '../model/errors.js';
import { isRecord } from '../model/field-rules.js';
import { didYouMean } from '../model/nearest.js';

/** One line of a matrix: what makes one run differ from the next. */
export interface Ticket {
  /** File and line, such as `tickets.jsonl:3`. */
  readonly place: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly labels?: readonly string[] | undefined;
  readonly branch?: string | undefined;
  /** In place of the prompt of all. */
  readonly prompt?: string | undefined;
}

const MOST_ISSUES = 20;
const PLACEHOLDER = /\{\{ *ticket\.([^{}\n]{1,200}?) *\}\}/g;

/** The tickets of a file with an object of JSON on each line; `name` is how messages call it. Throws ConfigError. */
export function readMatrix(text: string, name: string): readonly Ticket[] {
  const issues: Issue[] = [];
  const tickets: Ticket[] = [];
  const seen = new Map<unknown, string>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const place = `${name}:${index + 1}`;
    const ticket = ticketOf(line, place, issues);
    if (ticket === undefined) continue;
    const { id } = ticket.values as { readonly id?: unknown };
    const first = id === undefined ? undefined : seen.get(id);
    if (first !== undefined) issues.push(issueAt(place, `the id ${JSON.stringify(id)} is there already, at ${first}`));
    if (id !== undefined) seen.set(id, place);
    tickets.push(ticket);
  }
  if (tickets.length === 0 && issues.length === 0)
    issues.push(issueAt(name, 'there is no line in it: nothing to submit'));
  if (issues.length > 0) throw new ConfigError(issues.slice(0, MOST_ISSUES));
  return tickets;
}

/** Whether a prompt has a place for something of a ticket. */
export function asksForTicket(prompt: string): boolean {
  return prompt.search(PLACEHOLDER) >= 0;
}

/** The prompt with the values of the ticket, put in once: what is put in is not searched again. Throws ConfigError. */
export function promptFor(template: string, { values, place }: Ticket): string {
  const issues = new Map<string, Issue>();
  const prompt = template.replace(PLACEHOLDER, (braces, key: string) => {
    if (Object.hasOwn(values, key)) return textOf(values[key]);
    const suggestion = didYouMean(key, Object.keys(values));
    issues.set(key, issueAt(place, `the prompt asks for {{ticket.${key}}}, and there is no such key${suggestion}`));
    return braces;
  });
  if (issues.size > 0) throw new ConfigError([...issues.values()]);
  if (prompt.trim() === '') throw new ConfigError([issueAt(place, 'the prompt is empty')]);
  return prompt;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function ticketOf(line: string, place: string, issues: Issue[]): Ticket | undefined {
  const values = objectIn(line, place, issues);
  if (values === undefined) return undefined;
  const { id, labels, branch, prompt } = values;
  const before = issues.length;
  const refuse = (key: string, message: string) => void issues.push({ path: key, place, message });
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') refuse('id', 'must be a text or a number');
  if (labels !== undefined && !isLabels(labels)) refuse('labels', 'must be a list of texts');
  if (branch !== undefined && !isText(branch)) refuse('branch', 'must be the name of a branch');
  if (prompt !== undefined && !isText(prompt)) refuse('prompt', 'must be a text that is not empty');
  if (issues.length > before) return undefined;
  return {
    place,
    values,
    labels: isLabels(labels) ? labels : undefined,
    branch: isText(branch) ? branch : undefined,
    prompt: isText(prompt) ? prompt : undefined,
  };
}

function objectIn(line: string, place: string, issues: Issue[]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value)) return value;
    issues.push(issueAt(place, 'must be an object, such as {"id": 1}'));
  } catch (error) {
    issues.push(issueAt(place, `is not JSON: ${messageOf(error)}`));
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isLabels(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function issueAt(place: string, message: string): Issue {
  return { path: '', place, message };
}
