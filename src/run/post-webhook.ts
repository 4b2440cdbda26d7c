import { setTimeout as pause } from 'node:timers/promises';
import { formatDuration } from '../model/duration.js';
import { messageOf } from '../model/errors.js';
import { VERSION } from '../version.js';

export interface PostOptions {
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** For each try. */
  readonly timeoutMs: number;
  /** Before the second try, the third and so on: there are as many more tries. */
  readonly retryDelaysMs: readonly number[];
}

interface Answer {
  /** Why it was not taken. */
  readonly problem?: string | undefined;
  /** Another try may do better, and the first one was not taken for certain. */
  readonly mayPass: boolean;
}

/**
 * Posts JSON. Gives the reason when it was not taken, without the address, which is a secret. Never rejects. Redirects are
 * not followed: what is sent is for this address only.
 */
export async function postWebhook(address: string, json: string, options: PostOptions): Promise<string | undefined> {
  let answer = await tryOnce(address, json, options);
  for (const delayMs of options.retryDelaysMs) {
    if (!answer.mayPass || options.signal.aborted) break;
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    await pause(delayMs, undefined, { signal: options.signal }).catch(() => undefined);
    if (options.signal.aborted) break;
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    answer = await tryOnce(address, json, options);
  }
  return answer.problem;
}

async function tryOnce(address: string, body: string, { signal, timeoutMs }: PostOptions): Promise<Answer> {
  const ended = new AbortController();
  const abort = (): void => ended.abort('it was ended with the run');
  const timer = setTimeout(() => ended.abort(`no answer within ${formatDuration(timeoutMs)}`), timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const { url, headers } = targetOf(address);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ended.signal });
    // Nobody reads what it says, however long that is.
    await response.body?.cancel().catch(() => undefined);
    return answerOf(response.status);
  } catch (error) {
    if (ended.signal.aborted) return { problem: String(ended.signal.reason), mayPass: false };
    return { problem: `it cannot be reached: ${reasonOf(error)}`, mayPass: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function answerOf(status: number): Answer {
  if (status >= 200 && status < 300) return { mayPass: false };
  const isRedirect = status >= 300 && status < 400;
  const problem = `it answers ${status}${isRedirect ? ', a redirect, which is not followed: give the last address' : ''}`;
  return { problem, mayPass: status >= 500 };
}

/** A name and a password in an address are for a header. */
function targetOf(address: string): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(address);
  const { username, password } = url;
  const words = [username, password].map(decodeURIComponent).join(':');
  const own = username === '' ? {} : { authorization: `Basic ${Buffer.from(words).toString('base64')}` };
  url.username = '';
  url.password = '';
  return { url, headers: { 'content-type': 'application/json', 'user-agent': `pawl/${VERSION}`, ...own } };
}

/** What fetch says is only that it failed; why is told by the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  if (typeof cause?.code === 'string') return cause.code;
  return messageOf(cause ?? error);
}
