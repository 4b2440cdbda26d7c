import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnreachable } from '../../../fleet/database-error.js';
import type { RunOutcome } from '../../../fleet/run-outcome.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { STOP_CLASSES } from '../../../model/stop-class.js';
import { oneLine, printable } from '../../../words/printable.js';
import { type LocatedRun, lookForRun } from '../../../app/fleet-records.js';
import { type UnbegunRun, unbegunText } from '../../../app/unbegun-run.js';
import type { CommandContext } from '../command-context.js';

const LOOK_MS = 1000;

/** A run that is recorded, here or in the fleet, or one that ended before anything of it was. */
export type BegunRun =
  | { readonly folder: string; readonly reference: string | undefined; readonly unbegun?: undefined }
  | { readonly unbegun: UnbegunRun };

/** Waits for as long as no worker of the fleet has begun with it. Throws ConfigError when there is no such run. */
export async function waitUntilBegun(
  workingDir: string,
  named: string | undefined,
  context: CommandContext,
): Promise<BegunRun> {
  const { terminal } = context;
  let located = await lookForRun(workingDir, named, context);
  let reference = named;
  let isAway = located.stale !== undefined;
  if (isOpen(located)) terminal.note(oneLine(waitNote(located.unbegun, context.now()), 400));
  while (isOpen(located)) {
    reference = located.unbegun.run.id;
    // oxlint-disable no-await-in-loop -- inspected again after a while
    await pause(LOOK_MS);
    const seen = await lookAgain(workingDir, reference, context);
    // oxlint-enable no-await-in-loop
    if ('away' in seen && !isAway) terminal.note(`pawl: ${printable(seen.away)}; waiting until it is back`);
    isAway = 'away' in seen;
    if (!('away' in seen)) located = seen;
  }
  const { folder, unbegun } = located;
  return unbegun === undefined ? { folder, reference } : { unbegun };
}

interface OpenRun extends LocatedRun {
  readonly unbegun: UnbegunRun;
}

function isOpen(located: LocatedRun): located is OpenRun {
  return located.unbegun !== undefined && located.unbegun.run.state !== 'ended';
}

async function lookAgain(
  workingDir: string,
  reference: string,
  context: CommandContext,
): Promise<LocatedRun | { readonly away: string }> {
  try {
    const located = await lookForRun(workingDir, reference, context, true);
    return located.stale === undefined ? located : { away: located.stale.message };
  } catch (error) {
    if (error instanceof DatabaseUnreachable) return { away: error.message };
    throw error;
  }
}

function waitNote(unbegun: UnbegunRun, nowMs: number): string {
  return `${unbegun.run.id} has not started yet: ${unbegunText(unbegun, nowMs)}`;
}

/** How a run ended of which nothing is recorded, as the fleet tells it. */
export function endOfUnbegun({ run }: UnbegunRun): Partial<RunOutcome> & { readonly exitCode: ExitCode } {
  const outcome = (run.outcome ?? {}) as Partial<RunOutcome>;
  const stopClass = STOP_CLASSES.find((known) => known === outcome.class);
  const isBroken = outcome.error !== undefined || stopClass === undefined;
  return { ...outcome, exitCode: isBroken ? EXIT_CODES.error : EXIT_CODES[stopClass] };
}
