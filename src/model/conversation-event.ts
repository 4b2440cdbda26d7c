import type { Json } from './json.js';
import type { Spend } from './usage.js';

/** The model call that a message is the answer of. */
export interface ModelCall {
  readonly id: string;
  readonly model?: string | undefined;
  readonly spend: Spend;
  readonly finishReason: string;
  /** Tool calls that cannot be made, by id: why not. */
  readonly invalid?: Readonly<Record<string, string>> | undefined;
}

/** Where a message lies that is too long for the journal. */
export interface KeptFile {
  /** Below the run folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What an agent that keeps its conversation on record adds to the events. */
export interface ConversationBodies {
  /** One message of a conversation that the agent keeps on record, to go on with it after a crash. */
  'message-recorded': {
    readonly session: string;
    /** From 0, without a gap. */
    readonly index: number;
    /** Absent when it is in a file. */
    readonly message?: Json | undefined;
    readonly file?: KeptFile | undefined;
    readonly call?: ModelCall | undefined;
    /** It is not part of the conversation: a fresh one begins with it. */
    readonly purpose?: 'summary' | undefined;
  };
}
