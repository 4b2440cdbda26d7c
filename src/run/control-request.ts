import * as z from 'zod/mini';
import { REPORT_TYPES } from '../model/claim.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, limitOf, needsOf } from '../model/condition-catalog.js';
import { ConfigError } from '../model/errors.js';
import { isRecord } from '../model/show-value.js';
import { type LoopCommand, MOST_TEXT_BYTES } from '../model/loop-command.js';
import { didYouMean } from '../model/nearest.js';
import { parseCondition } from '../model/parse-condition.js';
import { readValue } from '../model/read-value.js';
import { type ClaimReport, cutEvidence, type QuestionReport } from './agent-reports.js';
import { UNSEEN_CHARACTERS } from '../model/unseen-characters.js';

const MOST_BY_CHARACTERS = 80;

/** What someone asks of a run, or its agent tells it, checked in full. */
export type ControlRequest = {
  readonly runId: string;
  /** Who asks, for the record. */
  readonly by: string;
} & (
  | { readonly kind: 'command'; readonly command: LoopCommand }
  | { readonly kind: 'claim'; readonly report: ClaimReport }
  | { readonly kind: 'question'; readonly report: QuestionReport }
);

/** What a terminal sends for an arrow key, and what a reader does not see. */
const UNSEEN = new RegExp(String.raw`\u001b(?:\[[0-?]*[ -\/]*[@-~]?|O.)?|[\p{Cc}${UNSEEN_CHARACTERS}]`, 'gv');

/** As much as a person reads. Nothing is cut: half a question may be another one. */
export const MOST_QUESTION_BYTES = 4 * 1024;
export const MOST_CHOICES = 9;
export const MOST_CHOICE_BYTES = 500;

/** A text in which a person can read something. */
const readable = (message: string) =>
  z.string(message).check(z.refine((text) => text.replace(UNSEEN, '').trim() !== '', { error: message, abort: true }));

const atMost = (most: number, what: string, hint = '') =>
  z.refine<string>((text) => Buffer.byteLength(text) <= most, {
    error: ({ input }) => `${what} has ${Buffer.byteLength(String(input))} bytes, ${most} are allowed${hint}`,
  });

const textOf = (type: string) => ({
  text: readable(`${type} needs a text that is not empty`).check(
    atMost(MOST_TEXT_BYTES, 'the text', '; write it to a file and name the file'),
  ),
});

const shortText = (what: string, most: number) =>
  readable(`${what} is a text that is not empty`).check(atMost(most, what), z.trim());

const NOTHING = z.strictObject({});
const QUESTION_ID = 'question is the id of a question, such as q1';

/** The fields of each command. */
const FIELDS = {
  pause: NOTHING,
  resume: NOTHING,
  skip: NOTHING,
  approve: NOTHING,
  reject: z.strictObject(textOf('reject')),
  stop: z.strictObject({ now: z.optional(z.boolean('now is true or false')) }),
  reboot: NOTHING,
  steer: z.strictObject(textOf('steer')),
  answer: z.strictObject({
    ...textOf('answer'),
    question: z.optional(z.string(QUESTION_ID).check(z.regex(/^q?[1-9]\d{0,8}$/))),
  }),
  extend: z.strictObject({ limit: z.optional(z.unknown()) }),
} satisfies Readonly<Record<LoopCommand['type'], z.ZodMiniType>>;

const REQUEST = { run: z.string('a request names its run'), by: z.optional(z.string('by is a text')) };
const COMMAND_REQUEST = z.strictObject({ ...REQUEST, command: z.optional(z.unknown()) });
const CLAIM_REQUEST = z.strictObject({
  ...REQUEST,
  ...senderOf('claim'),
  claim: z.strictObject(
    {
      claim: z.enum(REPORT_TYPES, `a claim is ${REPORT_TYPES.join(' or ')}`),
      evidence: readable('a claim needs evidence that is not empty'),
    },
    'a claim is an object with claim and evidence',
  ),
});
const QUESTION_REQUEST = z.strictObject({
  ...REQUEST,
  ...senderOf('question'),
  question: z.strictObject(
    {
      text: shortText('a question', MOST_QUESTION_BYTES),
      choices: z.optional(
        z.array(shortText('a choice', MOST_CHOICE_BYTES), 'choices are a list of texts').check(
          z.refine((choices) => choices.length <= MOST_CHOICES, {
            error: ({ input }) =>
              `a question has at most ${MOST_CHOICES} choices, and this one has ${(input as unknown[]).length}`,
          }),
          z.refine((choices) => new Set(choices.map((choice) => choice.toLowerCase())).size === choices.length, {
            error: 'two choices are equal',
          }),
        ),
      ),
    },
    'a question is an object with text and choices',
  ),
});

