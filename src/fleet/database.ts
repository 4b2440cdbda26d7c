/**
 * Runs one statement; `$1` stands for the first value. Rows come as `pg` makes them: a bigint is a string, a timestamptz a
 * Date. No answer within `withinMs` is an error, and what its connection still brings belongs to nobody.
 */
export type Query = <Row extends object = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
  withinMs?: number,
) => Promise<readonly Row[]>;

/** A Postgres that was reached once. Its errors are in words where words help; see `database-error.ts`. */
export interface Database {
  readonly query: Query;
  /** All of `work` or nothing of it. When the connection is lost in the commit, nobody knows which. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Bounded and repeatable. */
  close(): Promise<void>;
}
