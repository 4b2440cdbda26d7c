import { tailOf } from '../model/cut-text.js';
import type { Json } from '../model/json.js';
import type { EventBodies } from '../model/run-event.js';
import type { HookName, HookSpec } from '../model/run-spec.js';
import type { Harness } from '../observation/harness.js';
import { runCommand } from '../observation/run-command.js';

const KEPT_CHARACTERS = 2000;
const LONGEST_WORDS = 200;

/** Runs a command of the user's with the facts as JSON on its input. Never rejects; its failure is a fact, too. */
export async function runHook(
  hook: HookName,
  { command, timeoutMs, onFailure }: HookSpec,
  facts: Readonly<Record<string, Json | undefined>>,
  harness: Harness,
): Promise<EventBodies['hook-ran']> {
  const input = `${JSON.stringify({ hook, ...facts })}\n`;
  const outcome = await runCommand({ shell: command }, { timeoutMs, input, env: { PAWL_HOOK: hook } }, harness);
  const { exitCode, signal, timedOut, aborted, notStarted, durationMs } = outcome;
  const output = tailOf(outcome.output.trim(), KEPT_CHARACTERS);
  const failed = exitCode !== 0 && !aborted;
  const why = timedOut
    ? 'did not end in time'
    : (notStarted ?? (signal === undefined ? `exits with ${exitCode}` : `was killed by ${signal}`));
  return {
    hook,
    durationMs: Math.round(durationMs),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(output === '' ? {} : { output }),
    ...(failed ? { failure: { message: `the hook ${hook} ${why}${lastWords(output)}`, leadsTo: onFailure } } : {}),
  };
}

/** What it said last is what people need to know of its failure. */
function lastWords(output: string): string {
  const line = output.split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.slice(0, LONGEST_WORDS)}`;
}
