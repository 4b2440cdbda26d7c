import { neededBy } from '../model/condition-catalog.js';
import type { ProbeResult } from '../model/observation.js';
import { policyLeaves } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { probeProtectedPaths } from '../observation/protected-paths.js';

/** An earlier iteration in which protected files were not watched, or changed. */
export interface GuardGap {
  readonly before: string | undefined;
  readonly broken?: RunState['guardBroken'];
}

interface Guarded {
  readonly spec: Pick<RunSpec, 'policy'>;
  /** One figure of the protected files as they are now. */
  readonly guard: { readonly digest?: string | undefined } | undefined;
  readonly questions: { guardGap(): GuardGap | undefined };
}

/** An agent that hides what it did in one iteration is not trusted in the next one, unless the files are as before. */
export function protectedProbes(
  { spec, guard, questions }: Guarded,
  guarded: readonly string[] | undefined,
): Record<string, ProbeResult> {
  const gap = questions.guardGap();
  return Object.fromEntries(
    [...neededBy(policyLeaves(spec.policy), 'guard')].map(([key, needed]) => {
      const probe = probeProtectedPaths(needed, guarded);
      return [key, gap === undefined ? probe : afterGap(needed.paths, gap, probe, guard?.digest)];
    }),
  );
}

function afterGap(
  paths: readonly string[],
  { before, broken }: GuardGap,
  probe: ProbeResult,
  now: string | undefined,
): ProbeResult {
  const named = paths.join(', ');
  if (before !== undefined && before === now) return { met: false, detail: `${named} is as it was` };
  if (probe.met !== false) return probe;
  if (before === undefined) return { detail: 'the changes of an earlier iteration were not observed' };
  if (broken === undefined) return { met: true, detail: `${named} changed while nobody could watch` };
  return { met: true, detail: `${broken.detail} in iteration ${broken.iteration} and has not been put back` };
}
