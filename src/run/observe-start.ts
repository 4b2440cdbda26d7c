import { observeBaseline } from '../iteration/observe.js';
import type { Observation } from '../model/observation.js';
import { questionsOf } from './questions.js';
import type { RunParts } from './run-parts.js';

/** Where a run starts from: the files, the tests and the probes before the first iteration. */
export function observeStart(
  { spec, environment, tree, guard, functions, runId, journal }: RunParts,
  signal: AbortSignal,
  ending: AbortSignal,
): Promise<Observation> {
  return observeBaseline({
    spec,
    harness: { workingDir: spec.workingDir, environment, cookie: `${runId}.0.1`, signal },
    tree,
    guard,
    functions,
    ending,
    questions: questionsOf(() => journal.state),
    seen: {},
    skipCommands: signal.aborted,
    label: 'before the first iteration',
    draft: (observed) => ({ type: 'baseline-observed', observation: observed }),
  });
}
