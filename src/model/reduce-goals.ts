import { checklistAfter, type ChecklistRecord, isFurther } from './checklist.js';
import { needsOf } from './condition-catalog.js';
import { conditionKey } from './condition-key.js';
import { isNewBest, metricAfter, metricKey, type Measured, type MetricRecord } from './metric.js';
import type { Observation, ProbeResult } from './observation.js';
import { policyLeaves } from './policy.js';
import type { RunState } from './run-state.js';

type Records = Pick<RunState, 'checklists' | 'metrics'>;

interface ObservedGoal {
  readonly key: string;
  readonly probe: ProbeResult;
  readonly metric?: Measured | undefined;
}

/** What lists and metrics show after an observation. What was not observed stays as it was. */
export function goalsAfter(
  state: RunState,
  { probes, tests }: Observation,
  { iteration, tree }: { readonly iteration: number; readonly tree: string | undefined },
): Records {
  const checklists: Record<string, ChecklistRecord> = {};
  const metrics: Record<string, MetricRecord> = {};
  const at = { iteration, tree, tests, testsAtStart: state.baseline?.tests };
  for (const { key, probe, metric } of observedGoals(state, probes)) {
    if (metric === undefined) checklists[key] = checklistAfter(state.checklists?.[key], probe);
    else metrics[metricKey(metric)] = metricAfter(state.metrics?.[metricKey(metric)], probe, metric, at);
  }
  return {
    ...(Object.keys(checklists).length === 0 ? {} : { checklists: { ...state.checklists, ...checklists } }),
    ...(Object.keys(metrics).length === 0 ? {} : { metrics: { ...state.metrics, ...metrics } }),
  };
}

/** Fewer boxes are open than ever since the list grew, or a metric has a new best result. */
export function hasAdvanced(
  state: Pick<RunState, 'policy' | 'checklists' | 'metrics'>,
  { probes }: Observation,
): boolean {
  return observedGoals(state, probes).some(({ key, probe, metric }) =>
    metric === undefined
      ? isFurther(state.checklists?.[key], probe.boxes)
      : state.metrics?.[metricKey(metric)]?.best !== undefined &&
        isNewBest(state.metrics[metricKey(metric)], probe.value, metric),
  );
}

/** A person's resume is patient again. */
export function withPatience(metrics: RunState['metrics']): Pick<RunState, 'metrics'> {
  if (metrics === undefined) return {};
  return { metrics: Object.fromEntries(Object.entries(metrics).map(([key, one]) => [key, { ...one, stalled: 0 }])) };
}

/** Whether the files that changed are all lists of goals: of those only the boxes count. */
export function areOnlyLists({ policy }: Pick<RunState, 'policy'>, { files }: Observation): boolean {
  const lists = policyLeaves(policy).flatMap((leaf) => {
    const { probe } = needsOf(leaf);
    return probe?.kind === 'checklist' ? [plainPath(probe.path)] : [];
  });
  if (lists.length === 0 || files === undefined) return false;
  const changed = [...files.created, ...files.modified, ...files.deleted];
  return (
    files.changedFiles > 0 && changed.length === files.changedFiles && changed.every((path) => lists.includes(path))
  );
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '');
}

function observedGoals(
  { policy }: Pick<RunState, 'policy'>,
  probes: Observation['probes'] = {},
): readonly ObservedGoal[] {
  const found = new Map<string, ObservedGoal>();
  for (const leaf of policyLeaves(policy)) {
    const { probe: need } = needsOf(leaf);
    if (need?.kind !== 'checklist' && need?.kind !== 'measurement') continue;
    const key = conditionKey(leaf);
    const probe = Object.hasOwn(probes, key) ? probes[key] : undefined;
    if (probe === undefined) continue;
    const metric = need.kind === 'measurement' ? need : undefined;
    found.set(metric === undefined ? key : metricKey(metric), { key, probe, metric });
  }
  return [...found.values()];
}
