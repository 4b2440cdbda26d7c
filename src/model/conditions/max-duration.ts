import { formatDuration, parseDuration } from '../duration.js';
import { reached, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';

/** Stops after this much active time: `'4h'`, `'1h 30m'`, or milliseconds. */
export const maxDuration = defineCondition({
  type: 'max_duration',
  about: 'the run has been active for this long; pauses, waits and downtime do not count',
  fields: { duration: field.duration },
  make: (duration: string | number) => ({ duration: typeof duration === 'number' ? durationText(duration) : duration }),
  short: 'duration',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  live: true,
  limit: ({ duration }) => ({ quantity: 'activeMs', amount: parseDuration(duration) ?? Number.NaN }),
  flag: { name: 'max-duration', value: 'D', about: 'stop after this much active time' },
  zeroIsNone: true,
  outcome: 'time is up',
  judge: ({ duration }, { activeMs }) => {
    const limitMs = parseDuration(duration);
    if (limitMs === undefined) return unknown(`"${duration}" is not a duration`);
    return reached(activeMs, limitMs, (value) => `${formatDuration(value)} of ${formatDuration(limitMs)} active`);
  },
  describe: ({ duration }) => {
    const ms = parseDuration(duration);
    return `after ${ms === undefined ? duration : formatDuration(ms, { exact: true })} of active time`;
  },
  takesMore: (left) => `${formatDuration(left)} more of active time`,
});

/** Sign and NaN are kept, so that the check can refuse them by name. */
function durationText(ms: number): string {
  return ms > 0 && Number.isFinite(ms) ? formatDuration(ms, { exact: true }) : String(ms);
}
