import { headOf } from '../model/figures.js';
import { APICallError, RetryError } from 'ai';
import { failureKind } from '../agents/provider-failure.js';
import type { AgentEvent } from '../model/agent-event.js';
import { messageOf } from '../model/errors.js';

const MESSAGE_CHARACTERS = 500;
const BODY_CHARACTERS = 2000;
/** The connection was never there. */
const NOT_REACHED: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** What the AI SDK, or a provider of it, finds wrong before it sends anything. */
const NOT_SENT: readonly string[] = [
  'AI_InvalidArgumentError',
  'AI_InvalidDataContentError',
  'AI_InvalidMessageRoleError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_MessageConversionError',
  'AI_MissingToolResultsError',
  'AI_NoSuchModelError',
  'AI_NoSuchProviderError',
  'AI_UnsupportedFunctionalityError',
  'AI_UnsupportedModelVersionError',
];

/** Why a model call failed. */
export interface ProviderError {
  readonly event: Extract<AgentEvent, { readonly kind: 'limit' | 'error' }>;
  /** It was refused, or never reached anybody: nothing can have been spent. */
  readonly isFree: boolean;
}

/** What passes by itself is a limit, which the run waits for; the rest is an error of its kind. */
export function providerError(thrown: unknown, nowMs: number): ProviderError {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  const message = headOf(messageOf(error), MESSAGE_CHARACTERS);
  const call = APICallError.isInstance(error) ? error : undefined;
  const status = call?.statusCode;
  const words = `${message}\n${(call?.responseBody ?? '').slice(0, BODY_CHARACTERS)}\n${bodyOf(error)}`;
  // A refusal within a stream that began with 200 may have cost something.
  const isRefused = status !== undefined && status >= 400;
  const isFree = isRefused || wasNotSent(error) || NOT_REACHED.includes(codeOf(error) ?? '');
  const kind = failureKind(words, status);
  const resetsAt = resetTime(call?.responseHeaders, nowMs);
  switch (kind) {
    case 'overload':
      return { isFree, event: { kind: 'limit', limit: 'overload', resetsAt, message } };
    case 'usage-limit':
    case 'rate':
      return { isFree, event: { kind: 'limit', limit: 'usage-limit', resetsAt, message } };
    case 'auth':
    case 'billing':
    case 'context':
    case 'other':
      return { isFree, event: { kind: 'error', error: kind, message } };
    default:
      return kind satisfies never;
  }
}

function wasNotSent(error: unknown): boolean {
  return error instanceof Error && NOT_SENT.includes(error.name);
}

/** An error within a stream is an object of the provider's. */
function bodyOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || error instanceof Error) return '';
  try {
    return JSON.stringify(error).slice(0, BODY_CHARACTERS);
  } catch {
    return '';
  }
}

/** Of the error or of what caused it. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === 'string' ? code : codeOf(cause, depth + 1);
}

/** `retry-after` is a number of seconds or a date. */
function resetTime(headers: Readonly<Record<string, string>> | undefined, nowMs: number): string | undefined {
  const milliseconds = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  const after = headers?.['retry-after'];
  const seconds = Number(after ?? Number.NaN);
  const timeMs = Number.isFinite(milliseconds)
    ? nowMs + milliseconds
    : Number.isFinite(seconds)
      ? nowMs + seconds * 1000
      : Date.parse(after ?? '');
  const isTime = Number.isFinite(timeMs) && Math.abs(timeMs) < 8.64e15;
  return isTime ? new Date(timeMs).toISOString() : undefined;
}
