import type { ConditionConfig, LoopConfig } from '../config/loop-config.js';
import { type ConditionFunction, type ConditionFunctions, functionOf } from '../model/condition-function.js';
import { ConfigError } from '../model/errors.js';

const LISTS = ['success', 'failure', 'limits', 'conditions'] as const;

/** Puts a serialisable condition in place of each function: its answer is recorded under its name. */
export function nameFunctions(config: LoopConfig): {
  readonly config: LoopConfig;
  readonly functions: ConditionFunctions;
} {
  const { stop } = config;
  if (stop === undefined) return { config, functions: {} };
  const functions: Record<string, ConditionFunction> = {};
  const nameOne = (condition: ConditionConfig, path: string): ConditionConfig => {
    const call = typeof condition === 'object' ? functionOf(condition) : condition;
    if (typeof call !== 'function') return condition;
    // An inline arrow function has none: its place names it, also when the run is resumed.
    const name = call.name === '' ? path : call.name;
    if (Object.hasOwn(functions, name) && functions[name] !== call) {
      throw problem(path, `there are two functions called ${name}`);
    }
    functions[name] = call;
    return typeof condition === 'object' ? condition : { type: 'function', name };
  };
  const named = Object.fromEntries(
    LISTS.flatMap((list) => {
      const conditions = stop[list];
      if (conditions === undefined) return [];
      return [[list, conditions.map((condition, index) => nameOne(condition, `stop.${list}[${index}]`))]];
    }),
  );
  return { config: { ...config, stop: { ...stop, ...named } }, functions };
}

function problem(path: string, message: string): ConfigError {
  return new ConfigError([{ path, message }]);
}
