import type { StopClass } from '../stop-class.js';
import type { Unit } from '../unit.js';
import type { Answer, InnerResult } from './answer.js';
import type { Facts } from './facts.js';
import type { Measure } from './measure.js';
import type { Limit } from './quantity.js';

/** What a field of a condition holds; `field-rules.ts` has the rule of each kind. */
export type FieldKind =
  | 'count'
  | 'usd'
  | 'duration'
  | 'time'
  | 'percent'
  | 'rate'
  | 'text'
  | 'path'
  | 'texts'
  | 'arguments'
  | 'flag'
  | 'allow'
  | 'condition'
  | 'conditions';

export interface FieldInfo {
  readonly kind: FieldKind;
  readonly optional?: true;
}

export const need = (kind: FieldKind): FieldInfo => ({ kind });
export const may = (kind: FieldKind): FieldInfo => ({ kind, optional: true });

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
  readonly hasTests: boolean;
  readonly parseTests: boolean;
  readonly trackFileChanges: boolean;
  readonly continuesSession: boolean;
  readonly contextRedlinePercent: number;
  /** Milliseconds since 1970, where the time counts. */
  readonly now?: number | undefined;
  /** The condition is not inside another one. */
  readonly isOutermost: boolean;
  readonly isInWorkingDir: (path: string) => boolean;
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
  readonly version: number;
  /** What was different in earlier versions, for runs that were started with them. */
  readonly earlier?: Readonly<Record<number, Partial<Rule<C>>>>;
  /** One line for the schema. */
  readonly about: string;

  readonly fields: Readonly<Record<string, FieldInfo>>;
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
  /** It means nothing by itself: its list gives it its class. */
  readonly neutral?: true;
  /** It is good news in itself: `pawl check` warns where it is no goal. */
  readonly goalOnly?: true;
  /** Within one class the higher comes first (spec 104; the last four in Story 4.4's order). */
  readonly priority: number;
  /** `fleet`: no config has it; the runs of a batch are given it. */
  readonly where: 'loop' | 'pipeline' | 'both' | 'fleet';
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
  /** Needs the disk, a program or a function. It is observed in the iteration, cheap ones first, and recorded. */
  readonly probe?: { readonly cost: number };
  /** The program that it runs, with its arguments. A user confirms it before it is run, and `pawl check` shows all of it. */
  readonly program?: (condition: C) => readonly string[];
  /** A budget: unknown spend blocks the run. */
  readonly spend?: true;
  /** The one quantity that decides it. Forecasts, timers, forms and flags that raise a limit follow from it. */
  readonly limit?: (condition: C) => Limit;
  /** The flag of the command line that sets it. */
  readonly flag?: string;
  /** A limit of 0 means: no such limit. */
  readonly zeroIsNone?: true;

  /** When it stops a run, to be read after "stops": "after 30 iterations", "when all tests pass". */
  readonly describe: (condition: C, unit: Unit, describeInner: (inner: AnyCondition) => string) => string;
  /** The word for a run that it ended as a limit. */
  readonly outcome?: string;
  /** A run that it ended is shown as one of this class. */
  readonly shownClass?: StopClass;
  /** Its sentence quotes what the agent, its tools or the user's programs wrote, or names files of theirs. */
  readonly quotes?: true;
  /** What meets it: the word of the agent, or tests, which may be read from what the agent prints. */
  readonly evidence?: 'agent' | 'tests';

  /** What it takes, to be read after "it takes", where it is known how much is left to the threshold. */
  readonly needsMore?: (left: number, condition: C, facts: Facts) => string | undefined;
  /** The same where it is not known, or is no matter of figures. */
  readonly needs?: (condition: C) => string;

  /** Why it can never be met in this run, or is not what was meant. */
  readonly warn?: (condition: C, run: PlannedRun) => ConditionWarning | undefined;
  readonly warnOfAgent?: (condition: C, agent: PlannedAgent) => string | undefined;
  /** How many iterations it takes at least. */
  readonly iterationsNeeded?: (condition: C) => number;
}
