import { median } from '../../measure.js';
import type { Deed } from '../fake-agent.js';
import type { Cannot, Runner, RunRequest } from '../runner.js';
import { type ScratchOptions, whyNot, withRun } from '../scratch-run.js';

/** The median time from the start of one agent to the start of the next, in a run of its own. */
export function periodMs(
  runner: Runner,
  request: RunRequest,
  deed: Deed,
  options: ScratchOptions = {},
): Promise<number | Cannot> {
  return withRun(
    runner,
    request,
    deed,
    async (run) => {
      await run.launched.exited;
      const starts = run.scratch.starts().map(({ atMs }) => atMs);
      if (starts.length < request.iterations) return whyNot(run);
      return median(starts.slice(1).map((at, index) => at - (starts[index] ?? Number.NaN)));
    },
    options,
  );
}
