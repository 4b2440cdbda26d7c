import type { StopCondition } from '../model/condition.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { StopReason } from '../model/verdict.js';
import type { StopClass } from '../model/stop-class.js';

/** A stop from which the run continued, because someone resumed it. */
export interface EarlierStop {
  readonly seq: number;
  readonly iteration: number;
  readonly class?: StopClass | undefined;
  readonly reasons: readonly StopReason[];
  readonly error?: string | undefined;
  /** Limits that it was resumed with. */
  readonly extended: readonly StopCondition[];
}

/** Collects the stops of a record, and with what the run was resumed. */
export class EarlierStops {
  readonly #resumed: EarlierStop[] = [];
  #ended: EarlierStop | undefined;
  /** Limits that are extended before the next iteration belong to the resume. */
  #isBetween = false;

  at(iteration: number): EarlierStop | undefined {
    return this.#resumed.findLast((stop) => stop.iteration === iteration);
  }

  before(seq: number): readonly EarlierStop[] {
    return this.#resumed.filter((stop) => stop.seq < seq);
  }

  see(event: RunEvent, { iterations: iteration }: RunState): void {
    switch (event.type) {
      case 'run-ended':
        this.#ended = { ...stopOf(event), iteration };
        this.#isBetween = false;
        return;
      case 'run-resumed':
        if (this.#ended === undefined) return;
        this.#resumed.push(this.#ended);
        this.#ended = undefined;
        this.#isBetween = true;
        return;
      case 'limit-extended':
        this.#extend(event.limit);
        return;
      case 'iteration-started':
        this.#isBetween = false;
        return;
      default:
    }
  }

  #extend(limit: StopCondition): void {
    if (this.#ended !== undefined) this.#ended = withLimit(this.#ended, limit);
    const last = this.#resumed.pop();
    if (last !== undefined) this.#resumed.push(this.#isBetween ? withLimit(last, limit) : last);
  }
}

function withLimit(stop: EarlierStop, limit: StopCondition): EarlierStop {
  return { ...stop, extended: [...stop.extended, limit] };
}

function stopOf({ seq, class: stopClass, reasons, error }: Extract<RunEvent, { readonly type: 'run-ended' }>) {
  return { seq, class: stopClass, reasons, error, extended: [] };
}
