import type { ConditionFunctions } from '../model/condition-function.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import type { Agent } from './agent.js';
import type { GuardWatch } from './guard-watch.js';
import type { Questions } from './questions.js';
import type { NarratingRun } from './narrate.js';
import type { OutputPlace } from './raw-output.js';
import type { Reviewer } from './reviewer.js';
import type { StopSignal } from './stop-signal.js';
import type { TreeWatch } from './tree-watch.js';

/** What everything in a run works with: what it is made of, its record, and how it is ended. */
export interface RunContext extends NarratingRun {
  readonly spec: RunSpec;
  readonly runId: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly agent: Agent;
  /** Gives a second opinion, if the spec asks for one. */
  readonly reviewer?: Reviewer | undefined;
  /** Undefined when changes are not tracked. */
  readonly tree: TreeWatch | undefined;
  /** Undefined when the policy protects nothing. */
  readonly guard: GuardWatch | undefined;
  readonly functions: ConditionFunctions;
  /** Where the raw output of an iteration is kept. */
  readonly outputPlace?: ((iteration: number, attempt: number) => OutputPlace) | undefined;
  readonly journal: { readonly state: RunState };
  readonly questions: Questions;
  /** Throws when `record` could not record something. Called before what must not happen without its record. */
  readonly checkRecord: () => void;
  readonly stop: StopSignal;
}
