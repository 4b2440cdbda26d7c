import { tailOf } from '../model/figures.js';
import { formatDuration } from '../model/duration.js';
import type { CheckResult } from '../model/observation.js';
import type { CommandSpec } from '../model/run-spec.js';
import type { Harness } from './harness.js';
import { type CommandOutcome, runCommand } from './run-command.js';

const OUTPUT_CHARACTERS = 4000;

/** Runs a named check of the config: exit code 0 is passed. One that was cut short by the operator is neither. */
export async function runCheck(spec: CommandSpec, harness: Harness): Promise<CheckResult> {
  const outcome = await runCommand({ shell: spec.command }, { timeoutMs: spec.timeoutMs }, harness);
  const { exitCode } = outcome;
  const passed = outcome.aborted || outcome.notStarted !== undefined ? undefined : exitCode === 0 && !outcome.timedOut;
  return {
    ...(passed === undefined ? {} : { passed }),
    ...(exitCode === undefined ? {} : { exitCode }),
    output: tailOf([outcome.output, endOf(outcome, spec)].filter((part) => part !== '').join('\n'), OUTPUT_CHARACTERS),
  };
}

/** How it ended, where an exit code does not say it. */
function endOf(outcome: CommandOutcome, { timeoutMs }: CommandSpec): string {
  if (outcome.notStarted !== undefined) return `[not started: ${outcome.notStarted}]`;
  if (outcome.aborted) return '[interrupted]';
  if (outcome.timedOut) return `[timed out after ${formatDuration(timeoutMs)}]`;
  return outcome.signal === undefined ? '' : `[killed by ${outcome.signal}]`;
}
