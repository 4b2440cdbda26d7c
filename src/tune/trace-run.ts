import type { Facts } from '../model/judging/facts.js';
import { limitOf } from '../model/condition-catalog.js';
import { endOf } from '../model/phase.js';
import type { Policy } from '../model/policy.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import type { ReplayLane } from '../replay/lane.js';
import { isLiveEvent } from '../replay/live-triggers.js';
import { LookedFor } from '../replay/looked-for.js';
import { Replaying } from '../replay/replaying.js';
import type { Moment } from '../replay/lane.js';
import { isLive } from '../stop/evaluate-policy.js';
import { judge } from '../stop/judge.js';
import { type Leaf, LEAVES } from './leaves.js';

/** A moment at which a policy could have stopped a run before its end. */
export interface TracedMoment {
  /** In the middle of an iteration: only live conditions are judged. */
  readonly isLive: boolean;
  /** Only what is about time is judged: nothing else has changed. */
  readonly isTimed: boolean;
  /** What a model reads. */
  readonly facts: Facts;
  /** What the run would have cost if it had been stopped here. */
  readonly costUsd?: number | undefined;
  readonly iterations: number;
}

/** How a run ended, and what every leaf said on the way. */
export interface TracedRun {
  readonly name: string;
  readonly task: string;
  readonly isGoal: boolean;
  /** Its iterations are model calls. */
  readonly isOfCalls: boolean;
  readonly costUsd?: number | undefined;
  /** What it cost is known at nearly every moment, not only at the end. */
  readonly isPriced: boolean;
  readonly iterations: number;
  /** Types of conditions that could not be judged at some moment: what they limit is not recorded. */
  readonly unknownTypes: ReadonlySet<string>;
  readonly moments: readonly TracedMoment[];
  /** What a model reads at the end. */
  readonly last: Facts;
  /** By moment, in ascending order: the indexes of the leaves that are met. */
  readonly met: readonly (readonly number[])[];
}

/** Whether a run reached its goal. Undefined where a person, an error or a wait ended it, or no one said: that is no answer. */
export function labelOf(state: RunState): boolean | undefined {
  const ending = endOf(state)?.class;
  if (ending === 'goal') return true;
  return ending === 'failure' || ending === 'limit' || ending === 'veto' ? false : undefined;
}

const TRIED: Policy = { success: [], failure: [], limits: LEAVES.map(({ condition }) => condition) };
const NO_VERDICT: Verdict = { stop: false, reasons: [], judgements: [], holds: {} };
const BY_TYPE = [...new Set(LEAVES.map(({ type }) => type))].map((type) =>
  LEAVES.flatMap((leaf, index) => (leaf.type === type ? [index] : [])),
);
const DURATIONS = LEAVES.flatMap(({ condition, isTimed }) => (isTimed ? [limitOf(condition)?.amount ?? 0] : []));

interface Seen extends Omit<TracedMoment, 'costUsd'> {
  costUsd?: number | undefined;
  readonly met: readonly number[];
}

/** A lane that is never stopped: it notes what every leaf says, at each point at which a run under that policy is judged. */
class Tracer implements ReplayLane {
  readonly isOver = false;
  readonly isStopped = false;
  readonly seen: Seen[] = [];
  readonly unknownTypes = new Set<string>();
  /** Of an iteration under way: they count if the agent continued with its work, and cost what the whole iteration did. */
  #pending: Seen[] = [];
  #uncharged: Seen[] = [];
  #nextDuration = 0;
  #isTimed = false;
  #judgedSeq = 0;

  policyFor(): Policy {
    return TRIED;
  }

  disturb(): void {}

  resume(): void {}

