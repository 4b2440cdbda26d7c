/** What a function says of a condition, with a sentence of why where it has one. */
export type ConditionAnswer =
  | boolean
  | {
      readonly met: boolean;
      readonly reason?: string | undefined;
      /** What the agent reads in place of the reason. */
      readonly feedback?: string | undefined;
    };

/**
 * A condition in code, given by name. It runs in the iteration and its answer is recorded; the context is what the caller
 * of the observers hands in.
 */
export interface ConditionFunction {
  (context: unknown, signal?: AbortSignal): ConditionAnswer | Promise<ConditionAnswer>;
  /** How long its answer is waited for; a minute unless given. */
  readonly timeoutMs?: number | undefined;
}

export type ConditionFunctions = Readonly<Record<string, ConditionFunction>>;

/** Under this key a condition that is made of a function has it, for the code that creates the run. */
const FUNCTION = Symbol('the function of a condition');

/** A condition that is data and still knows its function. */
export function withFunction<C extends object>(condition: C, call: ConditionFunction): C {
  return Object.freeze(Object.defineProperty({ ...condition }, FUNCTION, { value: call }));
}

export function functionOf(condition: object): ConditionFunction | undefined {
  return (condition as { readonly [FUNCTION]?: ConditionFunction })[FUNCTION];
}
