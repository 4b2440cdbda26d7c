import { REPORT_TYPES } from '../model/claim.js';
import { leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, limitOf, needsOf } from '../model/condition-catalog.js';
import { ConfigError } from '../model/errors.js';
import { isRecord } from '../model/show-value.js';
import { type LoopCommand, MOST_TEXT_BYTES } from '../model/loop-command.js';
import { didYouMean } from '../model/nearest.js';
import { parseCondition } from '../model/parse-condition.js';
import { type ClaimReport, cutEvidence, type QuestionReport } from './agent-reports.js';
import { UNSEEN_CHARACTERS } from '../model/unseen-characters.js';

const MOST_BY_CHARACTERS = 80;

/** What somebody asks of a run, or its agent tells it, checked in full. */
export type ControlRequest = {
  readonly runId: string;
  /** Who asks, for the record. */
  readonly by: string;
} & (
  | { readonly kind: 'command'; readonly command: LoopCommand }
  | { readonly kind: 'claim'; readonly report: ClaimReport }
  | { readonly kind: 'question'; readonly report: QuestionReport }
);

type CommandType = LoopCommand['type'];

/** The fields of each command. */
const FIELDS: Readonly<Record<CommandType, readonly string[]>> = {
  pause: [],
  resume: [],
  skip: [],
  approve: [],
  reject: ['text'],
  stop: ['now'],
  reboot: [],
  steer: ['text'],
  answer: ['text', 'question'],
  extend: ['limit'],
};

/** Reads one line that came through the socket. Throws ConfigError. */
export function parseRequest(line: string): ControlRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw refused('a request is one line of JSON');
  }
  if (!isRecord(value)) throw refused('a request is an object with run, command and by');
  const isClaim = Object.hasOwn(value, 'claim');
  const isQuestion = !isClaim && Object.hasOwn(value, 'question');
  const reported = isClaim ? 'claim' : 'question';
  checkNames(
    value,
    isClaim || isQuestion ? ['run', reported, 'cookie', 'key', 'by'] : ['run', 'command', 'by'],
    'a request',
  );
  const { run, command, by } = value;
  if (typeof run !== 'string') throw refused('a request names its run');
  if (by !== undefined && typeof by !== 'string') throw refused('by is a text');
  const asked = { runId: run, by: cleanBy(by) };
  if (isClaim) return { ...asked, kind: 'claim', report: parseReport(value) };
  if (isQuestion) return { ...asked, kind: 'question', report: parseQuestion(value) };
  return { ...asked, kind: 'command', command: parseCommand(command) };
}

function parseReport({ claim: value, cookie, key }: Readonly<Record<string, unknown>>): ClaimReport {
  if (!isRecord(value)) throw refused('a claim is an object with claim and evidence');
  checkNames(value, ['claim', 'evidence'], 'a claim');
  const claim = REPORT_TYPES.find((type) => type === value['claim']);
  if (claim === undefined) throw refused(`a claim is ${REPORT_TYPES.join(' or ')}`);
  const { evidence } = value;
  if (typeof evidence !== 'string' || isBlank(evidence)) throw refused('a claim needs evidence that is not empty');
  return { claim: { claim, evidence: cutEvidence(evidence) }, ...senderOf('claim', cookie, key) };
}

function senderOf(what: string, cookie: unknown, key: unknown): Pick<ClaimReport, 'cookie' | 'key'> {
  if (typeof cookie !== 'string') throw refused(`a ${what} carries the cookie of its iteration`);
  if (key !== undefined && typeof key !== 'string') throw refused(`the key of a ${what} is a text`);
  return { cookie, key };
}

/** As much as a person reads. Nothing is cut: half a question may be another one. */
export const MOST_QUESTION_BYTES = 4 * 1024;
export const MOST_CHOICES = 9;
export const MOST_CHOICE_BYTES = 500;

