import type { Client } from 'pg';
import type { OnNotice, Session } from './database.js';

const TIMEOUT_MS = 30_000;
const END_WITHIN_MS = 1000;

/** A connected client of `pg` as a session. */
export class PostgresSession implements Session {
  readonly #client: Client;
  readonly #inWords: (error: unknown) => unknown;
  readonly #onGone: () => void;
  #lost: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | undefined;
  readonly #listeners = new Set<(error: Error) => void>();

  /** `onGone` is told when it is lost or ended. */
  constructor(client: Client, inWords: (error: unknown) => unknown, onGone: () => void) {
    this.#client = client;
    this.#inWords = inWords;
    this.#onGone = onGone;
    client.on('error', (error) => this.#lose(error));
    client.on('end', () => this.#lose(new Error('Connection terminated')));
  }

  async connect(onNotice?: OnNotice): Promise<void> {
    if (onNotice !== undefined)
      this.#client.on('notification', ({ channel, payload }) => onNotice(channel, payload ?? ''));
    try {
      await this.#client.connect();
    } catch (error) {
      await this.end();
      throw this.#inWords(error);
    }
  }

  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values: readonly unknown[] = [],
    timeoutMs = TIMEOUT_MS,
  ): Promise<readonly Row[]> {
    if (this.#lost !== undefined) throw this.#lost;
    const late = setTimeout(() => this.#lose(new Error('Query read timeout')), timeoutMs);
    let stopWaiting = (_error: Error): void => {};
    const lost = new Promise<never>((_, reject) => {
      stopWaiting = reject;
    });
    this.#listeners.add(stopWaiting);
    try {
      const { rows } = await Promise.race([this.#inTurn(() => this.#client.query<Row>(text, [...values])), lost]);
      return rows;
    } catch (error) {
      throw this.#inWords(error);
    } finally {
      clearTimeout(late);
      this.#listeners.delete(stopWaiting);
    }
  }

  /** A client takes one statement at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn;
    return turn;
  }

  onLost(listener: (error: Error) => void): void {
    if (this.#lost === undefined) this.#listeners.add(listener);
    else listener(this.#lost);
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#listeners.clear();
    this.#onGone();
    const late = setTimeout(() => this.#cut(), END_WITHIN_MS);
    try {
      if (this.#lost === undefined) await this.#client.end();
    } catch {
      // It is gone, which is what was wanted.
    } finally {
      clearTimeout(late);
    }
  }

  #lose(error: Error): void {
    if (this.#lost !== undefined) return;
    const words = this.#inWords(error);
    this.#lost = words instanceof Error ? words : error;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    this.#cut();
    this.#onGone();
    for (const listener of listeners) listener(this.#lost);
  }

  /** Without a goodbye, which a connection that is cut off would never deliver. */
  #cut(): void {
    this.#client.connection.stream.destroy();
  }
}
