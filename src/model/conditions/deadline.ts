import { formatDuration } from '../duration.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';

export interface Deadline {
  readonly type: 'deadline';
  readonly at: string;
}

export const definition = {
  type: 'deadline',
  version: 1,
  about: 'the clock has reached this time',
  fields: { at: need('time') },
  short: 'at',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  live: true,
  limit: ({ at }) => ({ quantity: 'atMs', amount: Date.parse(at) }),
  outcome: 'time is up',
  judge: ({ at }, { nowMs, startedAtMs }) => {
    const atMs = Date.parse(at);
    if (nowMs === undefined || Number.isNaN(atMs)) return unknown('the time is not known');
    if (nowMs >= atMs) return met(`the deadline ${at} has passed`);
    const whole = startedAtMs === undefined ? 0 : atMs - startedAtMs;
    const progress = startedAtMs === undefined || whole <= 0 ? undefined : (nowMs - startedAtMs) / whole;
    return notMet(`${formatDuration(atMs - nowMs)} until ${at}`, progress);
  },
  describe: ({ at }) => `at ${at}`,
  needs: ({ at }) => `the clock to reach ${at}`,
  warn: ({ at }, { now, isOutermost }) =>
    now === undefined || !isOutermost || Date.parse(at) > now
      ? undefined
      : { field: 'at', message: `${at} has passed: the run would end before its first iteration; set a later time` },
} satisfies ConditionDefinition<Deadline>;

/** Stops at a time of the clock. */
export const deadline = (at: string | Date) =>
  build<Deadline>(definition, { at: typeof at === 'string' ? at : isoText(at) });

function isoText(at: Date): string {
  return Number.isNaN(at.getTime()) ? 'an invalid date' : at.toISOString();
}
