import type { LoadedConfig } from '../config/load-config.js';
import { TRUST_VARIABLE } from '../config/override-table.js';
import { type ProjectCommand, projectCommands } from '../config/project-commands.js';
import { type Environment, stateHome } from '../journal/run-places.js';
import { ConfigError, messageOf } from '../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { trustCommands, unconfirmedOf } from '../setup/trust.js';
import { oneLine, printable, visibleLines } from '../words/printable.js';
import type { NotedSurroundings } from './surroundings.js';

/** What a person who was asked has said. */
export type Confirmation = 'yes' | 'no' | 'interrupted';

export interface ConfirmOptions {
  readonly trust?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  /** Asks a person; undefined where no person can be asked. */
  readonly ask?: ((question: string) => Promise<Confirmation>) | undefined;
  /** The width of what the notes are written to. */
  readonly columns?: number | undefined;
}

const COLUMNS = 80;

/** What a file of the project would have executed, and in which working directory. */
export interface CommandsToConfirm {
  readonly commands: readonly ProjectCommand[];
  /** The file that names them, as it is to be shown. */
  readonly file: string;
  readonly workingDir: string;
  /** What confirms them. */
  readonly command: string;
}

/** Has what a project's config would execute confirmed. */
export function confirmCommands(
  config: LoadedConfig,
  options: ConfirmOptions,
  context: NotedSurroundings,
): Promise<ExitCode | undefined> {
  const { workingDir } = config.spec;
  const file = config.projectFile ?? 'the config';
  return confirmThese({ commands: projectCommands(config), file, workingDir, command: 'pawl run' }, options, context);
}

/**
 * Names what a file that comes with a project would execute, once, and has it confirmed: by a person, by `--trust` or by
 * the variable. Gives the exit code when it is not. Throws ConfigError when there is no one to ask.
 */
export async function confirmThese(
  { commands: all, file: named, workingDir, command }: CommandsToConfirm,
  { trust, quiet = false, ask, columns = COLUMNS }: ConfirmOptions,
  context: NotedSurroundings,
): Promise<ExitCode | undefined> {
  const { environment, terminal } = context;
  const home = stateHome(environment);
  const commands = unconfirmedOf(all, workingDir, home);
  if (commands.length === 0) return undefined;
  const file = printable(named);
  const lines = commandLines(commands, columns);
  if (!(trust ?? isTrusted(environment))) {
    if (ask === undefined) throw refused(file, lines, command);
    for (const line of [`${file} wants to run these commands with your permissions:`, ...lines]) terminal.note(line);
    const answer = await ask('Run these? [y/N] ');
    if (answer === 'interrupted') return EXIT_CODES.operator;
    if (answer === 'no') throw new ConfigError([{ path: '', message: 'not confirmed; nothing was started' }]);
  } else if (!quiet) {
    for (const line of [`confirmed these commands of ${file}:`, ...lines]) terminal.note(line);
  }
  try {
    trustCommands(all, workingDir, home);
  } catch (error) {
    terminal.note(`warning: Pawl will ask again: ${printable(systemErrorWords(messageOf(error)))}`);
  }
  return undefined;
}

function isTrusted(environment: Environment): boolean {
  return ['1', 'true'].includes(environment[TRUST_VARIABLE] ?? '');
}

/** Whole, whatever room it takes, with where it stands at the end of its first line. */
export function commandLines(commands: readonly ProjectCommand[], columns: number): readonly string[] {
  const width = Math.min(24, Math.max(...commands.map(({ what }) => oneLine(what, 24).length)));
  return commands.flatMap(({ what, shown, place = '' }) => {
    const label = oneLine(what, width).padEnd(width);
    // A note is wrapped before the last column.
    const room = Math.max(20, columns - width - place.length - 7);
    const [first = '', ...rest] = visibleLines(shown, room);
    const indent = ' '.repeat(width + 6);
    return [`  ${label}  ${first.padEnd(room)}  ${printable(place)}`.trimEnd(), ...rest.map((line) => indent + line)];
  });
}

function refused(file: string, lines: readonly string[], command: string): ConfigError {
  const message = [
    `${file} wants to run these commands with your permissions, and you have not confirmed them in this folder:`,
    ...lines,
    `read them, then run: ${command} --trust (or ${TRUST_VARIABLE}=1)`,
  ].join('\n');
  return new ConfigError([{ path: '', message }]);
}
