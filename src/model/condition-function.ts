/** What a function says of a condition, with a sentence of why where it has one. */
export type ConditionAnswer = boolean | { readonly met: boolean; readonly reason?: string | undefined };

/**
 * A condition in code, given by name. It runs in the iteration and its answer is recorded; the context is what the caller
 * of the observers hands in.
 */
export type ConditionFunction = (context: unknown) => ConditionAnswer | Promise<ConditionAnswer>;

export type ConditionFunctions = Readonly<Record<string, ConditionFunction>>;
