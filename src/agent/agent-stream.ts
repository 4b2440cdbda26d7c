import { InvalidState } from '../model/errors.js';
import type { AgentResult } from './agent-result.js';

/** What a stream tells while an agent works. */
export type AgentStreamPart =
  | { readonly type: 'iteration-started'; readonly iteration: number }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
      readonly failed: boolean;
    }
  | { readonly type: 'question'; readonly text: string; readonly choices?: readonly string[] | undefined }
  /** A model call failed; the run waits, continues or ends by it. */
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'iteration-ended'; readonly iteration: number; readonly outcome: string };

export type PartSink = (part: AgentStreamPart) => void;

/**
 * A run as it happens. It can be read once, as parts or as text: a second reader is refused with InvalidState. Who stops
 * reading does not stop the run; a run that cannot begin throws where it is read.
 */
export interface AgentStream extends AsyncIterable<AgentStreamPart> {
  /** Only what the model says. */
  readonly textStream: AsyncIterable<string>;
  /** Resolves at the end of the run, whether anybody reads or not. */
  readonly result: Promise<AgentResult>;
}

/** What is not read yet waits, until the end is told. */
export class PartQueue implements AsyncIterable<AgentStreamPart> {
  #waiting: AgentStreamPart[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;
  #isLeft = false;
  #isRead = false;
  #failure: { readonly error: unknown } | undefined;

  readonly push = (part: AgentStreamPart): void => {
    if (this.#isLeft) return;
    this.#waiting.push(part);
    this.#wake?.();
  };

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** The reader is told, after all parts. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  /** Two readers would each miss what the other got. Throws InvalidState for the second. */
  [Symbol.asyncIterator](): AsyncGenerator<AgentStreamPart> {
    if (this.#isRead) {
      throw new InvalidState('read', 'read', 'the stream is read already: it can be read once, as parts or as text');
    }
    this.#isRead = true;
    return this.#parts();
  }

  async *#parts(): AsyncGenerator<AgentStreamPart> {
    try {
      for (;;) {
        const parts = this.#waiting;
        this.#waiting = [];
        yield* parts;
        if (this.#waiting.length > 0) continue;
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#isOver) return;
        // oxlint-disable-next-line no-await-in-loop -- the next part comes when it comes
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#isLeft = true;
      this.#waiting = [];
    }
  }
}

export function textOnly(parts: AsyncIterable<AgentStreamPart>): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const part of parts) if (part.type === 'text-delta') yield part.text;
    },
  };
}
