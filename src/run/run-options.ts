import type { Agent } from '../iteration/agent.js';
import type { DefinedAgent } from '../iteration/cli-agent.js';
import type { Journal } from '../journal/journal.js';
import type { Environment } from '../journal/run-places.js';
import type { ExtraKeys } from '../journal/snapshot.js';
import type { ConditionFunctions } from '../model/condition-function.js';
import { ConfigError } from '../model/errors.js';
import { unknownKeys } from '../model/nearest.js';
import type { RunState } from '../model/run-state.js';
import type { RunSource } from './live-handle.js';
import type { RunParts } from './run-host.js';

/** What a caller may put in place of the usual. */
export interface RunOptions {
  /** The default is the environment of the process. */
  readonly environment?: Environment | undefined;
  /** In place of the agent that the spec names: one that runs, or a CLI described by `defineAgent`. */
  readonly agent?: Agent | DefinedAgent | undefined;
  /** In place of the reviewer that the config names, such as `modelReviewer` of `pawl/agent`. It gets one task for each review. */
  readonly reviewer?: Agent | undefined;
  /** In place of a journal in the working directory. */
  readonly journal?: Journal | undefined;
  readonly functions?: ConditionFunctions | undefined;
  /** Wall time in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Told of what went wrong without harm to the record. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Whether other processes of this user, its agent included, reach the run through a socket. The default is yes, and no with a `journal`. */
  readonly control?: boolean | undefined;
  /** Throws when the record of a run is not one to continue with. Asked once it is open, before anything is started. */
  readonly accept?: ((recorded: RunState) => void) | undefined;
  /** Commands that make sense in a state, for anyone who is notified. */
  readonly nextCommands?: ((runId: string, state: RunState) => readonly string[]) | undefined;
  /** What keeps the run in place of this machine's disk. */
  readonly host?: RunParts['host'];
  /** What is different from the code that started the run. */
  readonly changed?: RunSource['changed'];
  /** More keys at the top of `state.json`. */
  readonly extraKeys?: ExtraKeys | undefined;
}

const OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  environment: true,
  agent: true,
  reviewer: true,
  journal: true,
  functions: true,
  now: true,
  onWarning: true,
  control: true,
  accept: true,
  nextCommands: true,
  host: true,
  changed: true,
  extraKeys: true,
};

/** Throws ConfigError for options that no one knows: they would be done without. */
export function checkRunOptions(options: object): void {
  const unknown = unknownKeys(options, Object.keys(OPTIONS), 'option');
  if (unknown.length > 0) throw new ConfigError(unknown);
}
