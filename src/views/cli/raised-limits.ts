import { leafOfText } from '../../config/override-text.js';
import type { LeafKind } from '../../config/leaf-rule.js';
import { parseYaml } from '../../config/parse-yaml.js';
import { plainValue } from '../../config/source-node.js';
import type { StopCondition } from '../../model/condition.js';
import { CONDITION_CATALOG } from '../../model/condition-catalog.js';
import { ConfigError, type Issue } from '../../model/errors.js';
import { readCondition } from '../../model/parse-condition.js';
import { configFlags } from './config-flags.js';
import { LIMIT_FLAGS } from './raising-options.js';

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
    const field = CONDITION_CATALOG[type].short ?? '';
    const kind = CONDITION_CATALOG[type].fields[field]?.kind as LeafKind;
    return texts.slice(0, 1).flatMap((text) => read(flag, { type, [field]: leafOfText(kind, text) }));
  });
  const added = [flags['limit'] ?? []].flat().flatMap((text) => {
    const parsed = parseYaml(String(text));
    if (!('problems' in parsed)) return read('limit', parsed.root === undefined ? '' : plainValue(parsed.root));
    issues.push({ path: '', place: '--limit', message: parsed.problems[0]?.message ?? 'is not a condition' });
    return [];
  });
  if (issues.length > 0) throw new ConfigError(issues);
  return [...replaced, ...added];
}
