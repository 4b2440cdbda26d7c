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
  | { readonly type: 'question'; readonly text: string }
  | { readonly type: 'iteration-ended'; readonly iteration: number; readonly outcome: string };

export type PartSink = (part: AgentStreamPart) => void;

/** A run as it happens. It can be read once, as parts or as text; who stops reading does not stop the run. */
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

  readonly push = (part: AgentStreamPart): void => {
    if (this.#isLeft) return;
    this.#waiting.push(part);
    this.#wake?.();
  };

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AgentStreamPart> {
    try {
      for (;;) {
        const parts = this.#waiting;
        this.#waiting = [];
        yield* parts;
        if (this.#waiting.length > 0) continue;
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

export async function* textOnly(parts: AsyncIterable<AgentStreamPart>): AsyncGenerator<string> {
  for await (const part of parts) if (part.type === 'text-delta') yield part.text;
}
