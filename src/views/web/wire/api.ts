import type { LoopCommand } from '../../../model/loop-command.js';
import type { Outcome } from '../../../model/outcome.js';
import type { Policy } from '../../../model/policy.js';
import type { RunEvent } from '../../../model/run-event.js';
import type { RunState } from '../../../model/run-state.js';
import type { StopReason } from '../../../model/verdict.js';
import type { StopClass } from '../../../model/stop-class.js';
import type { RunView } from './run-view.js';

/**
 * What the page and the server say to each other. Everything is JSON. A run is named by its id alone: the page never
 * sends a path. An answer that is not 200 is an `ApiError`.
 *
 * | request | answer |
 * |---|---|
 * | `GET /api/runs` | `RunList` |
 * | `GET /api/history` | `History` |
 * | `GET /api/runs/events` | stream of `run` (one `RunRow`), `gone` (`{ runId }`), `list` (a whole `RunList`, first) |
 * | `GET /api/runs/:run` | `ViewedRun` |
 * | `GET /api/runs/:run/events?after=SEQ` | stream of `record` (one `RunEvent`, its id the seq), `live` (`Liveness`), `start-over` when the record was replaced, `gone` (`{ runId }`) when the run was deleted; after either the stream ends, and after `gone` there is nothing to connect to again |
 * | `GET /api/runs/:run/iterations/:n` | `IterationDetail` |
 * | `GET /api/runs/:run/iterations/:n/diff` | `IterationDiff` |
 * | `GET /api/runs/:run/items/:index` | `ItemDetail` |
 * | `POST /api/runs/:run/commands` with a `LoopCommand` | `CommandAnswer` |
 * | `POST /api/runs/:run/replay` with a `ReplayRequest` | `ReplayAnswer` |
 */
export interface ApiError {
  /** One sentence for people. */
  readonly error: string;
  /** Where in what was sent, when it has places: `policy:3:5`. */
  readonly issues?: readonly { readonly place?: string | undefined; readonly message: string }[] | undefined;
}

/** A run in the list. */
export interface RunRow {
  readonly runId: string;
  readonly kind?: RunState['kind'];
  /** As `pawl list` says it: also `interrupted`, `stopping`, `damaged`. */
  readonly status: string;
  /** The word for people, and its colour. */
  readonly outcome: Outcome;
  readonly isLive: boolean;
  /** What it is called: the first line of its prompt. */
  readonly name?: string | undefined;
  /** The folder in which it takes place, for people: the home is `~`. */
  readonly project: string;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly branch?: string | undefined;
  readonly iterations: number;
  readonly items?: { readonly done: number; readonly total: number } | undefined;
  /** All that was spent. Absent: it is not known, or not all of it is. */
  readonly costUsd?: number | undefined;
  /** Where only a part is known: it is at least this. With neither, nothing is known of the cost. */
  readonly leastCostUsd?: number | undefined;
  readonly activeMs: number;
  readonly startedAt?: string | undefined;
  /** Of the last event. */
  readonly at?: string | undefined;
  readonly class?: StopClass | undefined;
  /** Why it ended, or what it waits for, in a sentence. */
  readonly why?: string | undefined;
  /** How close the closest limit is, from 0 to 1; of a pipeline, also what would halt it. */
  readonly closest?: { readonly progress: number; readonly sentence: string } | undefined;
}

/** Live ones first, then the newest. */
export interface RunList {
  readonly runs: readonly RunRow[];
  /** Projects that could not be inspected, with why. */
  readonly problems: readonly string[];
}

export interface Liveness {
  readonly isLive: boolean;
  /** As in the list. */
  readonly status: string;
}

export interface ViewedRun extends Liveness {
  readonly runId: string;
  /** The fold of the record up to `view.state.seq`; the stream continues after it. */
  readonly view: RunView;
  readonly project: string;
  /** Its `--cwd`, for the commands that the page offers to copy. */
  readonly workingDir: string;
  readonly folder: string;
  readonly problem?: string | undefined;
  /** The conditions as they are in the config, in YAML, to start a replay from. */
  readonly policyText: string;
}

/** What one iteration was, from its start to its verdict. Long texts are cut as in the record. */
export interface IterationDetail {
  readonly iteration: number;
  /** Its events without those that no one reads (ticks), newest last; at most 2,000 of them. */
  readonly events: readonly RunEvent[];
  /** How many at its beginning are left out. */
  readonly omitted: number;
}

export interface IterationDiff {
  /** In the form of `git diff`. */
  readonly patch: string;
  /** It is longer than what is sent. */
  readonly isCut: boolean;
  /** Files that were too large to be kept. */
  readonly leftOut: readonly string[];
  /** Why there is none. */
  readonly none?: string | undefined;
}

export interface ItemDetail {
  readonly index: number;
  readonly events: readonly RunEvent[];
  readonly omitted: number;
}

export type CommandRequest = LoopCommand;

export interface CommandAnswer {
  readonly status: string;
  /** To follow the name of the run: `pauses after this iteration`. */
  readonly effect: string;
  readonly isPending: boolean;
}

export interface ReplayRequest {
  /** The `stop` part of a config, in YAML. */
  readonly policy: string;
}

export interface ReplayAnswer {
  readonly policy: Policy;
  /** Absent: it would have continued to the end of the record, and beyond it. */
  readonly stop?: ReplayStop | undefined;
  readonly saved?:
    | {
        readonly iterations: number;
        readonly costUsd?: number | undefined;
        readonly activeMs: number;
        readonly losesGoal: boolean;
      }
    | undefined;
  /** Conditions for which a fact is not on record, in sentences. */
  readonly missing: readonly string[];
  /** What the policy has that no one wrote, in sentences. */
  readonly notes: readonly string[];
}

export interface ReplayStop {
  readonly iteration: number;
  readonly seq: number;
  readonly class?: StopClass | undefined;
  readonly reasons: readonly StopReason[];
}
