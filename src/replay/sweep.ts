import type { ConditionType, StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, isConditionType } from '../model/condition-catalog.js';
import { formatDuration, parseDuration } from '../model/duration.js';
import { ConfigError } from '../model/errors.js';
import { type FieldKind, kindOf } from '../model/fields.js';
import { didYouMean } from '../model/nearest.js';
import { readCondition } from '../model/parse-condition.js';
import type { Policy, PolicyList } from '../model/policy.js';
import type { NamedCandidate } from './backtest.js';

/** The values that one condition is tried with. */
export interface Sweep {
  readonly type: ConditionType;
  /** The field that takes the values. */
  readonly field: string;
  readonly values: readonly { readonly text: string; readonly condition: StopCondition }[];
}

const MOST_VALUES = 200;
const MOST_CANDIDATES = 400;
const MOST_SWEEPS = 2;

/** How a value of a kind is written, read and stepped through. */
interface Scale {
  readonly read: (text: string) => number | undefined;
  readonly write: (value: number) => { readonly text: string; readonly value: unknown };
  readonly step?: number | undefined;
}

const plain = (step: number): Scale => ({
  read: (text) => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined),
  write: (value) => ({ text: String(value), value }),
  step,
});

const SCALES: Partial<Record<FieldKind, Scale>> = {
  count: plain(1),
  percent: { ...plain(1), write: (value) => ({ text: `${value}%`, value }) },
  rate: plain(0.1),
  usd: {
    read: (text) => (/^\$?\d+(?:\.\d+)?$/.test(text) ? Number(text.replace('$', '')) : undefined),
    write: (value) => ({ text: `$${value}`, value }),
    step: 1,
  },
  duration: {
    read: parseDuration,
    write: (value) => {
      const text = formatDuration(value, { exact: true });
      return { text, value: text };
    },
  },
};

/** Those that have one figure to turn. */
export const SWEPT_TYPES: readonly ConditionType[] = CONDITION_TYPES.filter((type) => scaleOf(type) !== undefined);

/**
 * Reads `no_progress: 2..10`, `max_cost: $1..$10/$0.50`, `max_duration: 10m, 30m, 2h`. Throws ConfigError.
 *
 * @example
 * ```ts
 * import { parseSweep } from 'pawl/replay';
 * parseSweep('no_progress: 2..10').values.length; // 9
 * ```
 */
export function parseSweep(text: string, place = '--sweep'): Sweep {
  const [, name = '', written = ''] = /^\s*([a-z_]*)\s*(?::\s*(.*?))?\s*$/s.exec(text) ?? [];
  const fail = (message: string) => new ConfigError([{ path: '', place, message }]);
  if (!isConditionType(name)) {
    const what = name === '' ? `${JSON.stringify(text)} names no condition` : `unknown condition "${name}"`;
    throw fail(`${what}${didYouMean(name, SWEPT_TYPES)}; write it as in 'no_progress: 2..10'`);
  }
  const field = CONDITION_CATALOG[name].short ?? '';
  const scale = scaleOf(name);
  if (scale === undefined) throw fail(`${name} has no figure to try; these have: ${SWEPT_TYPES.join(', ')}`);
  const numbers = readValues(written, scale);
  if (typeof numbers === 'string') throw fail(`${name}: ${numbers}`);
  return { type: name, field, values: numbers.map((number) => valueOf(name, scale.write(number), place)) };
}

function scaleOf(type: ConditionType): Scale | undefined {
  const { short, fields } = CONDITION_CATALOG[type];
  const kind = short === undefined ? undefined : kindOf(fields[short]);
  return kind === undefined ? undefined : SCALES[kind];
}

function valueOf(type: ConditionType, { text, value }: ReturnType<Scale['write']>, place: string) {
  const { condition, issues } = readCondition({ [type]: value }, type);
  if (condition === undefined) throw new ConfigError(issues.map((issue) => ({ ...issue, place })));
  return { text, condition };
}

