import { count } from '../model/figures.js';
import { needsOf } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import { metricKey, metricText, targetText } from '../model/metric.js';
import { policyLeaves } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';

/** How far a goal without tests is, as it was last observed. */
export interface GoalFigure {
  readonly kind: 'checklist' | 'metric';
  /** The file, or the command. */
  readonly name: string;
  /** `7 of 12 boxes`, `212, best so far 200 in iteration 3`. */
  readonly text: string;
  readonly checked?: number | undefined;
  readonly total?: number | undefined;
  readonly value?: number | undefined;
  readonly best?: number | undefined;
  readonly bestIteration?: number | undefined;
  readonly start?: number | undefined;
  readonly target?: number | undefined;
  /** Why there is no figure now. */
  readonly problem?: string | undefined;
}

/** Each list and each metric of the policy that was observed. */
export function goalFigures({ policy, checklists, metrics }: RunState): readonly GoalFigure[] {
  return policyLeaves(policy).flatMap((leaf): readonly GoalFigure[] => {
    const { probe } = needsOf(leaf);
    if (probe?.kind === 'checklist') {
      const list = checklists?.[conditionKey(leaf)];
      if (list === undefined) return [];
      const { checked, total, problem } = list;
      const text = problem ?? (total === 0 ? 'no boxes' : `${count(checked ?? 0)} of ${count(total ?? 0)} boxes`);
      return [{ kind: 'checklist', name: probe.path, text, checked, total, problem }];
    }
    const metric = probe?.kind === 'measurement' ? metrics?.[metricKey(probe)] : undefined;
    if (probe?.kind !== 'measurement' || metric === undefined) return [];
    const { command: name, target } = probe;
    const { last: value, best, start, problem } = metric;
    const text = `${metricText(metric)}${target === undefined ? '' : `, target ${targetText(probe, target)}`}`;
    const { value: bestValue, iteration: bestIteration } = best ?? {};
    return [
      {
        kind: 'metric',
        name,
        text,
        value,
        best: bestValue,
        bestIteration,
        start,
        target,
        problem,
      },
    ];
  });
}

/** The best result of a metric whose files are to be kept. */
export function bestToKeep({ policy, metrics }: RunState) {
  const probes = policyLeaves(policy).map((leaf) => needsOf(leaf).probe);
  const metric = probes.find((probe) => probe?.kind === 'measurement' && probe.keep_best === true);
  return metric?.kind === 'measurement' ? metrics?.[metricKey(metric)]?.best : undefined;
}
