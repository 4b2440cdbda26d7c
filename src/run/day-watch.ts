import { messageOf } from '../model/errors.js';
import { lowestLimit, policyLeaves } from '../model/policy.js';
import type { NewEvent } from '../model/run-event.js';
import { ownDaySpend } from '../model/reduce-budget.js';
import type { RunState } from '../model/run-state.js';
import { knownCostUsd } from '../model/spend-account.js';
import { factsOf } from '../stop/facts.js';
import { type DayLedger, dayOf, type NoteDetails, type OthersSpend } from './day-ledger.js';

/** How long another run may spend before this one hears of it. */
const LOOK_MS = 3000;
/** A change that is worth a record. */
const CENT = 0.01;

export interface DayWatchOptions {
  readonly ledger: DayLedger;
  readonly state: () => RunState;
  readonly record: (event: NewEvent) => void;
  readonly now: () => number;
}

/** Keeps the machine's account of the day: notes what this run spends, and records what the others do, if anybody asks. */
export class DayWatch {
  readonly #options: DayWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #noted: string | undefined;

  constructor(options: DayWatchOptions) {
    this.#options = options;
  }

  /** Before the first verdict: a limit that nobody has looked at blocks. */
  begin(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#note(dayOf(this.#options.now()));
  }

  /** What was just spent survives the death of this process. */
  note(): void {
    this.#note(dayOf(this.#options.now()));
  }

  look(): void {
    const { ledger, now } = this.#options;
    const day = dayOf(now());
    const problem = this.#note(day);
    if (!this.#isAsked()) return;
    this.#see(day, problem === undefined ? ledger.others(day) : { problem });
  }

  #note(day: string): string | undefined {
    const { ledger, state } = this.#options;
    const { costUsd, ...details } = this.#ownSpend(state(), day);
    const figures = `${day} ${costUsd ?? 'unknown'} ${details.why ?? ''} ${details.atLeast ?? ''}`;
    if (figures === this.#noted) return undefined;
    try {
      ledger.note(day, costUsd, details);
      if (this.#noted === undefined) ledger.forgetOld(day);
      this.#noted = figures;
      return undefined;
    } catch (error) {
      return `the day's spend cannot be noted: ${messageOf(error)}`;
    }
  }

  /** What nobody knows of a run holds up the others only if the limit was there for it, too. */
  #ownSpend(state: RunState, day: string): NoteDetails & { readonly costUsd?: number | undefined } {
    const costUsd = ownDaySpend(state, day);
    const isAccepted = (state.spend.acceptedIterations ?? 0) > 0;
    if (costUsd !== undefined) return isAccepted ? { costUsd, atLeast: true } : { costUsd };
    if (this.#isAsked()) return { why: factsOf(state).spendProblem?.cost };
    return { costUsd: knownCostUsd(state.spend), atLeast: true };
  }

  #see(day: string, { usd, problem }: OthersSpend): void {
    const { state, record } = this.#options;
    const known = state().day;
    const isNews =
      known?.day !== day || known.problem !== problem || Math.abs((known.othersUsd ?? 0) - (usd ?? 0)) >= CENT;
    if (isNews) record({ type: 'day-spend-seen', day, othersUsd: usd, problem });
  }

  #isAsked(): boolean {
    return lowestLimit(policyLeaves(this.#options.state().policy), 'dayCostUsd') !== undefined;
  }
}
