import { headOf } from '../model/figures.js';
import type { Database } from './database.js';

/** What keeps a run from going on, in its row, for whoever looks at the fleet. */
export class RunTrouble {
  readonly #database: Pick<Database, 'query'>;
  readonly #run: { readonly id: string; readonly epoch: number };
  #told: string | undefined;
  #telling: Promise<unknown> = Promise.resolve();

  constructor(database: Pick<Database, 'query'>, run: { readonly id: string; readonly epoch: number }) {
    this.#database = database;
    this.#run = run;
  }

  /** Undefined when it has passed. Nobody waits for it, and what the database does not take is told by the worker alone. */
  tell(trouble: string | undefined): void {
    if (trouble === this.#told) return;
    this.#told = trouble;
    const { id, epoch } = this.#run;
    const kept = trouble === undefined ? null : forPostgres(trouble);
    this.#telling = this.#telling.then(() => this.#database.query(KEEP, [id, epoch, kept])).catch(() => undefined);
  }
}

const KEEP = `update pawl.runs set trouble = $3 where id = $1 and epoch = $2 and state = 'running'`;

/** A remote may say anything, and Postgres keeps no NUL. */
export function forPostgres(text: string): string {
  return headOf(text.replaceAll('\0', ' '), 1000);
}
