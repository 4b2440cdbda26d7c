import { conditionKey } from '../condition-key.js';
import { type Answer, met, notMet, unknown } from './answer.js';
import type { AnyCondition } from './condition-definition.js';
import type { Facts } from './facts.js';
import { ownFact } from './own-fact.js';

/** The recorded answer decides; without one it is unknown. `subject` names what was to be observed. */
export function probeAnswer(condition: AnyCondition, { probes }: Facts, subject: string): Answer {
  const probe = ownFact(probes, conditionKey(condition));
  if (probe === undefined) return unknown(`${subject} was not looked at`);
  if (probe.met === undefined) return unknown(probe.detail ?? `${subject} could not be told`);
  const sentence = probe.detail ?? `${subject}: ${probe.met ? 'yes' : 'no'}`;
  return probe.met ? met(sentence) : notMet(sentence);
}