/** The values of a list or a range, lowest first and each once; or what is wrong with them. */
function readValues(written: string, scale: Scale): readonly number[] | string {
  if (written === '') return 'values are missing; write them as 2..10, 10..100/10 or 2,3,5';
  const range = /^(.+?)\s*\.\.\s*(.+?)(?:\s*\/\s*(.+))?$/s.exec(written);
  if (range === null) return readList(written, scale);
  const [, first = '', last = '', stepText] = range;
  const [from, to] = [scale.read(first.trim()), scale.read(last.trim())];
  const step = stepText === undefined ? scale.step : scale.read(stepText.trim());
  const wrong = [from === undefined ? first : undefined, to === undefined ? last : undefined].find(Boolean);
  if (from === undefined || to === undefined) return `${JSON.stringify(wrong?.trim())} is not a value`;
  if (stepText === undefined && step === undefined) return `a range needs a step, as in ${written}/10m`;
  if (step === undefined || !(step > 0)) return `the step ${JSON.stringify(stepText)} is not a value above 0`;
  if (to < from) return `the range ${written} ends before it begins`;
  const length = Math.floor((to - from) / step + 1e-9) + 1;
  if (length > MOST_VALUES) return `${written} is ${length} values; at most ${MOST_VALUES} are tried`;
  // 0.1 + 0.2 is to be shown as 0.3.
  return Array.from({ length }, (_, index) => Number((from + index * step).toFixed(9)));
}

function readList(written: string, scale: Scale): readonly number[] | string {
  const texts = written.split(',').map((text) => text.trim());
  const wrong = texts.find((text) => scale.read(text) === undefined);
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not a value`;
  if (texts.length > MOST_VALUES) return `these are ${texts.length} values; at most ${MOST_VALUES} are tried`;
  return [...new Set(texts.map((text) => scale.read(text) ?? 0))].toSorted((a, b) => a - b);
}

/** Every value, and of two sweeps every pair. Throws ConfigError when there are too many. */
export function sweepCandidates(sweeps: readonly Sweep[], base?: Policy): readonly NamedCandidate[] {
  const fail = (message: string) => new ConfigError([{ path: '', place: '--sweep', message }]);
  const [first, second] = sweeps;
  if (first === undefined || sweeps.length > MOST_SWEEPS) throw fail(`one or ${MOST_SWEEPS} at a time`);
  if (first.type === second?.type) throw fail(`${first.type} is given twice; put all of its values into one`);
  const size = first.values.length * (second?.values.length ?? 1);
  if (size > MOST_CANDIDATES) throw fail(`${size} pairs of values; at most ${MOST_CANDIDATES} are tried`);
  const candidate = (name: string, conditions: readonly StopCondition[]): NamedCandidate => {
    const change = (recorded: Policy) => conditions.reduce(withCondition, base ?? recorded);
    const tries = conditions.map(({ type }) => type);
    return { name, policy: base === undefined ? change : change(base), tries };
  };
  if (second === undefined) return first.values.map(({ text, condition }) => candidate(text, [condition]));
  return first.values.flatMap((one) =>
    second.values.map((other) => candidate(`${one.text} ${other.text}`, [one.condition, other.condition])),
  );
}

const LISTS: readonly PolicyList[] = ['success', 'failure', 'limits', 'conditions'];

/** The policy with the condition in place of the one of the same type, whose other fields stay; else next to its like. */
export function withCondition(policy: Policy, condition: StopCondition): Policy {
  const isOf = (one: StopCondition) => one.type === condition.type;
  const holder = LISTS.find((list) => policy[list]?.some(isOf));
  if (holder === undefined) {
    const own = CONDITION_CATALOG[condition.type].class;
    const list = own === 'goal' ? 'success' : own === 'limit' ? 'limits' : 'failure';
    return { ...policy, [list]: [...policy[list], condition] };
  }
  const replaced = LISTS.map((list) => {
    const kept = policy[list]?.find(isOf);
    const others = policy[list]?.filter((one) => !isOf(one) || (list === holder && one === kept));
    return [list, others?.map((one) => (isOf(one) ? changed(one, condition) : one))] as const;
  });
  return { ...policy, ...Object.fromEntries(replaced.filter(([, list]) => list !== undefined)) };
}

/** Both are unions: as one expression their combinations are too many for the native compiler. */
function changed(kept: object, condition: StopCondition): StopCondition {
  return { ...kept, ...condition };
}
