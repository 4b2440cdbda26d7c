import type { EventBodies } from '../model/run-event.js';
import { addSpend, isSameSpend, NOTHING_SPENT, type Spend } from '../model/usage.js';

/** Requests that are remembered one by one; of those before, the sum. */
const REMEMBERED = 256;

/** The requests of a turn under way. An agent that invents them without end costs no more memory than a few. */
export class OpenRequests {
  readonly #models = new Map<string, string>();
  readonly #spends = new Map<string, Spend>();
  #earlier: Spend = NOTHING_SPENT;
  #unnamed = 0;
  #priced: boolean | undefined;
  #model: string | undefined;

  /** Whether Pawl has priced these requests, and a report of their sum has no more tokens than they have. */
  covers({ inputTokens = 0, outputTokens = 0 }: Spend): boolean {
    if (this.#priced !== true) return false;
    const sum = [...this.#spends.values()].reduce<Spend>(addSpend, this.#earlier);
    return (sum.inputTokens ?? 0) >= inputTokens && (sum.outputTokens ?? 0) >= outputTokens;
  }

  /** The model of all requests so far; undefined when there are several, or none. */
  get onlyModel(): string | undefined {
    return this.#model === '' ? undefined : this.#model;
  }

  /** The model of a request: a later report may leave it out. */
  modelOf(id: string | undefined, named: string | undefined): string | undefined {
    if (id === undefined) return named;
    if (named === undefined) return this.#models.get(id);
    this.#models.set(id, named);
    if (this.#models.size > REMEMBERED) this.#models.delete(oldestOf(this.#models));
    return named;
  }

  /** A request is reported several times, mostly with the same figures: then there is nothing new in it. */
  isNews({ id, model, spend, rates }: EventBodies['usage-reported']): boolean {
    const known = id === undefined ? undefined : this.#spends.get(id);
    if (known !== undefined && isSameSpend(known, spend)) return false;
    this.#unnamed += 1;
    this.#priced = (this.#priced ?? true) && rates !== undefined;
    this.#model = this.#model === undefined || this.#model === model ? (model ?? '') : '';
    this.#spends.set(id ?? `\0${this.#unnamed}`, spend);
    if (this.#spends.size > REMEMBERED) this.#closeOldest();
    return true;
  }

  clear(): void {
    this.#models.clear();
    this.#spends.clear();
    this.#earlier = NOTHING_SPENT;
    this.#priced = undefined;
  }

  #closeOldest(): void {
    const id = oldestOf(this.#spends);
    this.#earlier = addSpend(this.#earlier, this.#spends.get(id) ?? NOTHING_SPENT);
    this.#spends.delete(id);
  }
}

function oldestOf(map: ReadonlyMap<string, unknown>): string {
  const [oldest = ''] = map.keys();
  return oldest;
}
