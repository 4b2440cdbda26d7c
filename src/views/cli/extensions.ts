import { ConfigError } from '../../model/errors.js';
import type { LoopCommand } from '../../model/loop-command.js';
import { parseCommand } from '../../run/control-request.js';
import { configFlags } from './config-flags.js';
import { checkDayCeiling } from './day-limit.js';
import { raisedLimits } from './raised-limits.js';
import { shellWord } from './shell-word.js';

/** The limits that were given, each as a command. Throws ConfigError when there is none, or one that is no limit. */
export function extensionsIn(options: Readonly<Record<string, unknown>>): readonly LoopCommand[] {
  const limits = raisedLimits(options);
  if (limits.length === 0) throw new ConfigError([{ path: '', message: 'which limit? Such as --max-cost 20' }]);
  checkDayCeiling(limits);
  return limits.map((limit) => parseCommand({ type: 'extend', limit }));
}

/** The same limits as they are given to `pawl resume`. */
export function limitFlags(options: Readonly<Record<string, unknown>>): string {
  return Object.entries(configFlags(options))
    .flatMap(([flag, values]) => [values].flat().map((value) => ` --${flag} ${shellWord(String(value))}`))
    .join('');
}
