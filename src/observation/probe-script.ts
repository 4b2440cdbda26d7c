import { headOf } from '../model/figures.js';
import { formatDuration, parseDuration } from '../model/duration.js';
import type { Probe } from '../model/judging/needs.js';
import type { ProbeResult } from '../model/observation.js';
import { findProgram, whyNotRunnable } from '../process/run-tool.js';
import type { Harness } from './harness.js';
import { plainLines } from './plain-lines.js';
import { type CommandOutcome, runCommand } from './run-command.js';

type ProgramProbe = Extract<Probe, { readonly kind: 'program' }>;

const TIMEOUT_MS = 60_000;
const DETAIL_CHARACTERS = 200;
/** What shells, and those who start a program for another, exit with when it cannot be run. */
const NOT_RUNNABLE = [126, 127];

/** Exit code 0 is met, any other is not; a script that cannot be run or does not end in time has not answered. */
export async function probeScript(probe: ProgramProbe, harness: Harness): Promise<ProbeResult> {
  const { script, args = [], timeout } = probe;
  const timeoutMs = (timeout === undefined ? undefined : parseDuration(timeout)) ?? TIMEOUT_MS;
  const program = programOf(script, harness);
  if (program === undefined)
    return { detail: `the script ${script} cannot be run: ${whyNotRunnable(script, harness.workingDir)}` };
  const outcome = await runCommand({ program, args }, { timeoutMs }, harness);
  const problem = problemOf(outcome, timeoutMs);
  if (problem !== undefined) return { detail: `the script ${script} ${problem}` };
  const said = firstLine(outcome.output);
  return { met: outcome.exitCode === 0, detail: said ?? `the script ${script} exits with ${outcome.exitCode}` };
}

/**
 * Looked for like a shell does, then in the working directory. In this order, so that no file of the agent's takes the
 * place of a program of the system.
 */
function programOf(script: string, { workingDir, environment }: Harness): string | undefined {
  return (
    findProgram(script, workingDir, environment['PATH']) ??
    (script.includes('/') ? undefined : findProgram(`./${script}`, workingDir, undefined))
  );
}

function problemOf(outcome: CommandOutcome, timeoutMs: number): string | undefined {
  if (outcome.aborted) return 'was interrupted';
  if (outcome.timedOut) return `did not end within ${formatDuration(timeoutMs)}`;
  if (outcome.notStarted !== undefined) return `could not be started: ${outcome.notStarted}`;
  if (outcome.signal !== undefined) return `was killed by ${outcome.signal}`;
  if (!NOT_RUNNABLE.includes(outcome.exitCode ?? NaN)) return undefined;
  return `could not be run: ${firstLine(outcome.output) ?? `exit code ${outcome.exitCode}`}`;
}

function firstLine(output: string): string | undefined {
  const line = plainLines(output).find((candidate) => candidate.trim() !== '');
  return line && headOf(line.trim(), DETAIL_CHARACTERS);
}
