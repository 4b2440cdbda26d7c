import type { Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import { didYouMean } from '../model/nearest.js';
import type { GivenOverride } from './override-layer.js';
import { CONFIG_VARIABLE, isRepeatable, OVERRIDES, TOLD_VARIABLES, TRUST_VARIABLE } from './override-table.js';

/** Flags as the command line gave them, by long name without the dashes; a flag that may be repeated has a list. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'PAWL_';

/** The flags that were given, in the order of the table. */
export function givenFlags(flags: Flags): {
  readonly given: readonly GivenOverride[];
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const given: GivenOverride[] = [];
  for (const name of Object.keys(flags)) {
    if (OVERRIDES.some(({ flag }) => flag === name)) continue;
    const known = OVERRIDES.flatMap(({ flag }) => flag ?? []);
    issues.push({ path: '', place: `--${clip(name)}`, message: `unknown flag${didYouMean(name, known)}` });
  }
  for (const override of OVERRIDES) {
    const { flag } = override;
    const value = flag === undefined || !Object.hasOwn(flags, flag) ? undefined : flags[flag];
    if (flag === undefined || value === undefined) continue;
    const name = `--${flag}`;
    if (typeof value === 'boolean' && override.value !== undefined) {
      issues.push({ path: '', place: name, message: `needs a value: ${override.value}` });
    } else if (Array.isArray(value) && value.length > 1 && flag !== 'command' && !isRepeatable(override)) {
      issues.push({ path: '', place: name, message: 'is given more than once' });
    } else
      given.push({
        override,
        name,
        value: Array.isArray(value) && flag !== 'command' ? single(value, override) : value,
      });
  }
  return { given, issues };
}

function single(values: readonly string[], override: GivenOverride['override']): string | readonly string[] {
  return isRepeatable(override) ? values : (values[0] ?? '');
}

/** The variables that are set; an empty one is not. One of ours misspelled is a warning: it may be somebody else's. */
export function givenVariables(environment: Environment): {
  readonly given: readonly GivenOverride[];
  readonly warnings: readonly Issue[];
} {
  const given: GivenOverride[] = [];
  for (const override of OVERRIDES) {
    const value = override.variable === undefined ? undefined : environment[override.variable];
    if (override.variable !== undefined && value !== undefined && value !== '') {
      given.push({ override, name: override.variable, value });
    }
  }
  const settable = [...OVERRIDES.flatMap(({ variable }) => variable ?? []), CONFIG_VARIABLE, TRUST_VARIABLE];
  const known: readonly string[] = [...settable, ...TOLD_VARIABLES];
  const suffixes = settable.map((name) => name.slice(PREFIX.length));
  const warnings = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => ({ name, suggestion: didYouMean(name.slice(PREFIX.length, 80), suffixes) }))
    .filter(({ suggestion }) => suggestion !== '')
    .map(({ name, suggestion }) => ({
      path: '',
      place: clip(name),
      message: `sets nothing${suggestion.replace('"', `"${PREFIX}`)}`,
    }));
  return { given, warnings };
}
