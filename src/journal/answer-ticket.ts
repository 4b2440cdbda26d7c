/**
 * Answers from outside, signed. The key of one question is derived from the user's own key, so that whoever is given it can
 * answer this question until this time, and nothing else. What is signed is the question, the time and the whole body.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a key is for. */
export interface AnswerTicket {
  readonly runId: string;
  /** The id of the question. */
  readonly question: string;
  /** Unix time in seconds. */
  readonly expires: number;
}

const PURPOSE = 'pawl answer v1';

function ticketText({ runId, question, expires }: AnswerTicket): string {
  return `${runId}\n${question}\n${expires}\n`;
}

/** The key by which this question can be answered until then. */
export function answerKey(ticket: AnswerTicket, userKey: string): string {
  return createHmac('sha256', userKey)
    .update(`${PURPOSE}\n${ticketText(ticket)}`)
    .digest('hex');
}

/** The signature of an answer by that key. */
export function signAnswer(ticket: AnswerTicket, body: string | Uint8Array, key: string): string {
  return createHmac('sha256', key).update(ticketText(ticket)).update(body).digest('hex');
}

/** Whether the body was signed by whoever was given the key of this question. Does not look at the time. */
export function isAnswerSigned(
  ticket: AnswerTicket,
  body: string | Uint8Array,
  signature: string,
  userKey: string,
): boolean {
  const expected = Buffer.from(signAnswer(ticket, body, answerKey(ticket, userKey)));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
