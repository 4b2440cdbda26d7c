import type { Interrupt } from '../iteration/stop-signal.js';
import { childrenOf, leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import { type Policy, policyEntries } from '../model/policy.js';
import type { NewEvent } from '../model/run-event.js';
import { hasEnded } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Verdict } from '../model/verdict.js';
import { evaluateRun, evaluateLive } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';

/** Why what is in flight has to end; `spend`: only because enough is spent. */
type LiveEnd = Extract<Interrupt, 'operator' | 'failure' | 'limit'> | 'spend';

export interface PipelineJudgeOptions {
  readonly state: () => RunState;
  /** Must not throw. */
  readonly record: (event: NewEvent) => void;
  readonly onHalt: () => void;
}

/** Judges a pipeline as it goes, and keeps what it ends with. */
export class PipelineJudge {
  readonly #options: PipelineJudgeOptions;
  #halting: Verdict | undefined;

  constructor(options: PipelineJudgeOptions) {
    this.#options = options;
  }

  /** What the run ends with. What is in flight then counts in the statistics, not in the reason. */
  get halting(): Verdict | undefined {
    return this.#halting;
  }

  /** The first that ends it counts. */
  halt(verdict: Verdict | undefined): void {
    this.#halting ??= verdict;
  }

  /** After every attempt and every item: what crosses a threshold is the last that is begun. */
  judge(): void {
    const { state: stateNow, record, onHalt } = this.#options;
    const state = stateNow();
    if (this.#halting !== undefined || hasEnded(state)) return;
    const verdict = evaluateRun(state);
    if (verdict.stop) this.#halting = verdict;
    // Conditions that count verdicts need every one; without them only the last is worth a record.
    if (!verdict.stop && !countsVerdicts(state.policy)) return;
    record({ type: 'verdict-reached', iteration: state.iterations, verdict });
    if (verdict.stop) onHalt();
  }

  /** What cannot wait until an attempt has ended: money, time, and an operator in a hurry. Says why they have to end. */
  judgeLive(): LiveEnd | undefined {
    const state = this.#options.state();
    if (hasEnded(state)) return undefined;
    this.judge();
    // What interrupts also halts: as long as nothing does, nothing has to be ended.
    return this.#halting === undefined ? undefined : liveEnd(state);
  }
}

function liveEnd(state: RunState): LiveEnd | undefined {
  const { stop, class: stopClass, reasons } = evaluateLive(state.policy, factsOf(state));
  if (!stop) return undefined;
  if (stopClass === 'operator' || stopClass === 'failure') return stopClass;
  return reasons.every(({ condition }) => condition !== undefined && isAboutSpend(condition)) ? 'spend' : 'limit';
}

function isAboutSpend(condition: StopCondition): boolean {
  return leavesOf(condition).every(({ type }) => CONDITION_CATALOG[type].spend === true);
}

const counting = new WeakMap<Policy, boolean>();

function countsVerdicts(policy: Policy): boolean {
  let counts = counting.get(policy);
  if (counts === undefined) {
    counts = policyEntries(policy).some(({ condition }) => isCounting(condition));
    counting.set(policy, counts);
  }
  return counts;
}

function isCounting(condition: StopCondition): boolean {
  return condition.type === 'for' || childrenOf(condition).some(isCounting);
}
