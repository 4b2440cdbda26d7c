import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, messageOf } from '../model/errors.js';
import type { Database, Session } from './database.js';
import { mayPass } from './database-error.js';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2000;
const SHORTEST_TTL_MS = 400;

export interface LeaseOptions {
  /** After this long without a sign of life the worker's runs are given to others. */
  readonly ttlMs: number;
  /** How many runs it works on at a time. */
  readonly slots: number;
  readonly labels: readonly string[];
}

/** The lease is not held: the worker's runs may be another's by now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * L1 `lost` comes before anybody else can take the runs of a worker that was frozen or cut off: after half the time that the
 * server waits, counted from when the last answered beat was sent.
 * L2 A lease that was lost never comes back: the next one has another worker id.
 */
export interface Lease {
  readonly workerId: string;
  /** Aborted with a `LeaseLost` for good: end the agents of this worker's runs. Not aborted by `end`. */
  readonly lost: AbortSignal;
  /** Resolves when the lease is held right now, which one round trip shows. Rejects with `LeaseLost`. */
  prove(): Promise<void>;
  /**
   * A new lease in place of this one, which ends: call it when nothing of this worker's runs is alive. It tries until the
   * database answers or `signal` is aborted.
   */
  retake(signal?: AbortSignal): Promise<Lease>;
  /** Gives the lease back. What the worker has not released goes to others. Repeatable. */
  end(): Promise<void>;
}

/** Registers this process as a worker and holds a lock of the database for it, on a connection of its own. */
export async function takeLease(database: Database, options: LeaseOptions): Promise<Lease> {
  const { ttlMs } = options;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < SHORTEST_TTL_MS) {
    throw new ConfigError([{ path: 'ttl', message: `a lease is held for at least ${SHORTEST_TTL_MS} ms` }]);
  }
  const identity = {
    id: `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`,
    lockKey: randomBytes(8).readBigInt64BE().toString(),
  };
  const session = await holdingSession(database, identity.lockKey, ttlMs);
  const sentAtMs = performance.now();
  try {
    await register(session, identity, options);
  } catch (error) {
    await session.end();
    throw error;
  }
  return new SessionLease(database, options, identity, session, sentAtMs);
}

interface Identity {
  readonly id: string;
  readonly lockKey: string;
}

class SessionLease implements Lease {
  readonly #database: Database;
  readonly #options: LeaseOptions;
  readonly #identity: Identity;
  readonly #lost = new AbortController();
  readonly #over: Promise<void>;
  #session: Session | undefined;
  #beatenAtMs: number;
  #deadline: NodeJS.Timeout | undefined;
  #nextBeat: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;

  constructor(database: Database, options: LeaseOptions, identity: Identity, session: Session, sentAtMs: number) {
    this.#database = database;
    this.#options = options;
    this.#identity = identity;
    this.#beatenAtMs = sentAtMs;
    this.#over = new Promise((resolve) => this.lost.addEventListener('abort', () => resolve(), { once: true }));
    this.#use(session);
    this.#arm();
  }

