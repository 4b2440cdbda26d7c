import type * as z from 'zod/mini';
import { resolve } from 'node:path';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { ConditionType, StopCondition } from '../model/condition.js';
import { parseDuration } from '../model/duration.js';
import type { Issue } from '../model/errors.js';
import { readValue } from '../model/read-value.js';
import { isRecord } from '../model/show-value.js';
import { CONFIG_KEYS } from './config-shape.js';
import { DEFAULT_LIMIT } from './default-policy.js';
import { withModels } from './read-models.js';
import { expandShorthands, writtenPath, readFileLayer } from './file-layer.js';
import type { Layer, PolicyChanges } from './layer.js';
import { given, type Keys, keysOf, leaf, type ListEntry } from './shape.js';
import type { Environment, GivenOverride } from './override-table.js';
import { parseYaml } from './parse-yaml.js';
import { readConfigValues, readEntry } from './read-shape.js';
import { plainValue, userFilePath } from './config-file.js';
import { lowestLimit, type Policy } from '../model/policy.js';
import { visitConditions } from './condition-place.js';

interface Draft {
  readonly tree: Record<string, unknown>;
  readonly nameOf: Map<string, string>;
  readonly limits: PolicyChanges['limits'][number][];
  readonly added: Record<'success' | 'failure' | 'limits', ListEntry[]>;
  readonly agentArguments: string[];
  readonly issues: Issue[];
  /** They have their places already. */
  readonly ofModels: Issue[];
  readonly cwd: string;
}

/** The layer of what was given by flags, or by variables. */
export function overrideLayer(
  source: 'environment' | 'flag',
  given: readonly GivenOverride[],
  cwd: string,
): { readonly layer: Layer; readonly issues: readonly Issue[] } {
  const draft: Draft = {
    tree: {},
    nameOf: new Map(),
    limits: [],
    added: { success: [], failure: [], limits: [] },
    agentArguments: [],
    issues: [],
    ofModels: [],
    cwd,
  };
  for (const one of given) apply(draft, one);
  const issues: Issue[] = [];
  const read = readConfigValues(draft.tree, { spelling: 'snake', issues });
  const { values, writtenPaths } = expandShorthands(read, issues);
  const locate = (issue: Issue): Issue =>
    locateIn(draft.nameOf, { ...issue, path: writtenPath(issue.path, writtenPaths) });
  const layer: Layer = {
    source,
    values: values.prompt_path === undefined ? values : { ...values, prompt_path: resolve(cwd, values.prompt_path) },
    changes: { limits: draft.limits, added: draft.added },
    agentArguments: draft.agentArguments,
    originOf: (path) => ({ source, ...placeOnly(locate({ path, message: '' })) }),
    locate,
  };
  return { layer, issues: [...[...draft.issues, ...issues].map(locate), ...draft.ofModels] };
}

function apply(draft: Draft, { override, name, value }: GivenOverride): void {
  const { target } = override;
  switch (target.kind) {
    case 'key':
      draft.nameOf.set(target.path.join('.'), name);
      return setKey(draft.tree, target.path, value);
    case 'limit':
      return replaceLimit(draft, target.type, name, String(value));
    case 'add':
      for (const text of textsOf(value)) addCondition(draft, target.list, name, text);
      return;
    case 'check':
      for (const text of textsOf(value)) addCheck(draft, name, text);
      return;
    case 'agent-argument':
      draft.agentArguments.push(...textsOf(value));
      return;
    default:
      target satisfies never;
  }
}

function setKey(tree: Record<string, unknown>, path: readonly string[], value: GivenOverride['value']): void {
  let keys: Keys = CONFIG_KEYS;
  let schema: z.core.$ZodType | undefined;
  let node = tree;
  for (const [index, step] of path.entries()) {
    schema = keys[step];
    if (schema !== undefined) keys = keysOf(schema) ?? keys;
    if (index === path.length - 1) {
      node[step] = typeof value === 'string' && schema !== undefined ? valueOfText(schema, value) : value;
    } else node = (node[step] ??= {}) as Record<string, unknown>;
  }
}

