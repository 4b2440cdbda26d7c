import { errnoOf, isMissing } from '../../../journal/disk.js';
import { ConfigError, type Issue, JournalDamaged, PawlError } from '../../../model/errors.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import type { ApiError } from '../wire/api.js';

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 414 | 415 | 429 | 500 | 503;

/** An answer other than what was asked for, in one sentence. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: RefusalStatus,
    message: string,
    more: { readonly issues?: readonly Issue[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.issues = more.issues ?? [];
    this.headers = more.headers ?? {};
  }

  get body(): ApiError {
    const issues = this.issues.map(({ place, path, message }) => ({
      place: place ?? (path === '' ? undefined : path),
      message,
    }));
    return { error: this.message, ...(issues.length === 0 ? {} : { issues }) };
  }
}

export const UNEXPECTED = 'an error in the dashboard; the runs are not affected';

/** What went wrong, for the page: words where the cause is known, and nothing of the inside where it is not. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ConfigError) {
    const [first] = error.issues;
    return new Refusal(400, first?.message ?? 'the request is not valid', { issues: error.issues });
  }
  if (error instanceof JournalDamaged) return new Refusal(409, `the record is damaged at line ${error.line}`);
  if (error instanceof PawlError) return new Refusal(statusOf(error), systemErrorWords(error.message));
  return new Refusal(500, UNEXPECTED);
}

function statusOf(error: PawlError): RefusalStatus {
  if (error.code === 'ConfigError') return 400;
  if (error.code === 'FileSystemError') return errnoOf(error) !== undefined && isMissing(error) ? 404 : 503;
  return 409;
}
