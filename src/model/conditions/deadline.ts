import { formatDuration } from '../duration.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';

/** Stops at a time of the clock. */
export const deadline = defineCondition({
  type: 'deadline',
  about: 'it is this time or later',
  fields: { at: field.time },
  make: (at: string | Date) => ({ at: typeof at === 'string' ? at : isoText(at) }),
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
    const isStartKnown = startedAtMs !== undefined && startedAtMs < atMs;
    const progress = isStartKnown ? (nowMs - startedAtMs) / (atMs - startedAtMs) : undefined;
    return notMet(`${formatDuration(atMs - nowMs)} until ${at}`, progress);
  },
  describe: ({ at }) => `at ${at}`,
  takes: ({ at }) => `the clock to reach ${at}`,
  warn: ({ at }, { now, isOutermost }) =>
    now === undefined || !isOutermost || Date.parse(at) > now
      ? undefined
      : { field: 'at', message: `${at} has passed: the run would end before its first iteration; set a later time` },
});

function isoText(at: Date): string {
  return Number.isNaN(at.getTime()) ? 'an invalid date' : at.toISOString();
}
