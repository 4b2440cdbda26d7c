import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const MOST_WRONG = 10;
const WITHIN_MS = 60_000;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function isSameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** The same for a token as long as that is kept: a page that is open continues when the dashboard is started again. */
export function cookieOfKept(token: string): string {
  return createHmac('sha256', token).update('cookie').digest('base64url');
}

/** What a request shows of itself. */
export interface Credentials {
  /** The value of our cookie. */
  readonly cookie?: string | undefined;
  /** From the address or the `Authorization` header. */
  readonly token?: string | undefined;
}

export type Admission =
  | { readonly kind: 'cookie' | 'token' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wait'; readonly seconds: number };

export interface KeyOptions {
  /** Otherwise a new one. */
  readonly cookie?: string;
  readonly now?: () => number;
}

/** Who may come in: anyone who has the token once, and the browser that was given the cookie for it. */
export class Keys {
  readonly token: string;
  /** Another secret, so that what is in the browser does not open a second one. */
  readonly cookie: string;
  readonly #now: () => number;
  #wrongAt: readonly number[] = [];

  constructor(token: string, { cookie = newSecret(), now = () => performance.now() }: KeyOptions = {}) {
    this.token = token;
    this.cookie = cookie;
    this.#now = now;
  }

  admit({ cookie, token }: Credentials): Admission {
    if (cookie !== undefined && isSameSecret(cookie, this.cookie)) return { kind: 'cookie' };
    if (token === undefined) return { kind: 'unknown' };
    const now = this.#now();
    this.#wrongAt = this.#wrongAt.filter((at) => now - at < WITHIN_MS);
    const [oldest = now] = this.#wrongAt;
    if (this.#wrongAt.length >= MOST_WRONG) {
      return { kind: 'wait', seconds: Math.max(1, Math.ceil((oldest + WITHIN_MS - now) / 1000)) };
    }
    if (isSameSecret(token, this.token)) return { kind: 'token' };
    this.#wrongAt = [...this.#wrongAt, now];
    return { kind: 'unknown' };
  }
}
