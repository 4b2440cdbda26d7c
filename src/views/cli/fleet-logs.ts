import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../fleet/database.js';
import { findFleetRun } from '../../fleet/find-fleet-run.js';
import { type FleetRun, readFleet } from '../../fleet/fleet-status.js';
import { readEvents } from '../../fleet/read-events.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { reduce } from '../../model/reduce.js';
import { INITIAL_STATE } from '../../model/run-state.js';
import { oneLine } from '../terminal/one-line.js';
import { type FleetOptions, withFleet } from './fleet-connection.js';
import { stateWord, whyText } from './fleet-status.js';
import { iterationPrinter } from './log-printers.js';
import type { Terminal } from './terminal.js';

export interface FleetLogsOptions extends FleetOptions {
  readonly follow?: boolean;
  readonly json?: boolean;
}

const LOOK_MS = 500;

/** What the agent of a run said and did, wherever; with `follow` until the run ends. */
export async function fleetLogsCommand(
  reference: string,
  { follow, json, postgres }: FleetLogsOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withFleet(postgres === undefined ? {} : { postgres }, terminal, async (database) => {
    const id = await findFleetRun(database, reference);
    const { show } = iterationPrinter(undefined, json === true, terminal);
    const isOver = () => terminal.outlet?.isClosed() === true;
    let state = INITIAL_STATE;
    for (;;) {
      // Asked before the events are read: of a run that had ended there are no more.
      const run = await runOf(database, id);
      for await (const event of readEvents(database.query, id, { fromSeq: state.seq + 1 })) {
        const before = state;
        state = reduce(before, event);
        await show(event, before, state);
        if (isOver()) return EXIT_CODES.goal;
      }
      const hasEnded = run === undefined || run.state === 'ended';
      if (hasEnded || follow !== true || isOver()) {
        if (run !== undefined && json !== true) sayWhere(run, state.seq, terminal);
        return EXIT_CODES.goal;
      }
      await sleep(LOOK_MS);
    }
  });
}

async function runOf(database: Database, id: string): Promise<FleetRun | undefined> {
  return (await readFleet(database, { ids: [id] })).runs[0];
}

/** How it ended, or that nothing is there to read yet. */
function sayWhere(run: FleetRun, lastSeq: number, terminal: Terminal): void {
  const why = whyText(run);
  const where = oneLine(`${stateWord(run)}${why === '' ? '' : `: ${why}`}`, 300);
  if (run.state === 'ended') terminal.say(where);
  else if (lastSeq === 0) terminal.note(`nothing is recorded of ${run.id} yet: it is ${where}`);
}
