/** Runs one statement; `$1` stands for the first value. Rows come as `pg` makes them: a bigint is a string, a timestamptz a Date. */
export type Query = <Row extends object = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** One connection that nobody else uses. */
export interface Session {
  /** No answer within `timeoutMs` loses the session: what its connection still brings belongs to nobody. */
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    timeoutMs?: number,
  ): Promise<readonly Row[]>;
  /** Told once, also when it was lost before the call; never because of `end`. Must not throw. */
  onLost(listener: (error: Error) => void): void;
  /** Bounded and repeatable. */
  end(): Promise<void>;
}

export type OnNotice = (channel: string, payload: string) => void;

/** A Postgres that was reached once. Its errors are in words where words help; see `database-error.ts`. */
export interface Database {
  readonly query: Query;
  /** All of `work` or nothing of it. When the connection is lost in the commit, nobody knows which. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  session(): Promise<Session>;
  /**
   * Tells every notice on the channels, which share a connection. After a lost connection it listens again and tells an empty
   * payload for each, because notices may have been missed. Returns what ends it.
   */
  listen(channels: readonly string[], onNotice: OnNotice): Promise<() => Promise<void>>;
  /** Bounded and repeatable. */
  close(): Promise<void>;
}
