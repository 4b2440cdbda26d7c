import { conditionKey } from '../condition-key.js';
import { ofLimit, plural, quote } from '../figures.js';
import { type Answer, met, notMet, unknown, ownFact } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { defineCondition, type ValuesOf } from '../judging/define-condition.js';
import type { Facts } from '../judging/facts.js';
import { bestText, metricKey, metricText, targetText } from '../metric.js';

const fields = {
  command: field.text,
  better: field.direction,
  target: optional(field.number),
  patience: optional(field.count),
  min_change: optional(field.amount),
  keep_best: optional(field.flag),
  timeout: optional(field.duration),
};

type Metric = ValuesOf<typeof fields>;

export const metric = defineCondition({
  type: 'metric',
  about:
    'the last number that the command prints reaches the target; with `patience`, the run ends after that many iterations without a better one',
  fields,
  make: (command: string, options: Omit<Metric, 'command'>) => ({ command, ...options }),
  needsOneOf: ['target', 'patience'],
  class: 'goal',
  goalOnly: true,
  priority: 50,
  where: 'loop',
  needsDirectory: true,
  needs: ({ type: _type, patience: _patience, ...metric }) => ({
    probe: { kind: 'measurement', ...metric },
    ...(metric.keep_best === true ? { snapshots: 'keep_best' } : {}),
  }),
  quotes: true,
  judge,
  givesUp: ({ patience, target, ...metric }, facts) => {
    const record = ownFact(facts.metrics, metricKey(metric));
    if (patience === undefined || record === undefined || record.stalled < patience) return undefined;
    return {
      class: target === undefined ? 'limit' : 'failure',
      message: `${nameOf(metric)} has not improved for ${plural(record.stalled, 'iteration')}: ${metricText(record)}`,
    };
  },
  outcome: 'no better result',
  // All of a command is to be seen.
  describe: ({ command, better, target, patience }) => {
    const reaches = target === undefined ? '' : `when "${command}" measures ${targetText({ better }, target)}`;
    const stalls = patience === undefined ? '' : `after ${plural(patience, 'iteration')} without a better result`;
    if (reaches === '') return `${stalls} of "${command}"`;
    return stalls === '' ? reaches : `${reaches}, or gives up ${stalls}`;
  },
  takes: ({ target, ...metric }) =>
    target === undefined
      ? 'a target, which it does not have'
      : `${nameOf(metric)} to measure ${targetText(metric, target)}`,
  iterationsNeeded: ({ patience = 1 }) => patience,
});

function judge(condition: Metric, facts: Facts): Answer {
  const { target, patience } = condition;
  const probe = ownFact(facts.probes, conditionKey(condition));
  const record = ownFact(facts.metrics, metricKey(condition));
  const name = nameOf(condition);
  if (probe === undefined) return unknown(`${name} has not been measured yet`);
  const waited =
    patience === undefined || record === undefined || record.stalled === 0
      ? ''
      : `; ${ofLimit(record.stalled, patience, 'iteration')} without a better result`;
  const best = bestText(record);
  if (probe.value === undefined)
    return unknown(`${name} gave no value: ${probe.detail ?? 'unknown'}${best === '' ? '' : `; ${best}`}${waited}`);
  const { value } = probe;
  const unfit = record?.isUnfit === true ? ', with tests failing that passed at the start' : '';
  const measured = `${name} measures ${value}${unfit}${best === '' ? '' : `; ${best}`}`;
  if (target === undefined) return notMet(`${measured}${waited}`);
  const wanted = targetText(condition, target);
  const isReached = condition.better === 'higher' ? value >= target : value <= target;
  if (isReached) return met(`${name} measures ${value}, ${wanted} was the target`);
  return notMet(`${measured}; the target is ${wanted}${waited}`, partOf(record?.start, value, target));
}

/** How much of the way from the start to the target is done. */
function partOf(start: number | undefined, value: number, target: number): number | undefined {
  if (start === undefined || start === target) return undefined;
  return (value - start) / (target - start);
}

function nameOf({ command }: Pick<Metric, 'command'>): string {
  return quote(command, 40);
}
