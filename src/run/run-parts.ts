import type { Agent } from '../iteration/agent.js';
import type { GuardWatch } from '../iteration/guard-watch.js';
import type { OutputPlace } from '../iteration/raw-output.js';
import type { TreeWatch } from '../iteration/tree-watch.js';
import type { Journal } from '../journal/journal.js';
import type { ConditionFunctions } from '../model/condition-function.js';
import type { RunSpec } from '../model/run-spec.js';
import type { BatchAccount } from './batch-watch.js';
import type { DayLedger } from './day-ledger.js';

/** What a run is made of. */
export interface RunParts {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly configHash: string;
  /** Of what takes part, beside Pawl and Node. */
  readonly versions?: Readonly<Record<string, string>> | undefined;
  readonly journal: Journal;
  /** Runs of the tree whose runner died: what they left running is ended before anything is started. */
  readonly deadRuns?: readonly string[] | undefined;
  /** Records that a loss of power took: what was spent in them is not known. */
  readonly lostRecords?: number | undefined;
  readonly agent: Agent;
  readonly tree: TreeWatch | undefined;
  /** Undefined when the policy protects nothing. */
  readonly guard: GuardWatch | undefined;
  /** The machine's account of the day; undefined without files. */
  readonly ledger?: DayLedger | undefined;
  /** What the run shares with others that may be on other machines. */
  readonly batch?: BatchAccount | undefined;
  readonly functions: ConditionFunctions;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** A secret that came up during the run: in place of the one before of that name, it is taken out of all that follows. */
  readonly keepSecret?: ((name: string, value: string) => void) | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the raw output of an iteration is kept. */
  readonly outputPlace?: ((iteration: number, attempt: number) => OutputPlace) | undefined;
  /** After so many in a row without an iteration ended the run is given up, in place of the usual three. */
  readonly mostCrashes?: number | undefined;
  /** Whoever had the run before has left it between two iterations. */
  readonly wasLeft?: boolean | undefined;
  /**
   * Brings what the tree holds to where it outlives this machine. Resolves with why it never will be there when the run goes
   * on elsewhere without; rejects when the run must not go on. With `ending` the run is to end: what may pass is not waited for.
   */
  readonly publishWork?: ((ending: AbortSignal) => Promise<{ readonly lost: string } | undefined>) | undefined;
  /** Whoever has the run ends: what goes on gets a last moment, and another goes on with it. */
  readonly leaving?: AbortSignal | undefined;
  /** The commit that the tree began with: of repositories that came into it since, the files are committed. */
  readonly commitsSince?: string | undefined;
  /** More that a commit is to tell, by the names of its trailers. */
  readonly commitTrailers?: Readonly<Record<string, string>> | undefined;
  /** Tells whoever looks on what is worth knowing and does no harm. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Wall time in milliseconds. */
  readonly now: () => number;
}
