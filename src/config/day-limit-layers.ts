import type { StopCondition } from '../model/condition.js';
import type { Issue } from '../model/errors.js';
import { lowestLimit, type Policy } from '../model/policy.js';
import { visitConditions } from './condition-place.js';
import { readFileLayer } from './file-layer.js';
import type { Environment } from './given-overrides.js';
import type { Layer } from './layer.js';
import { userFilePath } from './config-file.js';
import type { ListEntry } from './shape.js';

const KEY = 'max_cost_per_day';
const LISTS = ['success', 'failure', 'limits', 'conditions'] as const;

/** The user's own limit over all runs of a day holds beside whatever a project says, and no flag raises it. */
export function withDayLimit(policy: Policy, layers: readonly Layer[], issues: Issue[]): Policy {
  for (const layer of layers) issues.push(...misplaced(layer));
  const own = layers.findLast(({ source, values }) => isOwn(source) && values[KEY] !== undefined);
  const usd = own?.values[KEY];
  if (own === undefined || usd === undefined) return policy;
  const place = own.originOf(KEY).place ?? KEY;
  for (const layer of layers) issues.push(...raising(layer, usd, place));
  return { ...policy, limits: [...policy.limits, { type: KEY, usd }] };
}

/** What the user's own config says now, whatever state a project's is in; undefined when it says nothing. */
export function userDayLimit(environment: Environment): number | undefined {
  const path = userFilePath(environment);
  if (path === undefined) return undefined;
  return readFileLayer({ source: 'user-file', path, cwd: '/', required: false }).layer?.values[KEY];
}

/** Who writes code is not a project that comes from elsewhere. */
function isOwn(source: Layer['source']): boolean {
  return source === 'user-file' || source === 'code';
}

function misplaced({ source, values, locate }: Layer): readonly Issue[] {
  if (source !== 'user-file' && source !== 'project-file') return [];
  const message = {
    'project-file': 'belongs in your own config, not in a project',
    'user-file': `belongs to the top of this file, as \`${KEY}: USD\`: the list of a project replaces this one`,
  }[source];
  const found = LISTS.flatMap((list) => values.stop?.[list] ?? []).flatMap(placesIn);
  const top = source === 'project-file' && values[KEY] !== undefined ? [KEY] : [];
  return [...top, ...found].map((path) => locate({ path, message: path === KEY ? message : `${KEY} ${message}` }));
}

function placesIn({ condition, path }: ListEntry): readonly string[] {
  const places: string[] = [];
  if (typeof condition !== 'object') return places;
  visitConditions(condition, path, (inner, at) => void (dayUsd(inner) !== undefined && places.push(at)));
  return places;
}

function dayUsd(condition: StopCondition): number | undefined {
  return lowestLimit([condition], 'dayCostUsd');
}

/** Both would hold, so that the flag would do nothing. */
function raising({ changes, locate }: Layer, most: number, place: string): readonly Issue[] {
  return (changes?.added.limits ?? []).flatMap(({ condition, path }) => {
    const usd = typeof condition === 'object' ? dayUsd(condition) : undefined;
    if (usd === undefined || usd <= most) return [];
    const message = `${KEY}: ${usd} is more than the ${most} of your own config (${place}), and a flag can only lower it`;
    return [locate({ path, message })];
  });
}
