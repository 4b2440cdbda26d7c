import type { Refusal } from './refusal.js';
import type { Answer, AskedRequest, Fault, ServedTokens } from './step.js';

export interface Served {
  readonly id: string;
  /** As the provider calls it. */
  readonly model: string;
  readonly tokens: ServedTokens;
}

/** How one provider's API words a scripted answer. */
export interface Dialect {
  /** Where it is served. */
  readonly paths: RegExp;
  asked(body: unknown, path: string): AskedRequest;
  isStreamed(body: unknown, path: string): boolean;
  /** The first events of a stream: all that an answer that breaks off has told. */
  start(served: Served): string;
  /** The rest of it. */
  rest(answer: Answer, asked: AskedRequest, served: Served): string;
  /** The rest of an answer that reached the most that it may put out. */
  restCutOff(served: Served): string;
  /** An error within the stream. */
  streamError(): string;
  /** The same answer for a client that does not want a stream. */
  whole(answer: Answer, asked: AskedRequest, served: Served): string;
  refusal(fault: Fault, nowMs: number): Refusal | undefined;
  /** What a client knows to have used of an answer that broke off after its start. */
  readonly tokensAtStart: ServedTokens | undefined;
}