function senderOf(what: string) {
  return {
    cookie: z.string(`a ${what} carries the cookie of its iteration`),
    key: z.optional(z.string(`the key of a ${what} is a text`)),
  };
}

/** Reads one line that came through the socket. Throws ConfigError. */
export function parseRequest(line: string): ControlRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw refused('a request is one line of JSON');
  }
  if (!isRecord(value)) throw refused('a request is an object with run, command and by');
  if (Object.hasOwn(value, 'claim')) {
    const { run, by, claim, cookie, key } = checked(CLAIM_REQUEST, value, 'a request');
    const report = { claim: { ...claim, evidence: cutEvidence(claim.evidence) }, cookie, key };
    return { runId: run, by: cleanBy(by), kind: 'claim', report };
  }
  if (Object.hasOwn(value, 'question')) {
    const { run, by, question, cookie, key } = checked(QUESTION_REQUEST, value, 'a request');
    const { text, choices = [] } = question;
    const report = { question: { text, ...(choices.length === 0 ? {} : { choices }) }, cookie, key };
    return { runId: run, by: cleanBy(by), kind: 'question', report };
  }
  const { run, by, command } = checked(COMMAND_REQUEST, value, 'a request');
  return { runId: run, by: cleanBy(by), kind: 'command', command: parseCommand(command) };
}

/** Reads a command from outside. Throws ConfigError. */
export function parseCommand(value: unknown): LoopCommand {
  if (!isRecord(value) || typeof value['type'] !== 'string') throw refused('a command is an object with a type');
  const { type, ...fields } = value;
  if (!isCommandType(type)) {
    const known = Object.keys(FIELDS);
    throw refused(`unknown command ${JSON.stringify(type.slice(0, 40))}${didYouMean(type.slice(0, 40), known)}`);
  }
  switch (type) {
    case 'reject':
    case 'steer':
    case 'answer':
      return { type, ...checked(FIELDS[type], fields, type) };
    case 'stop':
      return checked(FIELDS.stop, fields, type).now === true ? { type, now: true } : { type };
    case 'extend':
      return extendOf(checked(FIELDS.extend, fields, type).limit);
    default:
      checked(FIELDS[type], fields, type);
      return { type };
  }
}

function isCommandType(type: string): type is LoopCommand['type'] {
  return Object.hasOwn(FIELDS, type);
}

/** The first thing that is wrong is refused: a program has sent it. */
function checked<T>(schema: z.ZodMiniType<T>, value: object, what: string): T {
  const { value: read, faults } = readValue(schema, value);
  const [fault] = faults;
  if (fault === undefined) return read as T;
  if (fault.kind !== 'unknown-key') throw refused(fault.message);
  const [name, inner] = fault.path.slice(-2);
  const whose = inner === undefined ? what : `a ${name}`;
  throw refused(`${whose} has no field ${JSON.stringify(String(inner ?? name).slice(0, 40))}`);
}

function extendOf(input: unknown): LoopCommand {
  const limit = parseCondition(input, 'limit');
  if (limit.class !== undefined) throw refused(`extend takes a limit, not a ${limit.class}`);
  // How many attempts a pipeline may make is a failure condition, and is raised as a limit is.
  if (limitOf(limit) !== undefined) return { type: 'extend', limit };
  const wrong = leavesOf(limit).find((leaf) => !isLimit(leaf));
  if (wrong !== undefined) throw refused(`extend takes a limit, and ${wrong.type} is not one`);
  return { type: 'extend', limit };
}

function isLimit(condition: StopCondition): boolean {
  return CONDITION_CATALOG[condition.type].class === 'limit' && needsOf(condition).probe === undefined;
}

/** One short line without anything that a terminal or a reader could be misled by. */
function cleanBy(by = ''): string {
  const line = by
    .slice(0, 1000)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, MOST_BY_CHARACTERS).join('') || 'a client';
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
