import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../fleet/database.js';
import { mayPass } from '../../../fleet/database-error.js';
import { findFleetRun } from '../../../fleet/find-fleet-run.js';
import { type FleetRun, readFleetRun } from '../../../fleet/fleet-status.js';
import { readEvents } from '../../../fleet/read-events.js';
import { messageOf } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { reduce } from '../../../model/reduce.js';
import { INITIAL_STATE } from '../../../model/run-state.js';
import { oneLine, printable } from '../../../words/printable.js';
import { type FleetOptions, withFleet } from './fleet-connection.js';
import { fleetOutcome, whyText } from '../../../app/fleet-words.js';
import { iterationPrinter } from '../inspect/log-printers.js';
import type { Reader } from '../../../app/read-record.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface FleetLogsOptions extends FleetOptions {
  readonly follow?: boolean;
  readonly json?: boolean;
}

const LOOK_MS = 500;

/** What the agent of a run said and did, wherever; with `follow` until the run ends, however often the database goes away. */
export async function fleetLogsCommand(
  reference: string,
  { follow, json, postgres }: FleetLogsOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return withFleet(postgres === undefined ? {} : { postgres }, context, async (database) => {
    const id = await findFleetRun(database, reference);
    const log = new FleetLog(database, id, json === true, context.terminal);
    for (let looks = 0; ; looks += 1) {
      const run = await (follow === true ? log.readThroughOutages() : log.read());
      if (log.isOver()) return EXIT_CODES.goal;
      if (run === undefined || run.state === 'ended' || follow !== true) {
        if (run !== undefined && json !== true) sayWhere(run, log.lastSeq, context);
        return EXIT_CODES.goal;
      }
      if (looks === 0) sayWhere(run, log.lastSeq, context);
      await sleep(LOOK_MS);
    }
  });
}

/** What has been printed of a run, and what comes after it: each event once, whatever happens to the connection. */
class FleetLog {
  readonly #database: Database;
  readonly #id: string;
  readonly #terminal: Terminal;
  readonly #show: Reader;
  #state = INITIAL_STATE;
  #trouble: string | undefined;

  constructor(database: Database, id: string, json: boolean, terminal: Terminal) {
    this.#database = database;
    this.#id = id;
    this.#terminal = terminal;
    this.#show = iterationPrinter({ json, isOfFleet: true }, terminal).show;
  }

  get lastSeq(): number {
    return this.#state.seq;
  }

  /** Nobody reads what is printed. */
  isOver(): boolean {
    return this.#terminal.outlet?.isClosed() === true;
  }

  /** Prints what is new. Returns how it stands with the run, if there is one. */
  async read(): Promise<FleetRun | undefined> {
    // Asked before the events are read: of a run that had ended there are no more.
    const run = await readFleetRun(this.#database, this.#id);
    for await (const event of readEvents(this.#database.query, this.#id, { fromSeq: this.#state.seq + 1 })) {
      const before = this.#state;
      this.#state = reduce(before, event);
      await this.#show(event, before, this.#state);
      if (this.isOver()) break;
    }
    this.#tellTrouble(run);
    return run;
  }

  /** Not in the record: it passes, or the run ends with it. */
  #tellTrouble(run: FleetRun | undefined): void {
    if (run?.trouble !== undefined && run.trouble !== this.#trouble) {
      this.#terminal.note(`pawl: ${oneLine(`${run.id}: ${run.trouble}`, 600)}`);
    }
    this.#trouble = run?.trouble;
  }

  /** The same; a database that is away is waited for. */
  async readThroughOutages(): Promise<FleetRun | undefined> {
    let isSaid = false;
    for (;;) {
      try {
        const run = await this.read();
        if (isSaid) this.#terminal.note('pawl: the database is back');
        return run;
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (!isSaid) this.#terminal.note(`pawl: ${printable(messageOf(error))}; continuing when it is back`);
        isSaid = true;
        if (this.isOver()) return undefined;
        await sleep(LOOK_MS);
      }
    }
  }
}

/** How it ended, or that nothing is there to read yet. */
function sayWhere(run: FleetRun, lastSeq: number, context: CommandContext): void {
  const { terminal } = context;
  const why = whyText(run, context.now());
  const where = oneLine(`${fleetOutcome(run).word}${why === '' ? '' : `: ${why}`}`, 600);
  if (run.state === 'ended') terminal.say(where);
  else if (lastSeq === 0) terminal.note(`nothing is recorded for ${run.id} yet: it is ${where}`);
}
