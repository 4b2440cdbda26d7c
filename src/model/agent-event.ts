import type { Json } from './json.js';
import type { AgentErrorKind, ModelCall } from './run-event.js';
import type { Spend } from './usage.js';

/** What an agent shows while it works, in one vocabulary for all of them. It lives in memory; the record is made of it. */
export type AgentEvent =
  /** A whole message of the agent's own: never a tool's output, never an echo of the prompt. */
  | { readonly kind: 'text'; readonly text: string }
  /** A line of plain output of an agent that has no messages: lines that follow each other are one message. */
  | { readonly kind: 'output'; readonly text: string }
  | {
      readonly kind: 'tool-call';
      readonly id?: string | undefined;
      readonly name: string;
      readonly input?: string | undefined;
    }
  | {
      readonly kind: 'tool-result';
      readonly id?: string | undefined;
      readonly failed: boolean;
      readonly denied?: boolean | undefined;
      readonly output?: string | undefined;
    }
  | {
      readonly kind: 'usage';
      readonly scope: 'request' | 'turn' | 'session-total';
      readonly id?: string | undefined;
      readonly session?: string | undefined;
      readonly model?: string | undefined;
      /** Tokens, and the agent's own idea of the cost where it has one that it does not call a guess. */
      readonly spend: Spend;
      /** Something was spent, and the amount is unknown: the call was cut off. */
      readonly unknown?: true | undefined;
    }
  | { readonly kind: 'session'; readonly id: string }
  /** One message of the conversation of an agent that keeps it on record, whole. */
  | {
      readonly kind: 'message';
      readonly session: string;
      /** From 0, without a gap. */
      readonly index: number;
      readonly message: Json;
      readonly call?: ModelCall | undefined;
      readonly purpose?: 'summary' | undefined;
    }
  /** It asks a person, and continues with the answer. */
  | { readonly kind: 'question'; readonly text: string; readonly choices?: readonly string[] | undefined }
  | { readonly kind: 'answered'; readonly reason: string }
  /** What is known of the context window: how much of it is used, how large it is. */
  | { readonly kind: 'context'; readonly usedTokens?: number | undefined; readonly windowTokens?: number | undefined }
  /** A limit of the provider's: the run waits. */
  | {
      readonly kind: 'limit';
      readonly limit: 'usage-limit' | 'overload';
      readonly resetsAt?: string | undefined;
      readonly message: string;
    }
  /** It will try again by itself: no error yet, but Pawl may know better (a login that is refused stays refused). */
  | { readonly kind: 'retry'; readonly error: AgentErrorKind; readonly attempt: number; readonly message: string }
  | { readonly kind: 'error'; readonly error: AgentErrorKind; readonly message: string }
  | {
      readonly kind: 'permission-denied';
      readonly tool: string;
      readonly id?: string | undefined;
      readonly detail?: string | undefined;
    }
  /** It says that it is done. The last one before its end counts. */
  | {
      readonly kind: 'result';
      readonly outcome: 'success' | 'error' | 'interrupted' | 'budget' | 'turns' | 'no-such-session';
      readonly text?: string | undefined;
    };

export type AgentEventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: K }>;
