import type { RunEvent } from '../../../model/run-event.js';
import type { ItemDetail, IterationDetail } from '../wire/api.js';
import type { FoldedRun } from './folded-run.js';
import { Refusal } from './refusal.js';

/** All tries of an iteration, up to its verdict. */
export async function iterationDetail(folded: FoldedRun, iteration: number): Promise<IterationDetail> {
  await folded.catchUp();
  const before = folded.view.rows.findLast((row) => row.iteration < iteration);
  const window = new EventWindow();
  let isBegun = false;
  let isEnded = false;
  for await (const event of folded.eventsAfter(before?.seq ?? 0)) {
    if (event.type === 'iteration-started') {
      if (isBegun && event.iteration !== iteration) break;
      isBegun = event.iteration === iteration;
      isEnded = false;
    }
    if (!isBegun || isEnded) continue;
    window.add(event);
    isEnded = event.type === 'verdict-reached' && !isOpen(folded, iteration, event);
  }
  const found = window.end();
  if (found.events.length === 0) throw new Refusal(404, `iteration ${iteration} is not in the record`);
  return { iteration, ...found };
}

/** A verdict in the middle of an iteration is not its last. */
function isOpen({ view }: FoldedRun, iteration: number, { seq }: RunEvent): boolean {
  const ended = view.rows.findLast((row) => row.iteration === iteration);
  return ended === undefined || seq < ended.seq;
}

export async function itemDetail(folded: FoldedRun, index: number): Promise<ItemDetail> {
  const window = new EventWindow();
  for await (const event of folded.eventsAfter(0)) {
    if ('index' in event && event.index === index) window.add(event);
  }
  const found = window.end();
  if (found.events.length === 0) throw new Refusal(404, `nothing is recorded for item ${index} yet`);
  return { index, ...found };
}

const MOST_EVENTS = 2000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The newest events of many, as far as a page can take them. */
export class EventWindow {
  #events: { readonly event: RunEvent; readonly characters: number }[] = [];
  #characters = 0;
  #omitted = 0;

  add(event: RunEvent): void {
    // No one reads those.
    if (event.type === 'tick') return;
    const characters = JSON.stringify(event).length;
    this.#events.push({ event, characters });
    this.#characters += characters;
    if (this.#events.length >= 2 * MOST_EVENTS || this.#characters > 2 * MOST_CHARACTERS) this.#cut();
  }

  end(): { readonly events: readonly RunEvent[]; readonly omitted: number } {
    this.#cut();
    return { events: this.#events.map(({ event }) => event), omitted: this.#omitted };
  }

  #cut(): void {
    let first = Math.max(0, this.#events.length - MOST_EVENTS);
    for (const { characters } of this.#events.slice(0, first)) this.#characters -= characters;
    while (this.#characters > MOST_CHARACTERS && first < this.#events.length - 1) {
      this.#characters -= this.#events[first]?.characters ?? 0;
      first += 1;
    }
    this.#events = this.#events.slice(first);
    this.#omitted += first;
  }
}
