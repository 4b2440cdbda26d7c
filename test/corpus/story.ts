import type { AgentErrorKind } from '../../src/model/run-event.js';
import type { StopCondition } from '../../src/model/condition.js';

/** What is special about one iteration of a story. What is left out follows from the story's own figures. */
export interface Turn {
  readonly says?: string;
  /** `unknown`: the agent tells its tokens and no price. */
  readonly costUsd?: number | 'unknown';
  readonly minutes?: number;
  readonly changes?: {
    readonly created?: readonly string[];
    readonly modified?: readonly string[];
    readonly deleted?: readonly string[];
    /** All of them; the lists may hold fewer. */
    readonly changedFiles?: number;
    readonly changedLines: number;
  };
  /** Tests that were skipped, of the story's total. */
  readonly skipped?: number;
  /** Named tests that failed, or passed where they are known to fail now and then. */
  readonly fails?: readonly string[];
  readonly passes?: readonly string[];
  /** The iteration fails with it. */
  readonly error?: { readonly kind: AgentErrorKind; readonly message: string };
  /** The agent is ended because it takes too long. */
  readonly timesOut?: boolean;
  /** Tools that it is not allowed to use, in the order in which it asks. */
  readonly denied?: readonly string[];
  /** How full its context window of 200,000 tokens is. */
  readonly contextPercent?: number;
  /** Before it gets through, the provider says no so many times. */
  readonly limited?: {
    readonly by: 'usage-limit' | 'overload';
    readonly times: number;
    /** A usage limit tells when it ends. */
    readonly resetsInMinutes?: number;
  };
  /** The runner dies in the middle of it and is started again so many minutes later. */
  readonly crashes?: { readonly downMinutes: number };
  /** Somebody asks the run to stop while it works. */
  readonly stoppedBy?: string;
}

/**
 * How a run goes, iteration by iteration. `script` is one word per iteration: `w7` worked on new code, 7 tests pass then;
 * `i7` changed no file; `A7` put the files into the state called A (the same letter is the same content); `w7/9` of 9
 * tests that are left; `w` and `i` alone: no tests were run.
 */
export interface Story {
  readonly name: string;
  /** One line of what it is about, for the table. */
  readonly about: string;
  readonly tests: { readonly total: number; readonly passedBefore: number } | 'none';
  readonly script: string;
  /** Of iteration n. */
  readonly costUsd: number | ((iteration: number) => number) | 'unknown';
  readonly minutes: number;
  /** What the agent says when it worked and when it changed nothing, in turn. */
  readonly worksSaying?: readonly string[];
  readonly idlesSaying?: readonly string[];
  readonly turns?: Readonly<Record<number, Turn>>;
  /** The goal; all tests pass unless given. */
  readonly success?: readonly StopCondition[];
  /** A limit of dollars, far above what it costs. */
  readonly maxCostUsd?: number;
  /** The agent goes on in one session, and it is replaced above this percentage of its context window. */
  readonly redlinePercent?: number;
}

/** One word of a script. */
export interface Beat {
  /** `new`: never seen before. `same`: as it was. Else the letter of a state. */
  readonly tree: 'new' | 'same' | (string & {});
  readonly passed: number | undefined;
  readonly total: number | undefined;
}

const WORD = /^(?<kind>[wiA-Z])(?<passed>\d+)?(?:\/(?<total>\d+))?(?:x(?<times>\d+))?$/;

/** `i7x4` is `i7` four times. Throws at a word that is none. */
export function beatsOf({ name, script }: Pick<Story, 'name' | 'script'>): readonly Beat[] {
  return script
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      const groups = WORD.exec(word)?.groups;
      if (groups === undefined) throw new Error(`${name}: "${word}" is not a word of a script`);
      const { kind = '', passed, total, times } = groups;
      const tree = kind === 'w' ? 'new' : kind === 'i' ? 'same' : kind;
      const beat = { tree, passed: numberOf(passed), total: numberOf(total) };
      return Array.from({ length: numberOf(times) ?? 1 }, () => beat);
    });
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
