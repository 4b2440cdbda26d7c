import type { IncomingHttpHeaders } from 'node:http';
import { type AnswerTicket, isAnswerSigned, readUserKey } from '../../../journal/run-seal.js';
import { isRunId, type Environment } from '../../../journal/run-places.js';
import { isRecord } from '../../../model/show-value.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import { parseCommand } from '../../../run/control-request.js';
import { Refusal } from './refusal.js';

const MOST_REQUESTS = 60;
const MOST_WRONG = 10;
const WITHIN_MS = 60_000;

/** The address at which one question is answered. */
const ADDRESS = /^\/api\/answers\/([^/]{1,100})\/(q[1-9]\d{0,8})$/;

export function isAnswerAddress(path: string): boolean {
  return path.startsWith('/api/answers/');
}

/** Lets through what is signed with the key of its question and has not expired. So many a minute, wrong ones far fewer. */
export class AnswerGate {
  readonly #environment: Environment;
  readonly #now: () => number;
  #requests: readonly number[] = [];
  #wrong: readonly number[] = [];

  constructor(environment: Environment, now: () => number) {
    this.#environment = environment;
    this.#now = now;
  }

  /** The command that the sender may give. Throws a Refusal. */
  admit(path: string, headers: IncomingHttpHeaders, body: string): { runId: string; command: LoopCommand } {
    this.#checkPace();
    const ticket = ticketOf(path, headers);
    const userKey = readUserKey(this.#environment);
    const signature = headers['pawl-signature'];
    const isSigned =
      ticket !== undefined &&
      userKey !== undefined &&
      typeof signature === 'string' &&
      isAnswerSigned(ticket, body, signature, userKey);
    if (!isSigned) {
      this.#wrong = [...this.#wrong, this.#now()];
      // The same for a wrong key, another question, a changed text and a run that there is not.
      throw new Refusal(401, 'the answer is not signed with the key of this question');
    }
    if (ticket.expires * 1000 <= this.#now()) throw new Refusal(410, 'the key of this question has expired');
    return { runId: ticket.runId, command: commandOf(body, ticket.question) };
  }

  #checkPace(): void {
    const now = this.#now();
    const isRecent = (at: number) => now - at < WITHIN_MS && at <= now;
    this.#requests = [...this.#requests.filter(isRecent), now].slice(-MOST_REQUESTS - 1);
    this.#wrong = this.#wrong.filter(isRecent);
    if (this.#requests.length <= MOST_REQUESTS && this.#wrong.length < MOST_WRONG) return;
    throw new Refusal(429, 'too many answers; try again in a minute', { headers: { 'retry-after': '60' } });
  }
}

function ticketOf(path: string, headers: IncomingHttpHeaders): AnswerTicket | undefined {
  const [, runId = '', question = ''] = ADDRESS.exec(path) ?? [];
  const expires = headers['pawl-expires'];
  if (!isRunId(runId) || typeof expires !== 'string' || !/^[1-9]\d{0,11}$/.test(expires)) return undefined;
  return { runId, question, expires: Number(expires) };
}

function commandOf(body: string, question: string): LoopCommand {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'the request is not JSON');
  }
  if (!isRecord(value) || Object.keys(value).join() !== 'answer')
    throw new Refusal(400, 'an answer is an object with the field answer and no other');
  return parseCommand({ type: 'answer', text: value['answer'], question });
}
