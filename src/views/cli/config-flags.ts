import { Option } from 'commander';
import { type Flags, type Override, OVERRIDES } from '../../config/override-table.js';

const SHORT_NAMES: Readonly<Record<string, string>> = { prompt: '-p, ', agent: '-a, ' };

/** The flags that change the config: the same in every command that takes them. */
export function configFlagOptions(): readonly Option[] {
  return flagged().map(({ flag, value, about }) => {
    if (value === undefined) return new Option(`--${flag}`, about);
    return new Option(`${SHORT_NAMES[flag] ?? ''}--${flag} <${value}>`, about).argParser(collect);
  });
}

/** Back from the parser's names to the flags', given ones only. */
export function configFlags(options: Readonly<Record<string, unknown>>): Flags {
  const given = flagged().map(({ flag }) => [flag, options[camelCase(flag)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Flags;
}

/** The agent's own command comes after `--`, not from a flag. */
function flagged(): readonly (Override & { readonly flag: string })[] {
  return OVERRIDES.flatMap((override) =>
    override.flag === undefined || override.flag === 'command' ? [] : [{ ...override, flag: override.flag }],
  );
}

/** All values of a flag are kept: whether it may be given twice is the config's to say. */
function collect(value: string, before: unknown): readonly string[] {
  return Array.isArray(before) ? [...(before as string[]), value] : [value];
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The flags that stand for one kind of limit. */
export const LIMIT_FLAGS = OVERRIDES.flatMap(({ flag, target }) =>
  flag !== undefined && target.kind === 'limit' ? [{ flag, type: target.type }] : [],
);

/** What only a pipeline has. */
export function circuitBreakerOption(about = 'halt after this many attempts in total'): Option {
  return new Option('--circuit-breaker <N>', about);
}

/** The flags that give a run another limit, or none. A live run can only be given another one. */
export function raisingOptions(isLive = false): readonly Option[] {
  const names = new Set(['limit', ...LIMIT_FLAGS.map(({ flag }) => flag)]);
  const options = configFlagOptions().filter((option) => names.has(option.name()));
  if (isLive) for (const option of options) option.description = option.description.replace(', 0 for no limit', '');
  return options;
}
