import type { StopCondition } from '../model/condition.js';
import type { StopConditionResult } from '../model/verdict.js';
import type { Facts } from './facts.js';
import { plural } from './figures.js';
import { judge } from './judge.js';
import { notMet, unknown } from './result.js';

/** A condition with `confirm` is met when it held in every one of the repeated observations. */
export function judgeConfirmed(condition: StopCondition, times: number, facts: Facts): StopConditionResult {
  const first = judge(condition, facts);
  if (times <= 1 || first.status !== 'met') return first;
  const { children, hold, reason = '' } = first;
  const repeats = (facts.confirmations ?? []).slice(0, times - 1);
  const failed = repeats
    .map((observed) =>
      judge(condition, { ...facts, tests: undefined, checks: undefined, probes: undefined, ...observed }),
    )
    .find((result) => result.status !== 'met');
  if (failed !== undefined) {
    return notMet(condition, `held once, then not: ${failed.reason ?? ''}`, 0, { children, hold });
  }
  const held = 1 + repeats.length;
  if (held < times && facts.looksOfAnother === true) {
    const sentence = `${reason} (confirmed ${held} of ${plural(times, 'time')})`;
    return unknown(condition, sentence, held / times, { children, hold });
  }
  if (held < times) {
    return notMet(condition, `${reason} (checked ${held} of ${plural(times, 'time')})`, held / times, {
      children,
      hold,
    });
  }
  return { ...first, reason: `${reason} (checked ${plural(times, 'time')})` };
}