  get workerId(): string {
    return this.#identity.id;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async prove(): Promise<void> {
    // A worker that was stopped may come here before its timers do.
    this.#checkDeadline();
    await Promise.race([this.#beat(), this.#over]);
    this.#checkDeadline();
    if (this.#ending !== undefined) throw new LeaseLost('the lease was given back');
    this.lost.throwIfAborted();
  }

  async retake(signal?: AbortSignal): Promise<Lease> {
    await this.end();
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, LAST_RETRY_MS)) {
      signal?.throwIfAborted();
      try {
        return await takeLease(this.#database, this.#options);
      } catch (error) {
        if (!mayPass(error)) throw error;
        await sleep(delayMs, undefined, signal === undefined ? {} : { signal });
      }
    }
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#deadline);
    clearTimeout(this.#nextBeat);
    const session = this.#session;
    this.#session = undefined;
    // Its row goes only while its lock is held; without, whoever sweeps takes both.
    if (!this.lost.aborted) {
      await session
        ?.query('delete from pawl.workers where id = $1', [this.workerId], this.#answerMs)
        .catch(() => undefined);
    }
    await session?.end();
  }

  /** Often: what passes between the last answer and the end of an outage is taken off the time that it may last. */
  get #beatMs(): number {
    return this.#options.ttlMs / 10;
  }

  get #answerMs(): number {
    return this.#options.ttlMs / 4;
  }

  get #isOver(): boolean {
    return this.lost.aborted || this.#ending !== undefined;
  }

  #use(session: Session): void {
    this.#session = session;
    session.onLost(() => {
      if (this.#session !== session) return;
      this.#session = undefined;
      if (!this.#isOver) void this.#beat();
    });
  }

  #arm(): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#nextBeat);
    if (this.#isOver) return;
    const sinceMs = performance.now() - this.#beatenAtMs;
    this.#deadline = setTimeout(() => this.#checkDeadline(), Math.max(0, this.#options.ttlMs / 2 - sinceMs) + 1);
    this.#nextBeat = setTimeout(() => void this.#beat(), Math.max(0, this.#beatMs - sinceMs));
  }

  #checkDeadline(): void {
    const silentMs = performance.now() - this.#beatenAtMs;
    if (silentMs < this.#options.ttlMs / 2) return;
    this.#lose(`the database has not heard from this worker for ${Math.round(silentMs)} ms`);
  }

  #lose(why: string): void {
    if (this.#isOver) return;
    clearTimeout(this.#deadline);
    clearTimeout(this.#nextBeat);
    // The session stays as it is: the server ends it by its own time, which is what is left to end the agents in.
    this.#lost.abort(new LeaseLost(`the lease is lost: ${why}`));
  }

  /** Those who ask together have their beats one after the other. Never rejects. */
  #beat(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#beatUntilAnswered());
    return this.#turn;
  }

  async #beatUntilAnswered(): Promise<void> {
    for (let delayMs = FIRST_RETRY_MS; !this.#isOver; delayMs = Math.min(delayMs * 2, this.#beatMs / 2)) {
      this.#checkDeadline();
      if (await this.#isAnswered()) return;
      await Promise.race([sleep(delayMs), this.#over]);
    }
  }

  async #isAnswered(): Promise<boolean> {
    try {
      const session = this.#session ?? (await this.#reopen());
      if (session === undefined) return true;
      const sentAtMs = performance.now();
      const known = await session.query('select 1 from pawl.workers where id = $1', [this.workerId], this.#answerMs);
      if (known.length === 0) this.#lose('another worker has found this one dead');
      this.#beatenAtMs = sentAtMs;
      this.#arm();
      return true;
    } catch (error) {
      if (!mayPass(error) && !(error instanceof LockNotFree)) this.#lose(messageOf(error));
      return false;
    }
  }

  /** The same lock on a new connection: whoever swept in between has taken the row that is looked for next. */
  async #reopen(): Promise<Session | undefined> {
    const session = await holdingSession(this.#database, this.#identity.lockKey, this.#options.ttlMs);
    if (this.#isOver) {
      await session.end();
      return undefined;
    }
    this.#use(session);
    return session;
  }
}

async function register(session: Session, { id, lockKey }: Identity, options: LeaseOptions): Promise<void> {
  await session.query(
    `insert into pawl.workers (id, lock_key, host, pid, slots, labels) values ($1, $2, $3, $4, $5, $6)`,
    [id, lockKey, hostname(), process.pid, options.slots, options.labels],
    options.ttlMs / 4,
  );
}

/** A session that holds the lock and that the server ends when it is silent for too long, with all that it holds. */
async function holdingSession(database: Database, lockKey: string, ttlMs: number): Promise<Session> {
  const session = await database.session();
  try {
    const [row] = await session.query<{ held: boolean }>(
      `select set_config('idle_session_timeout', $2, false), set_config('idle_in_transaction_session_timeout', $2, false),
         pg_try_advisory_lock($1::bigint) as held`,
      [lockKey, String(ttlMs)],
      ttlMs / 4,
    );
    if (row?.held === true) return session;
    throw new LockNotFree('the lock of this worker is not free yet');
  } catch (error) {
    await session.end();
    throw error;
  }
}

/** The server has not noticed the end of the session before, or somebody looks whether the lock is held. */
class LockNotFree extends Error {}
