import { formatDuration } from '../model/duration.js';
import type { Policy, PolicyEntry } from '../model/policy.js';
import type { Unit } from '../model/figures.js';
import { describe } from '../stop/judge.js';

const SOON_MS = 43_200_000;

/** The local time of day, with the date where that is neither today nor soon: `06:59`, `2026-02-14 06:59`. */
export function clockText(at: string, nowMs: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const two = (value: number) => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const leftMs = date.getTime() - nowMs;
  const isSoon = leftMs >= 0 && leftMs < SOON_MS;
  if (isSoon || date.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

/** `2h ago`; one unit is enough to find a run by. */
export function agoText(at: string | undefined, nowMs: number): string {
  const elapsedMs = nowMs - Date.parse(at ?? '');
  if (Number.isNaN(elapsedMs)) return '';
  if (elapsedMs < 1000) return 'now';
  return `${formatDuration(elapsedMs).split(' ')[0]} ago`;
}

/** `until 06:59 (in 2h 10m)`. */
export function untilText(until: string, nowMs: number): string {
  const leftMs = Date.parse(until) - nowMs;
  const left = leftMs > 0 ? ` (in ${formatDuration(leftMs)})` : '';
  return `until ${clockText(until, nowMs)}${left}`;
}

/** A condition of a policy in words; a goal with how often it is checked, and from when on it counts. */
export function entryText(
  { condition, class: stopClass }: PolicyEntry,
  { confirm, atLeast = 0 }: Policy,
  unit: Unit = 'iteration',
): string {
  if (stopClass !== 'goal') return describe(condition, unit);
  const times = condition.confirm ?? confirm ?? 1;
  const confirmed = times > 1 ? `, checked ${times} times` : '';
  const early = atLeast > 0 ? `, not before ${unit} ${atLeast}` : '';
  return `${describe(condition, unit)}${confirmed}${early}`;
}
