import { leavesOf, type StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, limitOf, needsOf } from '../model/condition-catalog.js';
import { count } from '../model/figures.js';
import type { Facts } from '../model/judging/facts.js';
import { type Limit, measuredIn } from '../model/judging/quantity.js';
import { policyEntries, policyLeaves } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import { evaluateRun } from './evaluate-policy.js';
import { factsOf } from './facts.js';
import { conditionKey } from '../model/condition-key.js';
import { metricKey, metricText, targetText } from '../model/metric.js';

const MOST_GOALS = 5;

/** What the next iteration has: its number, how far the limits are used up, and which goals are open. Unknowns are left out. */
export interface WhatIsLeft {
  /** `Iteration 4 of 25. Used so far: $3.10 of $10.00, 40m of 4h active.` */
  readonly limits: string;
  /** `Not done yet: DONE.md does not exist.` Without goals that rest on tests or on the word of the agent. */
  readonly goals: string;
}

interface KnownLimit extends Limit {
  readonly sentence: string;
}

export function whatIsLeft(state: RunState, iteration: number): WhatIsLeft {
  const facts = factsOf(state);
  const limits = knownLimits(state);
  const most = Math.min(...limits.filter(isOfIterations).map(({ amount }) => amount));
  const others = limits.filter((limit) => !isOfIterations(limit));
  const amounts = others.filter((limit) => isAmount(limit, facts));
  const times = others.filter((limit) => !isAmount(limit, facts));
  const sentences = [
    `Iteration ${count(iteration)}${Number.isFinite(most) ? ` of ${count(most)}` : ''}.`,
    ...listed('Used so far', amounts),
    ...listed('Time left', times),
  ];
  return { limits: sentences.join(' '), goals: openGoals(state) };
}

function knownLimits(state: RunState): readonly KnownLimit[] {
  const conditions = new Map(policyEntries(state.policy).map(({ path, condition }) => [path, condition]));
  return evaluateRun(state).judgements.flatMap(({ path, class: stopClass, status, sentence }) => {
    const condition = conditions.get(path);
    if (stopClass !== 'limit' || status !== 'not-met' || condition === undefined) return [];
    const limit = limitOf(condition);
    return limit === undefined ? [] : [{ ...limit, sentence }];
  });
}

function isOfIterations({ quantity }: Limit): boolean {
  return quantity === 'iterations';
}

/** A time of the clock is no amount. */
function isAmount({ quantity }: Limit, facts: Facts): boolean {
  return measuredIn(quantity, facts) !== undefined;
}

function listed(head: string, limits: readonly KnownLimit[]): readonly string[] {
  return limits.length === 0 ? [] : [`${head}: ${limits.map(({ sentence }) => sentence).join(', ')}.`];
}

function openGoals({ policy, verdict }: RunState): string {
  const conditions = new Map(policyEntries(policy).map(({ path, condition }) => [path, condition]));
  const open = (verdict?.judgements ?? []).flatMap(({ path, class: stopClass, status, sentence }) => {
    const condition = conditions.get(path);
    const isOpen = stopClass === 'goal' && status === 'not-met' && condition !== undefined && isObserved(condition);
    return isOpen ? [sentence] : [];
  });
  return open.length === 0 ? '' : `Not done yet: ${open.slice(0, MOST_GOALS).join('; ')}.`;
}

/** The feedback has the tests, and an agent must not be pressed to say that it is done. */
function isObserved(condition: StopCondition): boolean {
  return leavesOf(condition).some(({ type }) => CONDITION_CATALOG[type].evidence === undefined);
}

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
