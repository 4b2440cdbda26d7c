import type { EventBodies, EventType, NewEvent } from '../model/run-event.js';

type ContextReport = EventBodies['context-reported'];

/** Of tools, errors, denials and the like of one iteration this much is recorded. Usage always is. */
const RECORDED_CHARACTERS = 16 * 1024 * 1024;
/** What a line of the journal takes besides its content. */
const ENVELOPE_CHARACTERS = 120;
/** Of calls of tools and their answers, which no condition reads, so many are recorded. */
const RECORDED_CALLS = 20_000;
/** And so many of each kind in any case: a flood of one does not hide another. */
const ALWAYS_RECORDED = 500;

/** What an agent can repeat without end does not fill the disk. */
export class EventBounds {
  readonly #counts = new Map<EventType, number>();
  #characters = 0;
  #calls = 0;
  /** A denial is recorded, and no call that was allowed since: the next one ends the row of denials. */
  #isDenied = false;
  #fullestPercent = -1;
  /** The latest report of the context, when it had no room. */
  lateContext: NewEvent | undefined;
  /** Events that had no room. */
  dropped = 0;

  /** Whether an event is to be recorded. Counts it either way. */
  admit(event: NewEvent): boolean {
    const count = (this.#counts.get(event.type) ?? 0) + 1;
    this.#counts.set(event.type, count);
    const characters = JSON.stringify(event).length + ENVELOPE_CHARACTERS;
    const isCall = event.type === 'tool-called' || (event.type === 'tool-answered' && !this.#isDenied);
    const isFull = this.#characters + characters > RECORDED_CHARACTERS || (isCall && this.#calls >= RECORDED_CALLS);
    const isNeeded = event.type === 'context-reported' && this.#isFuller(event);
    if (event.type === 'context-reported') this.lateContext = undefined;
    if (count > ALWAYS_RECORDED && isFull && !isNeeded) {
      if (event.type === 'context-reported') this.lateContext = event;
      this.dropped += 1;
      return false;
    }
    this.#characters += characters;
    if (isCall) this.#calls += 1;
    if (event.type === 'permission-denied') this.#isDenied = true;
    if (event.type === 'tool-answered' && event.denied !== true) this.#isDenied = false;
    return true;
  }

  /** Conditions read how full the context is: a report that is fuller by a percent is never left out. */
  #isFuller({ usedTokens, windowTokens }: ContextReport): boolean {
    const percent = Math.min(Math.floor((usedTokens / windowTokens) * 100), 100);
    const isFuller = percent > this.#fullestPercent;
    if (isFuller) this.#fullestPercent = percent;
    return isFuller;
  }
}
