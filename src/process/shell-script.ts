/** What a shell is to do for a command: everything that differs from the shell's own surroundings is said in it. */
export interface ShellJob {
  readonly command: string;
  readonly cwd: string;
  /** Variables to set; those without a value are removed. */
  readonly changes: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

/** Said on both streams when a command has ended; on standard output with its exit code. */
export function markOf(token: string): string {
  return `\x1e${token}`;
}

/**
 * Stands by: what it reads is done, one command after the other, each in a process of its own. Signals to its group are
 * meant for the command. Beside it something waits for the end of the pipe that only the runner holds open: when the
 * runner has died, whatever runs is ended.
 */
export const STANDBY_SCRIPT = `trap : TERM INT HUP QUIT USR1 USR2
((trap '' TERM INT HUP QUIT USR1 USR2
read -r gone <&3
kill -s TERM 0
sleep 2
kill -s KILL 0) </dev/null >/dev/null 2>&1 &)
exec 3<&-
`;

const NAME = /^[A-Za-z_]\w*$/;
/** The system takes no longer strings; the shell could not say so as clearly. */
const LONGEST_BYTES = 100_000;

/** Whether a shell that stands by does the same as one that is started for it. */
export function canStandBy({ command, cwd, changes, input }: ShellJob): boolean {
  const texts = [command, cwd, ...Object.values(changes), input];
  if (texts.some((text) => text !== undefined && (text.length > LONGEST_BYTES / 4 || text.includes('\0'))))
    return false;
  // What is read from a script ends with its line.
  return Object.keys(changes).every((name) => NAME.test(name)) && (input === '' || input.endsWith('\n'));
}

export function jobScript({ command, cwd, changes, input }: ShellJob, token: string): string {
  const variables = Object.entries(changes).map(([name, value]) =>
    value === undefined ? `unset ${name}` : `export ${name}=${quoted(value)}`,
  );
  const surroundings = [`cd -P ${quoted(cwd)} || exit 126`, ...variables];
  const from = input === '' ? '</dev/null\n' : `<<'${token}'\n${input}${token}\n`;
  return `(${surroundings.join('\n')}
exec /bin/sh -c ${quoted(command)}) ${from}printf '\\036${token} %s\\n' $?
printf '\\036${token}\\n' >&2
`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
