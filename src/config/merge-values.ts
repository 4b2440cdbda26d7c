import type { Json } from '../model/json.js';
import { isRecord } from '../model/field-rules.js';
import { CONFIG_KEYS, type ConfigValues } from './config-shape.js';
import { itemPath, keyPath } from './key-path.js';
import type { Layer } from './layer.js';
import type { Origin } from './origin.js';
import type { Keys, Shape } from './shape.js';

/** `stop` and `max_iterations` have rules of their own; see merge-policy.ts. */
const POLICY_KEYS = new Set(['stop', 'stop_conditions', 'max_iterations']);
const SETTING_KEYS: Keys = Object.fromEntries(Object.entries(CONFIG_KEYS).filter(([key]) => !POLICY_KEYS.has(key)));

type Values = Readonly<Record<string, unknown>>;
type OriginMap = Map<string, Origin>;

/** The settings of all layers, the later over the earlier, completed by the defaults; `origins` learns who set what. */
export function mergeSettings(layers: readonly Layer[], defaults: { agent: string }, origins: OriginMap): ConfigValues {
  let merged: Values = {};
  for (const layer of layers) {
    const values: Values = { ...layer.values };
    if (values['prompt_path'] !== undefined) merged = without(merged, 'prompt', origins);
    if (values['prompt'] !== undefined) merged = without(merged, 'prompt_path', origins);
    merged = mergeKeys(SETTING_KEYS, merged, values, '', { layer, origins });
    merged = withAgentArguments(merged, layer, origins);
  }
  const agent = merged['agent'] ?? {};
  const named = isRecord(agent) && agent['name'] === undefined ? { ...agent, name: defaults.agent } : agent;
  if (named !== agent) origins.set('agent.name', { source: 'default' });
  return fillKeys(SETTING_KEYS, { ...merged, agent: named }, '', origins);
}

interface Merging {
  readonly layer: Layer;
  readonly origins: OriginMap;
}

function mergeKeys(keys: Keys, below: Values, above: Values, path: string, merging: Merging): Values {
  const result: [string, unknown][] = Object.entries(below).filter(([key]) => above[key] === undefined);
  for (const [key, value] of Object.entries(above)) {
    const shape = keys[key]?.shape;
    if (shape === undefined || value === undefined) continue;
    result.push([key, mergeShape(shape, below[key], value, keyPath(path, key), merging)]);
  }
  return Object.fromEntries(result);
}

function mergeShape(shape: Shape, below: unknown, above: unknown, path: string, merging: Merging): unknown {
  if (isRecord(above) && 'keys' in shape && !restates(shape, below, above)) {
    return mergeKeys(shape.keys, isRecord(below) ? below : {}, above, path, merging);
  }
  if (isRecord(above) && shape.kind === 'named') {
    const before = isRecord(below) ? below : {};
    for (const [name, value] of Object.entries(above)) replace(before[name], value, keyPath(path, name), merging);
    return { ...before, ...above };
  }
  replace(below, above, path, merging);
  return above;
}

/** Another agent, another command: what went with the earlier one (its model, its timeout) does not go with this. */
function restates(shape: Shape, below: unknown, above: Values): boolean {
  if (shape.kind !== 'short-form' || !isRecord(below)) return false;
  const before = below[shape.short];
  const now = above[shape.short];
  return now !== undefined && before !== undefined && now !== before;
}

function replace(below: unknown, above: unknown, path: string, merging: Merging): void {
  forget(below, path, merging.origins);
  setOrigins(above, path, merging);
}

function setOrigins(value: unknown, path: string, merging: Merging): void {
  if (!isRecord(value)) merging.origins.set(path, merging.layer.originOf(path));
  else for (const [key, inner] of Object.entries(value)) setOrigins(inner, keyPath(path, key), merging);
}

function forget(value: unknown, path: string, origins: OriginMap): void {
  origins.delete(path);
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) forget(inner, keyPath(path, key), origins);
}

function without(values: Values, key: string, origins: OriginMap): Values {
  if (values[key] === undefined) return values;
  origins.delete(key);
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

function withAgentArguments(values: Values, { agentArguments, originOf }: Layer, origins: OriginMap): Values {
  if (agentArguments === undefined || agentArguments.length === 0) return values;
  const agent = isRecord(values['agent']) ? values['agent'] : {};
  const args = Array.isArray(agent['args']) ? (agent['args'] as string[]) : [];
  const before = origins.get('agent.args');
  // Whose the first ones are is still to be told: a project's may not go as the user's own.
  if (before !== undefined) for (const index of args.keys()) origins.set(itemPath('agent.args', index), before);
  origins.set('agent.args', originOf('--agent-arg'));
  return { ...values, agent: { ...agent, args: [...args, ...agentArguments] } };
}

/** Completes what is there with the defaults of the table. */
function fillKeys(keys: Keys, values: Values, path: string, origins: OriginMap): Values {
  const result: Record<string, unknown> = { ...values };
  for (const [key, { shape, default: fallback }] of Object.entries(keys)) {
    const at = keyPath(path, key);
    const value = values[key] ?? (shape.kind === 'mapping' ? {} : undefined);
    if (value !== undefined) result[key] = fillShape(shape, value, at, origins);
    else if (fallback !== undefined) {
      result[key] = fallback satisfies Json;
      origins.set(at, { source: 'default' });
    }
  }
  return result;
}

function fillShape(shape: Shape, value: unknown, path: string, origins: OriginMap): unknown {
  if (!isRecord(value)) return value;
  if ('keys' in shape) return fillKeys(shape.keys, value, path, origins);
  if (shape.kind !== 'named') return value;
  const filled = Object.entries(value).map(([name, inner]) => [
    name,
    fillShape(shape.of, inner, keyPath(path, name), origins),
  ]);
  return Object.fromEntries(filled) as Values;
}
