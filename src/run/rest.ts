import { uptime } from 'node:os';

/** How a rest ended: its time was up, somebody ended it on purpose, or something else needs the loop. */
export type RestEnd = 'elapsed' | 'woken' | 'disturbed';

/** A timer stands while the machine sleeps: a wait for somebody outside looks this often how long it has lasted. */
const SLEEP_CHECK_MS = 30_000;
/** Of the two clocks that are compared, one is coarse. */
const SHORTEST_SLEEP_MS = 1000;
const LONGEST_TIMER_MS = 86_400_000;

/** One thing at a time that the loop waits for between two iterations. */
export class Rest {
  #end: ((how: RestEnd) => void) | undefined;
  #disturbed = false;

  /** Waits for so much time, or without one until it is woken or disturbed. */
  async sleep(durationMs = Number.POSITIVE_INFINITY): Promise<RestEnd> {
    const endMs = performance.now() + durationMs;
    for (;;) {
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return this.#disturbed ? 'disturbed' : 'elapsed';
      // oxlint-disable-next-line no-await-in-loop -- timers have a longest time
      const how = await this.#wait(Math.min(leftMs, LONGEST_TIMER_MS));
      if (how !== 'elapsed') return how;
    }
  }

  /** Waits for so much time, the machine's sleep included. The wall clock may jump meanwhile: it is not looked at. */
  async outlast(durationMs: number, upMs: () => number = () => uptime() * 1000): Promise<RestEnd> {
    const [startMs, startUpMs] = [performance.now(), upMs()];
    for (;;) {
      const awakeMs = performance.now() - startMs;
      const asleepMs = upMs() - startUpMs - awakeMs;
      const leftMs = durationMs - awakeMs - (asleepMs < SHORTEST_SLEEP_MS ? 0 : asleepMs);
      if (leftMs <= 0) return this.#disturbed ? 'disturbed' : 'elapsed';
      // oxlint-disable-next-line no-await-in-loop -- the clocks are looked at again and again
      const how = await this.#wait(Math.min(leftMs, SLEEP_CHECK_MS));
      if (how !== 'elapsed') return how;
    }
  }

  /** What it was waiting for has come. */
  wake(): void {
    this.#end?.('woken');
  }

  /** The loop has to look at the record. Stays so until the next rest begins. */
  disturb(): void {
    this.#disturbed = true;
    this.#end?.('disturbed');
  }

  begin(): void {
    this.#disturbed = false;
  }

  #wait(durationMs: number): Promise<RestEnd> {
    if (this.#disturbed) return Promise.resolve('disturbed');
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish('elapsed'), durationMs);
      const finish = (how: RestEnd): void => {
        clearTimeout(timer);
        this.#end = undefined;
        resolve(how);
      };
      this.#end = finish;
    });
  }
}