  isMovedBy(event: RunEvent): boolean {
    this.#isTimed = !isLiveEvent(event);
    if (!this.#isTimed) return true;
    const isDue = event.activeMs >= (DURATIONS[this.#nextDuration] ?? Number.POSITIVE_INFINITY);
    if (isDue) this.#nextDuration += 1;
    return isDue;
  }

  hasTimeLimit(): boolean {
    return true;
  }

  seeWork(): void {
    this.seen.push(...this.#pending);
    this.#uncharged.push(...this.#pending);
    this.#pending = [];
  }

  seeEnd(): void {
    this.#pending = [];
  }

  seeCost(costUsd: number | undefined): void {
    for (const moment of this.#uncharged) moment.costUsd = costUsd;
    this.#uncharged = [];
  }

  /** A second time at the same event: time has passed since, in a wait or a delay. */
  judge({ state, facts, figures }: Moment): Verdict {
    if (state.iterations === 0) return NO_VERDICT;
    const { costUsd, iterations } = figures();
    const isTimed = state.seq === this.#judgedSeq;
    this.#judgedSeq = state.seq;
    const met = metOf(facts, false, this.unknownTypes);
    this.seen.push({ isLive: false, isTimed, facts: modelFacts(facts), costUsd, iterations, met });
    return NO_VERDICT;
  }

  judgeLive({ state, facts, figures }: Moment): void {
    const isTimed = this.#isTimed;
    const kept = modelFacts(facts);
    const met = metOf(facts, true, this.unknownTypes);
    const before = this.#pending.at(-1);
    if (before !== undefined && !before.isTimed && isSame(before, met, kept)) return;
    const iterations = Math.max(figures().iterations, state.iterations + 1);
    this.#pending.push({ isLive: true, isTimed, facts: kept, iterations, met });
  }
}

function isSame({ met, facts }: Seen, others: readonly number[], kept: Facts): boolean {
  return (
    met.length === others.length &&
    facts.toolUse === kept.toolUse &&
    facts.activeMs === kept.activeMs &&
    facts.contextPercent === kept.contextPercent &&
    facts.spend.costUsd === kept.spend.costUsd &&
    facts.spend.outputTokens === kept.spend.outputTokens
  );
}

function modelFacts({ spend: { costUsd, outputTokens }, contextPercent, activeMs, toolUse }: Facts): Facts {
  return { spend: { costUsd, outputTokens }, contextPercent, activeMs, toolUse, streaks: {} };
}

function metOf(facts: Facts, isInIteration: boolean, unknownTypes: Set<string>): readonly number[] {
  const tried: Facts = { ...facts, rules: undefined, isOtherPolicy: true };
  const met: number[] = [];
  for (const indexes of BY_TYPE) {
    for (const index of indexes) {
      const { condition, type } = LEAVES[index] as Leaf;
      if (isInIteration && !isLive(condition)) break;
      const { status, spendUnknown } = judge(condition, tried);
      if (spendUnknown !== undefined) unknownTypes.add(type);
      if (status !== 'met') break;
      met.push(index);
    }
  }
  return met;
}

/** Reads one record, event by event. */
export function createTrace(name: string): {
  see(event: RunEvent): void;
  end(about: { readonly task: string; readonly isGoal: boolean }): TracedRun;
  readonly state: RunState;
} {
  const tracer = new Tracer();
  const replaying = new Replaying({ lanes: [tracer], lookedFor: new LookedFor() });
  return {
    see: (event) => replaying.see(event),
    get state() {
      return replaying.state;
    },
    end: (about) => {
      replaying.end();
      const { state, figures } = replaying;
      // A stop at the end of the last iteration saves nothing, and what the run itself came to counts first.
      const seen = tracer.seen.filter((moment) => moment.isLive || moment.iterations < figures.iterations);
      return {
        ...about,
        name,
        isOfCalls: state.kind === 'imported' && figures.iterations > 1,
        costUsd: figures.costUsd,
        isPriced: figures.costUsd !== undefined && seen.every(({ costUsd }) => costUsd !== undefined),
        iterations: figures.iterations,
        unknownTypes: tracer.unknownTypes,
        moments: seen.map((moment) => ({ ...moment, met: undefined, facts: withoutDigests(moment.facts) })),
        last: withoutDigests(tracer.seen.at(-1)?.facts ?? { spend: {}, streaks: {} }),
        met: seen.map(({ met }) => met),
      };
    },
  };
}

/** They are most of what a moment takes in memory, and no model reads them. */
function withoutDigests(facts: Facts): Facts {
  const { toolUse } = facts;
  return toolUse === undefined ? facts : { ...facts, toolUse: { ...toolUse, recent: [] } };
}
