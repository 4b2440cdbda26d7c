import { headOf } from '../../model/figures.js';
import { isRecord } from '../../model/show-value.js';
import { REVIEW_ANSWERS, type ReviewAnswer, type ReviewOpinion } from '../../model/review.js';

const MOST_REASONS = 10;
const REASON_CHARACTERS = 500;

/** The shape of an answer, for agents that can be held to one. */
export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    answer: { type: 'string', enum: REVIEW_ANSWERS },
    reasons: { type: 'array', items: { type: 'string' } },
    question: { type: ['string', 'null'] },
    alive: { type: ['boolean', 'null'] },
  },
  required: ['answer', 'reasons', 'question', 'alive'],
  additionalProperties: false,
} as const;

/**
 * The whole of what a reviewer said is one JSON object, alone or in a code fence. A JSON object somewhere in its words is no
 * answer: it may be a quotation.
 */
export function readAnswer(text: string): ReviewOpinion | { readonly problem: string } {
  const given = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  if (given.trim() === '') return { problem: 'it said nothing' };
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    return { problem: `it did not answer in JSON: ${JSON.stringify(headOf(given.trim(), 200))}` };
  }
  if (!isRecord(value)) return { problem: 'its answer is not a JSON object' };
  // JSON.parse would take the last of them.
  if ((given.match(/"answer"\s*:/g) ?? []).length > 1) return { problem: 'it has "answer" more than once' };
  return opinionOf(value);
}

function opinionOf(value: Record<string, unknown>): ReviewOpinion | { readonly problem: string } {
  const { answer, question, alive } = value;
  if (answer === undefined) return { problem: 'its JSON object has no "answer"' };
  if (!isAnswer(answer)) {
    return {
      problem: `its answer is ${JSON.stringify(answer)?.slice(0, 60)}, not one of ${REVIEW_ANSWERS.join(', ')}`,
    };
  }
  const reasons = reasonsOf(value['reasons']);
  if (reasons === undefined) return { problem: 'its reasons are not a list of texts' };
  const asks = typeof question === 'string' && question.trim() !== '' ? short(question) : undefined;
  if (answer !== 'done' && reasons.length === 0 && asks === undefined) {
    return { problem: `it answered ${answer} without a reason` };
  }
  return {
    answer,
    reasons,
    ...(answer === 'blocked' && asks !== undefined ? { question: asks } : {}),
    ...(answer === 'not_done' && alive === true ? { alive } : {}),
  };
}

function isAnswer(value: unknown): value is ReviewAnswer {
  return REVIEW_ANSWERS.some((answer) => answer === value);
}

function reasonsOf(value: unknown = []): readonly string[] | undefined {
  if (!Array.isArray(value) || !value.every((reason) => typeof reason === 'string')) return undefined;
  return value.flatMap((reason) => (reason.trim() === '' ? [] : [short(reason)])).slice(0, MOST_REASONS);
}

function short(text: string): string {
  return headOf(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), REASON_CHARACTERS);
}
