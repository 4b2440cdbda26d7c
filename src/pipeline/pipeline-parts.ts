import type { RunParts } from '../run/run-host.js';
import type { PipelinePlan } from './pipeline-plan.js';
import type { AttemptEnd, AttemptTask } from './attempt-task.js';
import type { AttemptSignals } from './run-attempt.js';

/** What a pipeline is made of. */
export interface PipelineParts {
  readonly run: RunParts;
  readonly plan: PipelinePlan;
  /** Makes an item once and has it judged. Rejects only when the run cannot continue. */
  readonly attempt: (task: AttemptTask, signals: AttemptSignals) => Promise<AttemptEnd>;
  readonly place: (index: number, attempt: number, hash: string) => Promise<'placed' | 'lost'>;
  /** Of items with the hash of their approved output: those whose output is gone or has changed. */
  readonly lost: (items: Iterable<readonly [number, string]>) => Promise<readonly number[]>;
  /** Work on these only, and leave the others as they are. */
  readonly only?: ReadonlySet<number> | undefined;
}
