import type { Boxes } from './checklist.js';
import type { FileKinds } from './file-kind.js';
import type { OriginalTests } from './original-tests.js';
import type { TestResults } from './test-results.js';

/** The recorded answer to a condition that needed the disk, a program, a pattern or a glob. */
export interface ProbeResult {
  /** Undefined: it was tried and is unknown (not runnable, timed out, unreadable). */
  readonly met?: boolean | undefined;
  /** What was found, or why it is unknown. */
  readonly detail?: string | undefined;
  /** Of a file, where a condition needs to know whether it was written since. */
  readonly version?: string | undefined;
  /** Of a list. */
  readonly boxes?: Boxes | undefined;
  /** What was measured. */
  readonly value?: number | undefined;
  /** What the next prompt says about it, in place of the detail. */
  readonly feedback?: string | undefined;
}

/** A named check of the config, run by the harness. */
export interface CheckResult {
  readonly passed?: boolean | undefined;
  readonly exitCode?: number | undefined;
  /** The end of its output, for the feedback to the agent. */
  readonly output?: string | undefined;
}

/** What changed in the working tree, by content. */
export interface FileChanges {
  readonly treeBefore: string;
  readonly treeAfter: string;
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  /** All changed files; the lists may hold fewer. */
  readonly changedFiles: number;
  readonly changedLines: number;
  /** All changed files by kind. */
  readonly kinds?: FileKinds | undefined;
  /** Digests of changed lines, for a change of ordinary size: the same ones again are nothing new. */
  readonly lines?: readonly string[] | undefined;
  /** Nothing but lines that the run itself had written was changed: others are in their place, and no text grew. */
  readonly rewrites?: true | undefined;
  /** Paths that could not be read, when there were any. */
  readonly incomplete?: readonly string[] | undefined;
}

/** The facts a goal rests on. Observed once per iteration, and again for each confirmation. */
export interface GoalFacts {
  readonly tests?: TestResults | undefined;
  readonly checks?: Readonly<Record<string, CheckResult>> | undefined;
  /** By condition key: files, scripts, functions and protected paths. */
  readonly probes?: Readonly<Record<string, ProbeResult>> | undefined;
}

/** What an agent needs from a person, by its last message. */
export interface SeenRequest {
  /** `request`: an answer, a choice, a permission, a credential, a missing file. `impossible`: it cannot be done. */
  readonly kind: 'request' | 'impossible' | 'none';
  /** The agent says that it cannot continue, or waits. */
  readonly isStuck?: true | undefined;
  /** Absent where it asks nothing, and in an export without text. */
  readonly sentence?: string | undefined;
}

/**
 * What the last message of an agent says about its work. `empty`: nothing. `open`: something is left, or failed. `finished`: the
 * tests pass, or something is complete. `plain`: anything else.
 */
export type Closing = 'empty' | 'open' | 'plain' | 'finished';

/** Where an earlier run started from. */
export interface EarlierStart {
  readonly run: string;
  readonly tree: string;
  readonly tests?: TestResults | undefined;
  readonly kept?: Readonly<Record<string, string>> | undefined;
}

/** What one iteration, or the baseline before the first, left behind. What is absent was not observed. */
export interface Observation extends GoalFacts {
  readonly files?: FileChanges | undefined;
  /** Tree of the working directory when it was observed (the baseline has no changes, only this). */
  readonly tree?: string | undefined;
  /** In place of trees, where there are too many files for snapshots: one figure of all of them. The baseline has no `before`. */
  readonly fingerprint?: { readonly before?: string | undefined; readonly after: string } | undefined;
  /** One figure of the files under `progress.also`, before and after. */
  readonly also?: { readonly before: string; readonly after: string } | undefined;
  /** Digests of what the agent's tools wrote into files outside the working directory. */
  readonly outsideLines?: readonly string[] | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly outputHead?: string | undefined;
  readonly outputTail?: string | undefined;
  readonly outputBytes?: number | undefined;
  readonly stderrTail?: string | undefined;
  /** The agent's own closing words. */
  readonly summary?: string | undefined;
  /** Its last message, for a review. */
  readonly lastMessage?: string | undefined;
  /** Whether its last message asks a person for something. Absent in older records, and when it said nothing. */
  readonly request?: SeenRequest | undefined;
  /** Whether its last message leaves something to do. Absent in older records. */
  readonly closing?: Closing | undefined;
  readonly contextPercent?: number | undefined;
  /** One figure of all protected files. */
  readonly guard?: string | undefined;
  /** Protected files that Pawl's own commands were the first to write, with `#` for numbers. */
  readonly testOutputs?: readonly string[] | undefined;
  /** Calls of the agent's tools that failed, each once, by a digest of the call and its outcome. */
  readonly toolFailures?: readonly { readonly digest: string; readonly text: string }[] | undefined;
  /** Of commands that the agent ran, and that do more than show files: digests of the command and of what it printed last. */
  readonly commandResults?: readonly string[] | undefined;
  /** A tool of the agent wrote a file, perhaps with the content that it had before. */
  readonly wroteFiles?: true | undefined;
  /** What should have been observed and could not be, each as a sentence. */
  readonly unobserved?: readonly string[] | undefined;
  /** What the tests of the start say, where a goal would be met. */
  readonly original?: OriginalTests | undefined;
  /** Of the baseline: files that git ignores and that decide how tests run, each with a digest of its content. */
  readonly kept?: Readonly<Record<string, string>> | undefined;
  /** Of the baseline: the start of an earlier run of this folder, whose tests are not settled. Work is compared with it. */
  readonly earlier?: EarlierStart | undefined;
  /** The same facts observed again at once, without the agent, for `confirm: N`. */
  readonly confirmations?: readonly GoalFacts[] | undefined;
}
