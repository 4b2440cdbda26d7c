import { Command, CommanderError, Help } from 'commander';
import { DatabaseUnreachable } from '../../fleet/database-error.js';
import { ConfigError, formatIssue, InvalidState, LockedError, messageOf, PawlError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { VERSION } from '../../version.js';
import { printable } from '../../words/printable.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import type { CommandContext, CommandSetting } from './command-context.js';
import { addReplacedCommands } from './replaced-commands.js';
import { shortHelp } from './short-help.js';

type AddCommands = (program: Command, setting: CommandSetting) => void;

/** What adds which commands. A command that is called by its name loads only what adds it; any other word loads all. */
const ADDED_BY: readonly (readonly [commands: readonly string[], load: () => Promise<AddCommands>])[] = [
  [
    ['run', 'resume', 'list', 'status', 'show', 'logs', 'watch'],
    async () => (await import('./run/run-commands.js')).addRunCommands,
  ],
  [
    ['stop', 'pause', 'unpause', 'skip', 'reboot', 'approve', 'reject', 'steer', 'answer', 'extend', 'wait'],
    async () => (await import('./control/steering-commands.js')).addSteeringCommands,
  ],
  [['diff', 'restore', 'prune'], async () => (await import('./clean-up/tree-commands.js')).addTreeCommands],
  [['pipeline'], async () => (await import('./run/pipeline-commands.js')).addPipelineCommands],
  [
    ['explain', 'replay', 'stats', 'tune', 'export'],
    async () => (await import('./analyze/replay-commands.js')).addReplayCommands,
  ],
  [['worker', 'submit', 'fleet'], async () => (await import('./fleet/fleet-commands.js')).addFleetCommands],
  [
    ['ui', 'init', 'doctor', 'mcp', 'check', 'demo', 'import'],
    async () => (await import('./get-started/setup-commands.js')).addSetupCommands,
  ],
  [['completion'], async () => (await import('./get-started/setup-commands.js')).addCompletionCommands],
];

/** Runs one command and gives its exit code. Never throws, never prints a stack trace. */
export async function runProgram(words: readonly string[], context: CommandContext): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_CODES.goal;
  try {
    const { own, command } = splitCommandOff(words);
    const program = await createProgram({ context, end: (code) => (exitCode = code), command }, own[0]);
    if (own.length === 0 || isShortHelp(own)) context.terminal.raw(shortHelp(program));
    else if (own.length === 2 && own[0] === 'help' && own[1] === '--all') program.outputHelp();
    else await program.parseAsync(own, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, context);
  }
}

/** Of the program, not of a command. */
function isShortHelp(words: readonly string[]): boolean {
  return words.length === 1 && ['-h', '--help', 'help'].includes(words[0] ?? '');
}

/** Everything after `--` belongs to the agent's command, whatever it looks like. */
function splitCommandOff(words: readonly string[]): {
  readonly own: readonly string[];
  readonly command?: readonly string[] | undefined;
} {
  const at = words[0] === 'run' || words[0] === 'submit' ? words.indexOf('--') : -1;
  return at < 0 ? { own: words } : { own: words.slice(0, at), command: words.slice(at + 1) };
}

/** With every command, or only with those that `called` is added with. */
export async function createProgram(setting: CommandSetting, called: string | undefined): Promise<Command> {
  const { terminal } = setting.context;
  const program = new Command('pawl')
    .description('Runs AI agents in a loop and knows when to stop.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('show help for a command').helpGroup('Other:'),
    )
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => terminal.raw(text),
      writeErr: (text) => terminal.note(printable(text.trimEnd())),
      outputError: (text, write) => write(`pawl: ${text.replace(/^error: /, '')}`),
    })
    .exitOverride();

  const needed = ADDED_BY.filter(([names]) => called !== undefined && names.includes(called));
  const adders = await Promise.all((needed.length === 0 ? ADDED_BY : needed).map(([, load]) => load()));
  for (const add of adders) add(program, setting);
  addReplacedCommands(program);
  groupHelp(program);
  return program;
}

/** What went wrong, in words, and the exit code that says so to a script. */
function explain(error: unknown, { environment, terminal }: CommandContext): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.goal : EXIT_CODES.usage;
  if (error instanceof ConfigError) {
    for (const issue of error.issues) terminal.note(printable(formatIssue(issue)));
    return EXIT_CODES.usage;
  }
  if (error instanceof PawlError) terminal.note(`pawl: ${printable(systemErrorWords(error.message))}`);
  if (error instanceof DatabaseUnreachable) return error.exitCode;
  // Nothing was started: someone else has the tree, or the run is in no state for it.
  if (error instanceof LockedError || error instanceof InvalidState) return EXIT_CODES.usage;
  if (!(error instanceof PawlError)) {
    terminal.note(`pawl: unexpected error: ${printable(messageOf(error))}`);
    const stack = error instanceof Error && environment['PAWL_DEBUG'] !== undefined ? error.stack : undefined;
    terminal.note(stack === undefined ? 'Set PAWL_DEBUG=1 for a stack trace.' : printable(stack));
  }
  return EXIT_CODES.error;
}

/** What `pawl --help` shows together, in this order. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Get started:': ['init', 'doctor', 'demo', 'check'],
  'Run:': ['run', 'resume', 'pipeline'],
  'Inspect:': ['list', 'status', 'watch', 'show', 'logs', 'diff', 'wait', 'ui'],
  'Analyze:': ['explain', 'replay', 'stats', 'tune', 'export', 'import'],
  'Control a run:': ['pause', 'unpause', 'stop', 'skip', 'reboot', 'steer', 'answer', 'extend', 'approve', 'reject'],
  'Fleet:': ['fleet', 'submit', 'worker'],
  'Clean up:': ['restore', 'prune'],
  'Other:': ['mcp', 'completion', 'help'],
};

const ORDER = Object.values(GROUPS).flat();

/** Puts the commands into groups for the help. */
function groupHelp(program: Command): void {
  for (const [heading, names] of Object.entries(GROUPS)) {
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  }
  program.configureHelp({
    ...program.configureHelp(),
    // What a command takes is in its own help.
    subcommandTerm: (command) => command.name(),
    // In the order of what is shown, not of how it was added.
    groupItems: (_, visible, getGroup) =>
      new Map(visible.map(getGroup).map((group) => [group, visible.filter((item) => getGroup(item) === group)])),
    visibleCommands(this: Help, command) {
      const visible = Help.prototype.visibleCommands.call(this, command);
      return visible.toSorted((a, b) => placeOf(a) - placeOf(b));
    },
  });
}

/** One that is in no group comes last. */
function placeOf(command: Command): number {
  const place = ORDER.indexOf(command.name());
  return place < 0 ? ORDER.length : place;
}
