import type { ConditionOf, ConditionType, StopCondition } from '../model/condition.js';
import { type ConditionFunction, withFunction } from '../model/condition-function.js';
import { parseCondition } from '../model/parse-condition.js';

export * from '../model/conditions/factories.js';

const build = <T extends ConditionType>(type: T, fields: object): ConditionOf<T> =>
  parseCondition({ type, ...fields }, type) as ConditionOf<T>;

/** Composites keep the types of what is in them, so that a function that takes them can state what it needs. */
type ListOf<T extends 'all' | 'any', C> = ConditionOf<T> & { readonly conditions: readonly C[] };
type Around<T extends 'not' | 'for', C> = ConditionOf<T> & { readonly condition: C };

export const allOf = <C extends readonly StopCondition[]>(...conditions: C): ListOf<'all', C[number]> =>
  build('all', { conditions });

export const anyOf = <C extends readonly StopCondition[]>(...conditions: C): ListOf<'any', C[number]> =>
  build('any', { conditions });

export const not = <C extends StopCondition>(condition: C): Around<'not', C> =>
  build('not', { condition }) as Around<'not', C>;

/** `a and b`; onto an `all` it is added, so that chains stay flat. */
export const and = <A extends StopCondition, B extends StopCondition>(a: A, b: B): ListOf<'all', A | B> => {
  const all: StopCondition = a.type === 'all' ? build('all', { ...a, conditions: [...a.conditions, b] }) : allOf(a, b);
  return all as ListOf<'all', A | B>;
};

/** `a or b`; onto an `any` it is added, so that chains stay flat. */
export const or = <A extends StopCondition, B extends StopCondition>(a: A, b: B): ListOf<'any', A | B> => {
  const any: StopCondition = a.type === 'any' ? build('any', { ...a, conditions: [...a.conditions, b] }) : anyOf(a, b);
  return any as ListOf<'any', A | B>;
};

/** Holds when the condition has held that many iterations in a row. */
export const holdsFor = <C extends StopCondition>(iterations: number, condition: C): Around<'for', C> =>
  build('for', { iterations, condition }) as Around<'for', C>;

type Classed<C> = C extends StopCondition ? C : ConditionOf<'function'>;

/** Makes a condition of a neutral list, or a named function, a goal; `confirm` has the harness check it that often. */
export const goal = <C extends StopCondition | ConditionFunction>(
  condition: C,
  options: { confirm?: number } = {},
): Classed<C> => classed(condition, 'goal', options);

/** Makes a condition of a neutral list, or a named function, a failure. */
export const failure = <C extends StopCondition | ConditionFunction>(condition: C): Classed<C> =>
  classed(condition, 'failure', {});

function classed<C extends StopCondition | ConditionFunction>(
  condition: C,
  stopClass: 'goal' | 'failure',
  { confirm }: { readonly confirm?: number },
): Classed<C> {
  const data = typeof condition === 'function' ? { type: 'function', name: condition.name } : condition;
  const times = confirm === undefined ? {} : { confirm };
  const parsed = parseCondition({ ...data, class: stopClass, ...times }, stopClass);
  return (typeof condition === 'function' ? withFunction(parsed, condition) : parsed) as Classed<C>;
}
