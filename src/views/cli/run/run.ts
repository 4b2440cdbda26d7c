import { startRun } from '../../../app/start-run.js';
import type { ExitCode } from '../../../model/exit-code.js';
import type { CommandContext } from '../command-context.js';
import { configFlags } from '../config-flags.js';
import { askingHere } from './ask-to-confirm.js';
import { withBoundedTerminal } from './bounded-terminal.js';
import { detach } from './detach.js';
import { driveRun } from './drive-run.js';
import { showPlan } from './show-plan.js';

export interface RunCommandOptions {
  readonly cwd?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  /** What the project's config would have executed is confirmed. */
  readonly trust?: boolean;
  /** A worktree of its own, by this name or by one of the run. */
  readonly worktree?: string | true;
  /** The id that the run is to have: this process is the one in the background. */
  readonly detachedRun?: string;
  readonly [flag: string]: unknown;
}

/** Starts a loop and stays with it to its end. What cannot be started throws, and leaves nothing behind. */
export async function runLoopCommand(
  file: string | undefined,
  options: RunCommandOptions,
  command: readonly string[] | undefined,
  screen: CommandContext,
): Promise<ExitCode> {
  const { config: configPath, cwd, quiet, trust, worktree, detachedRun } = options;
  const context = detachedRun === undefined ? screen : withBoundedTerminal(screen);
  // In the background it is for people to read later.
  const json = options.json === true && detachedRun === undefined;
  const asking = askingHere(context);
  const wanted = { file, flags: configFlags(options), command, configPath, cwd, worktree, preparedId: detachedRun };
  return startRun(
    { ...wanted, quiet, trust, ...asking },
    {
      async begin(handle, { workingDir, records }) {
        if (options.detach === true && detachedRun === undefined) {
          return detach({ runId: handle.id, workingDir, records, lastSeq: 0, json, cwd }, context);
        }
        return driveRun(handle, { workingDir, json, quiet, cwd }, context);
      },
      ...(options.dryRun === true
        ? { plan: (config, spec) => showPlan({ config, spec, json: options.json }, context) }
        : {}),
    },
    context,
  );
}
