/** Tokens of one answer in the meaning of the Messages API: `input` leaves the cache out. */
export interface ServedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** A part of `output`; only the Responses API tells it. */
  readonly reasoning?: number | undefined;
}

/** How a provider can fail. The last three begin an answer and do not end it; `cut-off` ends at the most allowed output. */
export type Fault =
  | 'auth'
  | 'rate-limit'
  | 'rate-limit-with-delay'
  | 'overloaded'
  | 'usage-limit'
  | 'no-credit'
  | 'context-too-long'
  | 'cut-off'
  | 'stream-error'
  | 'disconnect'
  | 'hang';

/** What the model does when it is asked. */
export type Step = Answer | FaultStep;

export interface FaultStep {
  readonly fault: Fault;
  /** Of a usage limit; an hour unless given. */
  readonly resetsInSeconds?: number;
}

export type Answer = (
  | { readonly text: string }
  | { readonly writeFile: { readonly path: string; readonly content: string } }
  | { readonly bash: string }
  | { readonly tool: { readonly name: string; readonly input: Readonly<Record<string, unknown>> } }
) & { readonly usage?: Partial<ServedTokens> | undefined };

/** What a client asked, as far as a step can depend on it. */
export interface AskedRequest {
  readonly model: string;
  readonly tools: readonly string[];
  /** The whole conversation, as it was sent. */
  readonly messages: readonly unknown[];
}

export type ScriptedStep = Step | ((request: AskedRequest) => Step);

export const USUAL_TOKENS: ServedTokens = { input: 1200, output: 40, cacheRead: 3000, cacheWrite: 800 };
