const KEEP_ALIVE_MS = 60_000;

/** Where questions wait for a person, one at a time. */
export class QuestionDesk {
  #queue: Promise<unknown> = Promise.resolve();
  #answer: ((text: string) => void) | undefined;

  get isAsking(): boolean {
    return this.#answer !== undefined;
  }

  /** Anyone who asked is given it; false when no one did. */
  answer(text: string): boolean {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(text);
    return answer !== undefined;
  }

  /** The answer; undefined when no one waits for it any more. `onAsked` tells the person, `onOver` that it is over. */
  ask(signal: AbortSignal, onAsked: () => void, onOver: (isAnswered: boolean) => void): Promise<string | undefined> {
    const asked = this.#queue.then(() => this.#ask(signal, onAsked, onOver));
    this.#queue = asked;
    return asked;
  }

  async #ask(
    signal: AbortSignal,
    onAsked: () => void,
    onOver: (isAnswered: boolean) => void,
  ): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const given = new Promise<string | undefined>((resolve) => {
      this.#answer = resolve;
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    onAsked();
    // A process that has nothing else to do would end before anybody has answered.
    const keepsAlive = setInterval(() => undefined, KEEP_ALIVE_MS);
    const text = await given;
    clearInterval(keepsAlive);
    this.#answer = undefined;
    onOver(text !== undefined);
    return text;
  }
}
