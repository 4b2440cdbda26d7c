import type { ApiError } from '../../wire/api.js';

const NOT_SIGNED_IN = 401;
const NOT_FOUND = 404;

/** What went wrong with a request, in a sentence for people. */
export class RequestProblem extends Error {
  /** 0: there was no answer. */
  readonly status: number;
  readonly issues: NonNullable<ApiError['issues']>;

  constructor(status: number, { error, issues = [] }: ApiError) {
    super(error);
    this.status = status;
    this.issues = issues;
  }

  get isUnauthorized(): boolean {
    return this.status === NOT_SIGNED_IN;
  }

  get isNotFound(): boolean {
    return this.status === NOT_FOUND;
  }
}

/** A GET, or a POST when there is something to send. */
export async function request<T>(path: string, body?: object): Promise<T> {
  const init: RequestInit =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await answerTo(path, init);
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

/** Why a stream is not to be had; undefined when it is. An EventSource does not tell why it was refused. */
export async function whyRefused(path: string): Promise<RequestProblem | undefined> {
  const abort = new AbortController();
  try {
    const response = await answerTo(path, { signal: abort.signal });
    return response.ok ? undefined : await problemOf(response);
  } catch (thrown) {
    return problemFrom(thrown);
  } finally {
    abort.abort();
  }
}

async function answerTo(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch {
    throw new RequestProblem(0, { error: 'the dashboard does not answer; is pawl ui still running?' });
  }
}

async function problemOf(response: Response): Promise<RequestProblem> {
  try {
    const told = (await response.json()) as Partial<ApiError>;
    return new RequestProblem(response.status, { ...told, error: told.error ?? unexplained(response) });
  } catch {
    return new RequestProblem(response.status, { error: unexplained(response) });
  }
}

function unexplained({ status }: Response): string {
  return `the dashboard answered with ${status} and no explanation`;
}

/** What to show of anything that was thrown. */
export function problemFrom(thrown: unknown): RequestProblem {
  if (thrown instanceof RequestProblem) return thrown;
  return new RequestProblem(0, { error: thrown instanceof Error ? thrown.message : String(thrown) });
}
