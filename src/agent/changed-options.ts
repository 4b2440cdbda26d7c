import { createHash } from 'node:crypto';
import { isRecord } from '../model/show-value.js';
import { differenceText } from '../model/difference-text.js';
import { canonicalJson } from '../model/json.js';
import { type Policy, policyEntries, withLimit } from '../model/policy.js';
import type { RunSpec, SpecChange } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { describe } from '../stop/judge.js';
import type { DeepFactorAgentOptions } from './agent-options.js';

/** Hashes of what the model is given next to the prompt, so that a resume can report what has changed. */
export function codeHashes({
  instructions,
  settings,
  tools = {},
}: DeepFactorAgentOptions): Readonly<Record<string, string>> {
  const ofTools = Object.entries(tools).map(([name, { description }]) => [`tools.${name}`, { description }] as const);
  const parts = [['instructions', instructions], ['settings', settings], ...ofTools] as const;
  return Object.fromEntries(
    parts.flatMap(([name, value]) => (value === undefined ? [] : [[name, hashOf(value)] as const])),
  );
}

/**
 * How the options differ from those that a recorded run was started with; undefined when they do not. Limits that were raised
 * since then stay raised, unless the code has another limit of that type now.
 */
export function changedOptions(
  { spec: before, policy: judged }: Pick<RunState, 'spec' | 'policy'>,
  now: RunSpec,
  redact: (json: string) => string,
): SpecChange | undefined {
  if (before === undefined) return undefined;
  const changes = [
    ...conditionLines(before.policy, now.policy, redact),
    ...settingLines(before, now, redact),
    ...hashLines(before.agent.codeHashes, now.agent.codeHashes ?? {}),
  ];
  if (changes.length === 0) return undefined;
  return { spec: now, policy: stillRaised(before.policy, judged, now.policy), changes };
}

function conditionLines(before: Policy, now: Policy, redact: (json: string) => string): readonly string[] {
  const of = (policy: Policy, clean: (json: string) => string) =>
    new Map(
      policyEntries(policy).map((entry) => {
        const { class: stopClass, condition } = entry;
        return [`${stopClass} ${clean(canonicalJson(condition))}`, `${stopClass}: ${clean(describe(condition))}`];
      }),
    );
  const was = of(before, (text) => text);
  const is = of(now, redact);
  return [
    ...[...was].filter(([key]) => !is.has(key)).map(([, line]) => `- ${line}`),
    ...[...is].filter(([key]) => !was.has(key)).map(([, line]) => `+ ${line}`),
  ];
}

function settingLines(before: RunSpec, now: RunSpec, redact: (json: string) => string): readonly string[] {
  const was = settingsOf(before);
  return [...settingsOf(now)].flatMap(([key, value]) => {
    // A record of an older version may not have it at all.
    if (!was.has(key)) return [];
    const text = was.get(key) === undefined ? undefined : canonicalJson(was.get(key));
    const nowText = value === undefined ? undefined : redact(canonicalJson(value));
    return text === nowText ? [] : [`~ ${key}: ${differenceText(text, nowText)}`];
  });
}

function settingsOf({ agent, notify, ...spec }: RunSpec): ReadonlyMap<string, unknown> {
  const { tests, checks, review, hooks, prices, iterationTimeoutMs, idleTimeoutMs, maxWaitMs, contextRedlinePercent } =
    spec;
  const { command } = notify;
  const timeouts = { iterationTimeoutMs, idleTimeoutMs, maxWaitMs, contextRedlinePercent };
  const settings = { model: agent.model, tests, checks, review, hooks, prices, 'notify.command': command, ...timeouts };
  return new Map(Object.entries(settings));
}

/** Of a record without hashes, nothing can be told. */
function hashLines(
  before: Readonly<Record<string, string>> | undefined,
  now: Readonly<Record<string, string>>,
): readonly string[] {
  if (!isRecord(before)) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    if (before[name] === now[name]) return [];
    if (before[name] === undefined) return [`+ ${name}`];
    return [now[name] === undefined ? `- ${name}` : `~ ${name}: changed`];
  });
}

function stillRaised(before: Policy, judged: Policy, now: Policy): Policy {
  const raised = judged.limits.filter((limit) => !before.limits.some((one) => isSame(one, limit)));
  return raised.reduce((policy, limit) => {
    const ofType = ({ limits, conditions = [] }: Policy) =>
      [...limits, ...conditions].filter(({ type }) => type === limit.type);
    return isSame(ofType(before), ofType(now)) ? withLimit(policy, limit) : policy;
  }, now);
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(jsonOf(value)).digest('hex').slice(0, 16);
}

/** Functions and the like are left out; what has no JSON at all counts as always the same. */
function jsonOf(value: unknown): string {
  try {
    return canonicalJson(JSON.parse(JSON.stringify(value) ?? 'null'));
  } catch {
    return '';
  }
}
