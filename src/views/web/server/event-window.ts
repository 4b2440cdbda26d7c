import type { RunEvent } from '../../../model/run-event.js';

const MOST_EVENTS = 2000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The newest events of many, as far as a page can take them. */
export class EventWindow {
  #events: { readonly event: RunEvent; readonly characters: number }[] = [];
  #characters = 0;
  #omitted = 0;

  add(event: RunEvent): void {
    // Nobody reads those.
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
