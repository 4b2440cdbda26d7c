import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The options of a bench's command line. One that it does not know ends it with words and exit 2. */
export function benchOptions<T extends NonNullable<ParseArgsConfig['options']>>(
  options: T,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    return refuse(`${error instanceof Error ? error.message : String(error)}; there are ${known.join(', ')}`);
  }
}

export function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