function replaceLimit(draft: Draft, type: ConditionType, name: string, text: string): void {
  const given = limitOfText(type, text);
  if (given === 'none' && type !== DEFAULT_LIMIT.type) draft.limits.push({ type });
  else if (given !== 'none' && 'problem' in given) draft.issues.push({ path: name, message: given.problem });
  else {
    // Without a limit of its own a run has the usual one.
    const input = given === 'none' ? { type, count: 0 } : given.input;
    const entry = readEntry('limits', input, name, { spelling: 'snake', issues: draft.issues });
    if (entry !== undefined) draft.limits.push({ type, entry });
  }
}

function addCondition(draft: Draft, list: keyof Draft['added'], name: string, text: string): void {
  const parsed = parseYaml(text);
  if ('problems' in parsed) {
    draft.issues.push({ path: name, message: parsed.problems[0]?.message ?? 'is not a condition' });
    return;
  }
  const plain = parsed.root === undefined ? '' : plainValue(parsed.root);
  const input = withModels(plain, draft.cwd, draft.ofModels);
  const entry = readEntry(list, input, name, { spelling: 'snake', issues: draft.issues });
  if (entry !== undefined) draft.added[list].push(entry);
}

function addCheck(draft: Draft, name: string, text: string): void {
  const at = text.indexOf('=');
  if (at < 1) {
    draft.issues.push({ path: name, message: `must be NAME=COMMAND, not ${JSON.stringify(text.slice(0, 60))}` });
    return;
  }
  const checks = isRecord(draft.tree['checks']) ? Object.entries(draft.tree['checks']) : [];
  draft.tree['checks'] = Object.fromEntries([...checks, [text.slice(0, at), text.slice(at + 1)]]);
  draft.nameOf.set('checks', name);
}

/** The flag stands where a file name would; what is left of the path says where in its condition. */
function locateIn(nameOf: ReadonlyMap<string, string>, issue: Issue): Issue {
  const flag = /^(--[\w-]+|PAWL_\w+)[.]?/.exec(issue.path);
  if (flag?.[1] !== undefined) return { ...issue, place: flag[1], path: issue.path.slice(flag[0].length) };
  for (const [path, name] of nameOf) {
    if (issue.path !== path && !issue.path.startsWith(`${path}.`) && !path.startsWith(`${issue.path}.`)) continue;
    return { ...issue, place: name, path: path === 'checks' ? issue.path : '' };
  }
  return issue;
}

function placeOnly({ place }: Issue): { place?: string } {
  return place === undefined ? {} : { place };
}

function textsOf(value: GivenOverride['value']): readonly string[] {
  return Array.isArray(value) ? value : [String(value)];
}

const WHOLE_NUMBER = /^\d+$/;
const DECIMAL_NUMBER = /^\d+(?:\.\d+)?$/;

/**
 * The text of a flag or variable as the value that its key wants; text that is not one is left for the rule to refuse.
 * Numbers are read whole: `08` is 8, and `3x`, `1e3`, `0x10` and `-1` are no numbers.
 */
function valueOfText(schema: z.core.$ZodType, text: string): unknown {
  if (given(schema) === leaf.delay) return text === '0' ? 0 : text;
  const { type } = given(schema)._zod.def;
  if (type === 'boolean') return FLAG_TEXTS.get(text) ?? text;
  if (type !== 'number') return text;
  const isWhole = 'format' in given(schema)._zod.def;
  return (isWhole ? WHOLE_NUMBER : DECIMAL_NUMBER).test(text) ? Number(text) : text;
}

/** What the flag of a limit gives: its condition, to be read, or why it has none. A 0 is no limit. */
export function limitOfText(
  type: ConditionType,
  text: string,
): 'none' | { readonly input: object } | { readonly problem: string } {
  if (isNoneText(text)) return 'none';
  const field = CONDITION_CATALOG[type].short ?? '';
  const schema = CONDITION_CATALOG[type].fields[field];
  if (schema === undefined) throw new TypeError(`${type} has no value for a flag`);
  const value = valueOfText(schema, text);
  const [fault] = readValue(schema, value).faults;
  if (fault === undefined) return { input: { type, [field]: value } };
  return { problem: fault.message.replace(', not', ', or 0 for none, not') };
}

/** The flag of a limit takes it away with a 0. */
export function isNoneText(text: string): boolean {
  return /^0+(?:\.0+)?$/.test(text) || parseDuration(text) === 0;
}

const FLAG_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const KEY = 'max_cost_per_day';
const LISTS = ['success', 'failure', 'limits', 'conditions'] as const;

/** The user's own limit over all runs of a day holds next to whatever a project says, and no flag raises it. */
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
