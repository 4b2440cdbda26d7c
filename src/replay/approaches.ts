import type { StopCondition } from '../model/condition.js';
import { conditionKey } from '../model/condition-key.js';
import type { PolicyEntry } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import type { ConditionStatus, StopConditionResult } from '../model/verdict.js';

/** The closest that a condition came, and when that was first. */
export interface Closest {
  /** Iterations that had ended by then; of a pipeline attempts. */
  readonly iteration: number;
  readonly status: ConditionStatus;
  readonly progress?: number | undefined;
  readonly sentence: string;
}

interface JudgedMoment {
  readonly state: RunState;
  readonly judged: readonly { readonly entry: PolicyEntry; readonly result: StopConditionResult }[];
}

/** A limit that was raised is another condition; one that only moved in its list is the same. */
export function approachKey({ class: stopClass, condition }: PolicyEntry): string {
  return `${stopClass} ${conditionKey(condition)}`;
}

/** The place of a condition inside another. */
export function stepInto({ type }: StopCondition, index: number): string {
  return type === 'all' || type === 'any' ? `.conditions[${index}]` : '.condition';
}

/** How close each condition came in the judgements so far, also inside of composites. */
export class Approaches {
  readonly #closest = new Map<string, Closest>();

  add({ state, judged }: JudgedMoment): void {
    for (const { entry, result } of judged) {
      this.#addResult(result, approachKey(entry), state.iterations);
    }
  }

  closest(key: string): Closest | undefined {
    return this.#closest.get(key);
  }

  #addResult(result: StopConditionResult, key: string, iteration: number): void {
    const { status, progress, reason, condition, children = [] } = result;
    const known = this.#closest.get(key);
    if (score(result) > (known === undefined ? 0 : score(known))) {
      this.#closest.set(key, { iteration, status, progress, sentence: reason });
    }
    for (const [index, child] of children.entries()) {
      this.#addResult(child, `${key}${stepInto(condition, index)}`, iteration);
    }
  }
}

/** What is not known, and what has no degrees, was not close unless it was met. */
function score({ status, progress }: Pick<Closest, 'status' | 'progress'>): number {
  if (status === 'met') return 2;
  return status === 'unknown' ? 0 : (progress ?? 0);
}
