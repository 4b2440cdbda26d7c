import type * as z from 'zod/mini';
import type { StopClass } from '../stop-class.js';
import type { Unit } from '../figures.js';
import type { Answer, InnerResult } from './answer.js';
import type { Facts } from './facts.js';
import type { Measure } from './measure.js';
import type { Needs } from './needs.js';
import type { Limit } from './quantity.js';

/** The fields of a condition by name, from `fields.ts`. @internal */
export type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** Any condition, as far as one that contains it knows. */
export interface AnyCondition {
  readonly type: string;
}

/** A shape with the two fields that every outermost condition may have. */
export type Whole<Shape> = Shape & {
  readonly class?: 'goal' | 'failure' | undefined;
  readonly confirm?: number | undefined;
};

export type Judge<C> = (condition: C, facts: Facts, judgeInner: (inner: AnyCondition) => InnerResult) => Answer;

/** Events of an agent at work by which a live condition can become met. Time passes with each. */
export type MovingEvent =
  | 'agent-said'
  | 'usage-reported'
  | 'context-reported'
  | 'error-seen'
  | 'permission-denied'
  | 'agent-finished'
  | 'claim-made'
  | 'day-spend-seen'
  | 'batch-spend-seen';

/** What `pawl check` knows of a run that has not started. */
export interface PlannedRun {
  readonly continuesSession: boolean;
  readonly contextRedlinePercent: number;
  /** Milliseconds since 1970, where the time counts. */
  readonly now?: number | undefined;
  /** The condition is not inside another one. */
  readonly isOutermost: boolean;
}

/** What `pawl check` knows of the agent. */
export interface PlannedAgent {
  /** Why it is not known how full the context is. */
  readonly contextProblem?: string | undefined;
  readonly hasPrice: (model: string) => boolean;
}

/** A message on a condition, or on one field of it. */
export interface ConditionWarning {
  readonly field?: string;
  readonly message: string;
}

/** What a version of a rule can change. */
export interface Rule<C> {
  readonly judge: Judge<C>;
  /** Its figures, for `pawl explain`; those of its `limit` when it does not say. */
  readonly measure?: (condition: C, facts: Facts) => Measure | undefined;
}

/** Everything there is to say about one condition. `docs/decisions/2026-11-18-one-file-per-condition.md` says why. */
export interface ConditionDefinition<C extends AnyCondition> extends Rule<C> {
  readonly type: C['type'];
  /** Of the rule by which it is judged. A change of the rule raises it; a run keeps the version it was started with. */
  readonly version?: number;
  /** What was different in earlier versions, for runs that were started with them. */
  readonly earlier?: Readonly<Record<number, Partial<Rule<C>>>>;
  /** One line for the schema. */
  readonly about: string;

  /** @internal Its types are not published. */
  readonly fields: Fields;
  /** The field that takes the value of the shorthand `- max_iterations: 3`. */
  readonly short?: string;
  /** At least one of these fields has to be given. */
  readonly needsOneOf?: readonly [string, string];
  /** What is wrong with the fields together. */
  readonly checkFields?: (
    fields: Partial<C>,
    regexProblem: (pattern: string) => string | undefined,
  ) => Required<ConditionWarning> | undefined;

  /** The class it has when it is given none. */
  readonly class: StopClass;
  /** The same, where it depends on its fields. */
  readonly classOf?: (condition: C) => StopClass;
  /** It means nothing by itself: its list gives it its class. */
  readonly neutral?: true;
  /** It is good news in itself: `pawl check` warns where it is no goal. */
  readonly goalOnly?: true;
  /** Within one class the higher comes first (spec 104; the last four in Story 4.4's order). */
  readonly priority: number;
  /** `batch`: no config can contain it; Pawl adds it to the runs of a batch. */
  readonly where: 'loop' | 'pipeline' | 'both' | 'batch';
  /** No file can have it. */
  readonly onlyInCode?: true;
  /** It can also be judged by the steps of a loop of the AI SDK. */
  readonly inAiSdk?: true;
  /** It cannot be judged without a working directory. */
  readonly needsDirectory?: true;

  /** Can become true in the middle of an iteration, from live events alone. */
  readonly live?: true;
  /** By which events; by any of them when it does not say. */
  readonly movedBy?: readonly MovingEvent[];
  /** A streak of iterations without success, which a review can cut short or restore. */
  readonly streak?: true;
  /** What an iteration has to observe and record for it. */
  readonly needs?: (condition: C) => Needs;
  /** A budget: unknown spend blocks the run. */
  readonly spend?: true;
  /** The one quantity that decides it. Forecasts, timers, forms and flags that raise a limit follow from it. */
  readonly limit?: (condition: C) => Limit;
  /** The flag of the command line that sets it, with its line of the help. A loop also reads it from a variable. */
  readonly flag?: { readonly name: string; readonly value: string; readonly about: string };
  /** A limit of 0 means: no such limit. */
  readonly zeroIsNone?: true;

  /** When it stops a run, to be read after "stops": "after 30 iterations", "when all tests pass". */
  readonly describe: (condition: C, unit: Unit, describeInner: (inner: AnyCondition) => string) => string;
  /** As a goal: why a run has to end without it, and with which class. */
  readonly givesUp?: (
    condition: C,
    facts: Facts,
  ) => { readonly class: StopClass; readonly message: string } | undefined;
  /** The word for a run that it ended as a limit. */
  readonly outcome?: string;
  /** A run that it ended is shown as one of this class. */
  readonly shownClass?: StopClass;
  /** Its sentence quotes what the agent, its tools or the user's programs wrote, or names files of theirs. */
  readonly quotes?: true;
  /** What meets it: the word of the agent, or tests, which may be read from what the agent prints. */
  readonly evidence?: 'agent' | 'tests';

  /** Where the rest of a goal is met, feedback does not ask for it: an agent must not be pressed to say that it is done. */
  readonly unprompted?: true;

  /** What it takes, to be read after "it takes", where it is known how much is left to the threshold. */
  readonly takesMore?: (left: number, condition: C, facts: Facts) => string | undefined;
  /** The same where it is not known, or is no matter of figures. */
  readonly takes?: (condition: C, facts: Facts) => string;

  /** Why it can never be met in this run, or is not what was meant. */
  readonly warn?: (condition: C, run: PlannedRun) => ConditionWarning | undefined;
  readonly warnOfAgent?: (condition: C, agent: PlannedAgent) => string | undefined;
  /** How many iterations it takes at least. */
  readonly iterationsNeeded?: (condition: C) => number;
}
