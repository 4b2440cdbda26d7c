import { conditionKey } from '../condition-key.js';
import { type Answer, met, notMet, unknown, ownFact } from './answer.js';
import type { AnyCondition } from './condition-definition.js';
import type { Facts } from './facts.js';

/** The recorded answer decides; without one it is unknown. `subject` names what was to be observed. */
export function probeAnswer(condition: AnyCondition, { probes }: Facts, subject: string): Answer {
  const probe = ownFact(probes, conditionKey(condition));
  if (probe === undefined) return unknown(`${subject} has not been checked yet`);
  if (probe.met === undefined) return unknown(probe.detail ?? `${subject} could not be checked`);
  const sentence = probe.detail ?? `${subject}: ${probe.met ? 'yes' : 'no'}`;
  return probe.met ? met(sentence) : notMet(sentence);
}

/** With `fresh`, a file that was there before the run counts only after it was written again. */
export function freshAnswer(
  condition: AnyCondition & { readonly path: string; readonly fresh?: boolean | undefined },
  facts: Facts,
  subject: string,
): Answer {
  const answer = probeAnswer(condition, facts, subject);
  if (!answer.isMet || condition.fresh !== true) return answer;
  const key = conditionKey(condition);
  const [before, now] = [ownFact(facts.baselineProbes, key), ownFact(facts.probes, key)];
  if (before?.met !== true || before.version !== now?.version) return answer;
  return notMet(`${condition.path} was there before the run and has not been written since`);
}
