import type { StopCondition } from '../model/condition.js';
import type { StopConditionResult } from '../model/verdict.js';
import { plural } from '../model/figures.js';
import { type Answer, notMet, unknown } from '../model/judging/answer.js';
import type { Facts } from '../model/judging/facts.js';
import { judge } from './judge.js';

/** A condition with `confirm` is met when it held in every one of the repeated observations. */
export function judgeConfirmed(condition: StopCondition, times: number, facts: Facts): StopConditionResult {
  const first = judge(condition, facts);
  if (times <= 1 || first.status !== 'met') return first;
  const { children, hold, reason = '' } = first;
  const inside = { children, hold };
  const as = (answer: Answer) => ({ condition, ...answer }) as StopConditionResult;
  const repeats = (facts.confirmations ?? []).slice(0, times - 1);
  const failed = repeats
    .map((observed) =>
      judge(condition, { ...facts, tests: undefined, checks: undefined, probes: undefined, ...observed }),
    )
    .find((result) => result.status !== 'met');
  if (failed !== undefined) return as(notMet(`held once, then not: ${failed.reason ?? ''}`, 0, inside));
  const held = 1 + repeats.length;
  if (held >= times) return { ...first, reason: `${reason} (checked ${plural(times, 'time')})` };
  if (facts.looksOfAnother === true)
    return as(unknown(`${reason} (confirmed ${held} of ${plural(times, 'time')})`, held / times, inside));
  return as(notMet(`${reason} (checked ${held} of ${plural(times, 'time')})`, held / times, inside));
}
