import { REPORT_TYPES } from '../model/claim.js';
import { type ConditionType, leavesOf } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { ConfigError } from '../model/errors.js';
import { isRecord } from '../model/field-rules.js';
import { type LoopCommand, MOST_TEXT_BYTES } from '../model/loop-command.js';
import { didYouMean } from '../model/nearest.js';
import { parseCondition } from '../model/parse-condition.js';
import { type ClaimReport, cutEvidence } from './claim-report.js';

const MOST_BY_CHARACTERS = 80;

/** What somebody asks of a run, or its agent tells it, checked in full. */
export type ControlRequest = {
  readonly runId: string;
  /** Who asks, for the record. */
  readonly by: string;
} & (
  | { readonly kind: 'command'; readonly command: LoopCommand }
  | { readonly kind: 'claim'; readonly report: ClaimReport }
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
  checkNames(value, isClaim ? ['run', 'claim', 'cookie', 'key', 'by'] : ['run', 'command', 'by'], 'a request');
  const { run, command, by } = value;
  if (typeof run !== 'string') throw refused('a request names its run');
  if (by !== undefined && typeof by !== 'string') throw refused('by is a text');
  const asked = { runId: run, by: cleanBy(by) };
  if (isClaim) return { ...asked, kind: 'claim', report: parseReport(value) };
  return { ...asked, kind: 'command', command: parseCommand(command) };
}

function parseReport({ claim: value, cookie, key }: Readonly<Record<string, unknown>>): ClaimReport {
  if (!isRecord(value)) throw refused('a claim is an object with claim and evidence');
  checkNames(value, ['claim', 'evidence'], 'a claim');
  const claim = REPORT_TYPES.find((type) => type === value['claim']);
  if (claim === undefined) throw refused(`a claim is ${REPORT_TYPES.join(' or ')}`);
  const { evidence } = value;
  if (typeof evidence !== 'string' || evidence.trim() === '') throw refused('a claim needs evidence that is not empty');
  if (typeof cookie !== 'string') throw refused('a claim carries the cookie of its iteration');
  if (key !== undefined && typeof key !== 'string') throw refused('the key of a claim is a text');
  return { claim: { claim, evidence: cutEvidence(evidence) }, cookie, key };
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

function textOf(type: CommandType, text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') throw refused(`${type} needs a text that is not empty`);
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_TEXT_BYTES) throw refused(`the text has ${bytes} bytes, ${MOST_TEXT_BYTES} are allowed`);
  return text;
}

function stopOf(now: unknown): LoopCommand {
  if (now !== undefined && typeof now !== 'boolean') throw refused('now is true or false');
  return now === true ? { type: 'stop', now } : { type: 'stop' };
}

function extendOf(input: unknown): LoopCommand {
  const limit = parseCondition(input, 'limit');
  if (limit.class !== undefined) throw refused(`extend takes a limit, not a ${limit.class}`);
  // How many attempts a pipeline may make is a failure condition, and is raised as a limit is.
  if (limit.type === 'circuit_breaker') return { type: 'extend', limit };
  const wrong = leavesOf(limit).find(({ type }) => !isLimit(type));
  if (wrong !== undefined) throw refused(`extend takes a limit, and ${wrong.type} is none`);
  return { type: 'extend', limit };
}

function isLimit(type: ConditionType): boolean {
  const { class: stopClass, probe } = CONDITION_CATALOG[type];
  return stopClass === 'limit' && probe === undefined;
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
