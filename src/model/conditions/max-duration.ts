import { formatDuration, parseDuration } from '../duration.js';
import { reached, unknown } from '../judging/answer.js';
import { build } from '../judging/build.js';
import { type ConditionDefinition, need } from '../judging/condition-definition.js';

export interface MaxDuration {
  readonly type: 'max_duration';
  readonly duration: string;
}

export const definition = {
  type: 'max_duration',
  version: 1,
  about: 'the run has been active for this long; pauses, waits and downtime do not count',
  fields: { duration: need('duration') },
  short: 'duration',
  class: 'limit',
  priority: 80,
  where: 'both',
  inAiSdk: true,
  live: true,
  limit: ({ duration }) => ({ quantity: 'activeMs', amount: parseDuration(duration) ?? Number.NaN }),
  flag: '--max-duration',
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
  needsMore: (left) => `${formatDuration(left)} more of active time`,
} satisfies ConditionDefinition<MaxDuration>;

/** Stops after this much active time: `'4h'`, `'1h 30m'`, or milliseconds. */
export const maxDuration = (duration: string | number) =>
  build<MaxDuration>(definition, { duration: typeof duration === 'number' ? durationText(duration) : duration });

/** Sign and NaN are kept, so that the check can refuse them by name. */
function durationText(ms: number): string {
  return ms > 0 && Number.isFinite(ms) ? formatDuration(ms, { exact: true }) : String(ms);
}
