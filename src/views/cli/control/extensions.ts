import type { Flags } from '../../../config/override-table.js';
import { ConfigError } from '../../../model/errors.js';
import { isNoLimit } from '../../../model/policy.js';
import type { LoopCommand } from '../../../model/loop-command.js';
import { parseCommand } from '../../../run/control-request.js';
import { configFlags } from '../config-flags.js';
import { checkDayCeiling } from '../../../app/day-limit.js';
import { pipelineFlags } from '../run/pipeline-flags.js';
import { shellWord } from '../../../words/printable.js';
import type { CommandContext } from '../command-context.js';

/** The limits that were given, each as a command. Throws ConfigError when there is none, or one that is no limit. */
export function extensionsIn(
  options: Readonly<Record<string, unknown>>,
  context: CommandContext,
): readonly LoopCommand[] {
  const { limits } = pipelineFlags(options);
  if (limits.length === 0)
    throw new ConfigError([{ path: '', message: 'no limit given: write for example --max-cost 20' }]);
  const none = limits.find(isNoLimit);
  if (none !== undefined) {
    const message = `0 removes ${none.type}, and only pawl resume can do that; set a higher limit`;
    throw new ConfigError([{ path: '', message }]);
  }
  checkDayCeiling(limits, context);
  return limits.map((limit) => parseCommand({ type: 'extend', limit }));
}

/** The same limits as they are given to whatever continues with a run. */
export function limitFlags(options: Readonly<Record<string, unknown>>): string {
  const breaker = options['circuitBreaker'];
  const given: Flags = {
    ...configFlags(options),
    ...(typeof breaker === 'string' ? { 'circuit-breaker': breaker } : {}),
  };
  return Object.entries(given)
    .flatMap(([flag, values]) => [values].flat().map((value) => ` --${flag} ${shellWord(String(value))}`))
    .join('');
}
