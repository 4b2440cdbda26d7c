import { Option } from 'commander';
import type { Flags } from '../../config/given-overrides.js';
import { type Override, OVERRIDES } from '../../config/override-table.js';

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
