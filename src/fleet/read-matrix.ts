import * as z from 'zod/mini';
import { readStrictJson } from '../config/strict-json.js';
import { ConfigError, type Issue } from '../model/errors.js';
import { readValue } from '../model/read-value.js';
import { clip, isRecord } from '../model/show-value.js';
import { didYouMean } from '../model/nearest.js';
import { bracesAround, fieldsOf } from '../model/placeholder.js';

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

export interface Matrix {
  /** Those with nothing wrong in them. */
  readonly tickets: readonly Ticket[];
  readonly issues: readonly Issue[];
}

const PLACEHOLDER = bracesAround(fieldsOf('ticket'));
const ANY_NAME = bracesAround(String.raw`[^{}\s][^{}\n]{0,200}?`);
const FIELD = 'ticket.';
const MOST_KEYS_TOLD = 20;

/** The tickets of a text with an object of JSON on each line; `name` is how messages call it. */
export function readMatrix(text: string, name: string): Matrix {
  const issues: Issue[] = [];
  const tickets: Ticket[] = [];
  const seen = new Map<unknown, string>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `${name}:${index + 1}`;
    const ticket = ticketOf(line, place, issues);
    if (ticket === undefined) continue;
    const { id } = ticket.values as { readonly id?: unknown };
    const first = id === undefined ? undefined : seen.get(id);
    if (first === undefined) seen.set(id, place);
    else issues.push(issueAt(place, `the id ${clip(JSON.stringify(id))} already exists, at ${first}`));
    tickets.push(ticket);
  }
  if (tickets.length === 0 && issues.length === 0)
    issues.push(issueAt(name, 'there is no line in it: nothing to submit'));
  return { tickets, issues };
}

/** Whether a prompt has a place for something of a ticket. */
export function asksForTicket(prompt: string): boolean {
  return prompt.search(PLACEHOLDER) >= 0;
}

/** The keys that a prompt asks a ticket for, each once. */
export function keysAskedFor(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name.slice(FIELD.length)))];
}

/** A name in braces that stays as it is, although what it means may be a key of the ticket. */
export function forgottenName(template: string, { values }: Ticket): { name: string; key: string } | undefined {
  for (const [, name = ''] of template.matchAll(ANY_NAME)) {
    const key = name.replace(/^\w{1,20}\./, '');
    if (!name.startsWith(FIELD) && Object.hasOwn(values, key)) return { name, key };
  }
  return undefined;
}

/** The prompt with the values of the ticket, put in once: what is put in is not searched again. Throws ConfigError. */
export function promptFor(template: string, { values, place }: Ticket): string {
  const unknown = keysAskedFor(template).filter((key) => !Object.hasOwn(values, key));
  if (unknown.length > 0) throw new ConfigError(unknown.map((key) => issueAt(place, unknownKey(key, values))));
  const prompt = template.replace(PLACEHOLDER, (_, name: string) => ticketText(values[name.slice(FIELD.length)]));
  if (prompt.trim() === '') throw new ConfigError([issueAt(place, 'the prompt is empty')]);
  return prompt;
}

function unknownKey(key: string, values: Ticket['values']): string {
  const known = Object.keys(values);
  const listed = known.slice(0, MOST_KEYS_TOLD).map(clip).join(', ');
  const more = known.length > MOST_KEYS_TOLD ? ` and ${known.length - MOST_KEYS_TOLD} more` : '';
  const those = known.length === 0 ? 'the line has no keys' : `there are ${listed}${more}`;
  return `the prompt asks for {{ticket.${clip(key)}}}, and there is no such key; ${those}${didYouMean(key, known)}`;
}

/** A value as it is put into a prompt. */
export function ticketText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const text = (allowed: string) => z.string(allowed).check(z.refine((given) => given.trim() !== '', { error: allowed }));

/** What Pawl reads of a line; its other keys are for the prompt. */
const TICKET = z.looseObject({
  id: z.optional(z.union([z.string(), z.number()], 'must be a text or a number')),
  labels: z.optional(z.array(text('must be a list of texts'), 'must be a list of texts')),
  branch: z.optional(text('must be the name of a branch')),
  prompt: z.optional(text('must be a text that is not empty')),
});

function ticketOf(line: string, place: string, issues: Issue[]): Ticket | undefined {
  const values = objectIn(line, place, issues);
  if (values === undefined) return undefined;
  const { value = {}, faults } = readValue(TICKET, values);
  const before = issues.length;
  for (const { path, message } of faults) issues.push({ path: String(path[0]), place, message });
  for (const [key, one] of Object.entries(values)) {
    if (!isInexact(one)) continue;
    issues.push({
      path: clip(key),
      place,
      message: 'is a number with more digits than can be kept: write it as a text',
    });
  }
  const { labels, branch, prompt } = value;
  return issues.length > before ? undefined : { place, values, labels, branch, prompt };
}

function objectIn(line: string, place: string, issues: Issue[]): Record<string, unknown> | undefined {
  const read = readStrictJson(line);
  if ('problem' in read) {
    const { offset, message } = read.problem;
    issues.push(issueAt(`${place}:${offset + 1}`, message));
    return undefined;
  }
  const { value } = read;
  if (isRecord(value)) return value;
  issues.push(issueAt(place, 'must be an object, such as {"id": 1}'));
  return undefined;
}

/** An id of 64 bits would become another one without a word. */
function isInexact(value: unknown): boolean {
  return typeof value === 'number' && (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER);
}

function issueAt(place: string, message: string): Issue {
  return { path: '', place, message };
}
