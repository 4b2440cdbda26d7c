import type { RunContext } from '../iteration/run-context.js';
import type { Journal } from '../journal/journal.js';
import type { DayLedger } from './day-ledger.js';
import type { RunHost } from './run-host.js';

/** What a run is made of, before it is live. */
export interface RunParts extends Omit<RunContext, 'questions' | 'record' | 'checkRecord' | 'stop'> {
  readonly configHash: string;
  /** Of what takes part, beside Pawl and Node. */
  readonly versions?: Readonly<Record<string, string>> | undefined;
  readonly journal: Journal;
  /** Runs of the tree whose runner died: what they left running is ended before anything is started. */
  readonly deadRuns?: readonly string[] | undefined;
  /** Records that a loss of power took: what was spent in them is not known. */
  readonly lostRecords?: number | undefined;
  /** The machine's account of the day; undefined without files. */
  readonly ledger?: DayLedger | undefined;
  /** Undefined when the run belongs to the directory that it works in. */
  readonly host?: RunHost | undefined;
  /** A secret that came up during the run: it is removed from everything that follows, in place of the one before of that name. */
  readonly keepSecret?: ((name: string, value: string) => void) | undefined;
  /** Tells whoever looks on what is worth knowing and does no harm. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** A run while it is live. */
export type LiveParts = RunParts & RunContext;
