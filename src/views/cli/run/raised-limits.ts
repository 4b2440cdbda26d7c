import { isNoneText, limitOfText } from '../../../config/override-layer.js';
import { parseYaml } from '../../../config/parse-yaml.js';
import { plainValue } from '../../../config/config-file.js';
import type { ConditionType, StopCondition } from '../../../model/condition.js';
import { CONDITION_CATALOG } from '../../../model/condition-catalog.js';
import { ConfigError, type Issue } from '../../../model/errors.js';
import { isRecord } from '../../../model/show-value.js';
import { isNoLimit } from '../../../model/policy.js';
import { readCondition } from '../../../model/parse-condition.js';
import { configFlags, LIMIT_FLAGS } from '../config-flags.js';

/** The limits that were given. Throws ConfigError with everything that is wrong with them. */
export function raisedLimits(options: Readonly<Record<string, unknown>>): readonly StopCondition[] {
  const flags = configFlags(options);
  const issues: Issue[] = [];
  const read = (flag: string, input: unknown): readonly StopCondition[] => {
    const { condition, issues: found } = readCondition(input, '');
    issues.push(...found.map(({ message }) => ({ path: '', place: `--${flag}`, message })));
    return condition === undefined ? [] : [condition];
  };
  const replaced = LIMIT_FLAGS.flatMap(({ flag, type }) => {
    const texts = [flags[flag] ?? []].flat().map(String);
    if (texts.length > 1) issues.push({ path: '', place: `--${flag}`, message: 'is given more than once' });
    return texts.slice(0, 1).flatMap((text) => {
      const given = limitOfText(type, text);
      if (given === 'none') return [noLimit(type)];
      if ('input' in given) return read(flag, given.input);
      issues.push({ path: '', place: `--${flag}`, message: given.problem });
      return [];
    });
  });
  const added = [flags['limit'] ?? []].flat().flatMap((text) => {
    const parsed = parseYaml(String(text));
    if (!('problems' in parsed)) {
      const input = parsed.root === undefined ? '' : plainValue(parsed.root);
      return noneAsked(input) ?? read('limit', input);
    }
    issues.push({ path: '', place: '--limit', message: parsed.problems[0]?.message ?? 'is not a condition' });
    return [];
  });
  if (issues.length > 0) throw new ConfigError(issues);
  return [...replaced, ...added];
}

/** `max_cost: 0` takes a limit away, where its type has a 0. */
function noneAsked(input: unknown): readonly StopCondition[] | undefined {
  const [entry, ...others] = isRecord(input) ? Object.entries(input) : [];
  if (entry === undefined || others.length > 0 || !isNoneText(String(entry[1]))) return undefined;
  const none = noLimit(entry[0] as ConditionType);
  return isNoLimit(none) ? [none] : undefined;
}

/** What takes the limit of a type away. */
function noLimit(type: ConditionType): StopCondition {
  const field = (Object.hasOwn(CONDITION_CATALOG, type) && CONDITION_CATALOG[type].short) || '';
  return { type, [field]: field === 'duration' ? '0s' : 0 } as unknown as StopCondition;
}
