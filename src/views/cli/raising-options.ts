import { Option } from 'commander';
import { OVERRIDES } from '../../config/override-table.js';
import { configFlagOptions } from './config-flags.js';

/** The flags that stand for one kind of limit. */
export const LIMIT_FLAGS = OVERRIDES.flatMap(({ flag, target }) =>
  flag !== undefined && target.kind === 'limit' ? [{ flag, type: target.type }] : [],
);

/** What only a pipeline has. */
export function circuitBreakerOption(about = 'halt after this many attempts in total'): Option {
  return new Option('--circuit-breaker <N>', about);
}

/** The flags that give a run another limit, or none. A live run can only be given another one. */
export function raisingOptions(isLive = false): readonly Option[] {
  const names = new Set(['limit', ...LIMIT_FLAGS.map(({ flag }) => flag)]);
  const options = configFlagOptions().filter((option) => names.has(option.name()));
  if (isLive) for (const option of options) option.description = option.description.replace(', 0 for no limit', '');
  return options;
}
