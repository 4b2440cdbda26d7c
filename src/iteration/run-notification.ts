import { headOf } from '../model/cut-text.js';
import { formatDuration } from '../model/duration.js';
import type { Harness } from '../observation/harness.js';
import { runCommand } from '../observation/run-command.js';

export interface CommandNotification {
  readonly command: string;
  readonly json: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const SHOWN_CHARACTERS = 200;

/** Runs the user's command with the facts as JSON on its input. Gives the reason when it failed. Never rejects. */
export async function runNotification(
  { command, json, env, timeoutMs }: CommandNotification,
  harness: Harness,
): Promise<string | undefined> {
  const options = { timeoutMs, input: `${json}\n`, env };
  const { exitCode, signal, timedOut, aborted, notStarted, output } = await runCommand(
    { shell: command },
    options,
    harness,
  );
  if (exitCode === 0 && !aborted && !timedOut) return undefined;
  if (aborted) return 'it was ended with the run';
  if (timedOut) return `it did not end within ${formatDuration(timeoutMs)}`;
  const why = notStarted ?? (signal === undefined ? `it exits with ${exitCode}` : `it was killed by ${signal}`);
  const said = headOf(output.trim().split('\n').at(-1) ?? '', SHOWN_CHARACTERS);
  return said === '' ? why : `${why}: ${said}`;
}