function parseQuestion({ question: value, cookie, key }: Readonly<Record<string, unknown>>): QuestionReport {
  if (!isRecord(value)) throw refused('a question is an object with text and choices');
  checkNames(value, ['text', 'choices'], 'a question');
  const text = shortText('a question', value['text'], MOST_QUESTION_BYTES);
  const given = value['choices'];
  if (given !== undefined && !Array.isArray(given)) throw refused('choices are a list of texts');
  const choices = (given ?? []).map((choice: unknown) => shortText('a choice', choice, MOST_CHOICE_BYTES));
  if (choices.length > MOST_CHOICES)
    throw refused(`a question has at most ${MOST_CHOICES} choices, and this one has ${choices.length}`);
  if (new Set(choices.map((choice: string) => choice.toLowerCase())).size < choices.length)
    throw refused('two choices are the same');
  return {
    question: { text, ...(choices.length === 0 ? {} : { choices }) },
    ...senderOf('question', cookie, key),
  };
}

function shortText(what: string, text: unknown, most: number): string {
  if (typeof text !== 'string' || isBlank(text)) throw refused(`${what} is a text that is not empty`);
  const bytes = Buffer.byteLength(text);
  if (bytes > most) throw refused(`${what} has ${bytes} bytes, ${most} are allowed`);
  return text.trim();
}

/** Reads a command from outside. Throws ConfigError. */
export function parseCommand(value: unknown): LoopCommand {
  if (!isRecord(value) || typeof value['type'] !== 'string') throw refused('a command is an object with a type');
  const { type } = value;
  if (!isCommandType(type)) {
    const known = Object.keys(FIELDS);
    throw refused(`unknown command ${JSON.stringify(type.slice(0, 40))}${didYouMean(type.slice(0, 40), known)}`);
  }
  checkNames(value, ['type', ...FIELDS[type]], type);
  switch (type) {
    case 'reject':
    case 'steer':
      return { type, text: textOf(type, value['text']) };
    case 'answer':
      return answerOf(value['text'], value['question']);
    case 'stop':
      return stopOf(value['now']);
    case 'extend':
      return extendOf(value['limit']);
    default:
      return { type };
  }
}

function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(FIELDS, type);
}

function checkNames(value: object, allowed: readonly string[], what: string): void {
  const wrong = Object.keys(value).find((name) => !allowed.includes(name));
  if (wrong !== undefined) throw refused(`${what} has no field ${JSON.stringify(wrong.slice(0, 40))}`);
}

/** What a terminal sends for an arrow key, and what a reader does not see. */
const UNSEEN = new RegExp(String.raw`\u001b(?:\[[0-?]*[ -\/]*[@-~]?|O.)?|[\p{Cc}${UNSEEN_CHARACTERS}]`, 'gv');

/** With nothing in it that a person could read. */
function isBlank(text: string): boolean {
  return text.replace(UNSEEN, '').trim() === '';
}

function textOf(type: CommandType, text: unknown): string {
  if (typeof text !== 'string' || isBlank(text)) throw refused(`${type} needs a text that is not empty`);
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_TEXT_BYTES)
    throw refused(`the text has ${bytes} bytes, ${MOST_TEXT_BYTES} are allowed; write it to a file and name the file`);
  return text;
}

function answerOf(text: unknown, question: unknown): LoopCommand {
  if (question !== undefined && (typeof question !== 'string' || !/^q?[1-9]\d{0,8}$/.test(question)))
    throw refused('question is the id of a question, such as q1');
  return { type: 'answer', text: textOf('answer', text), ...(question === undefined ? {} : { question }) };
}

function stopOf(now: unknown): LoopCommand {
  if (now !== undefined && typeof now !== 'boolean') throw refused('now is true or false');
  return now === true ? { type: 'stop', now } : { type: 'stop' };
}

function extendOf(input: unknown): LoopCommand {
  const limit = parseCondition(input, 'limit');
  if (limit.class !== undefined) throw refused(`extend takes a limit, not a ${limit.class}`);
  // How many attempts a pipeline may make is a failure condition, and is raised as a limit is.
  if (limitOf(limit) !== undefined) return { type: 'extend', limit };
  const wrong = leavesOf(limit).find((leaf) => !isLimit(leaf));
  if (wrong !== undefined) throw refused(`extend takes a limit, and ${wrong.type} is none`);
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
