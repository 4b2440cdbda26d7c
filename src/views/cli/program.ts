import { Command, CommanderError } from 'commander';
import { ConfigError, formatIssue, messageOf, PawlError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { VERSION } from '../../version.js';
import { printable } from '../terminal/printable.js';
import type { CheckOptions } from './check.js';
import { configFlagOptions } from './config-flags.js';
import { createTerminal, type Terminal } from './terminal.js';

/** Runs one command and gives its exit code. Never throws, never prints a stack trace. */
export async function runProgram(words: readonly string[], terminal: Terminal = createTerminal()): Promise<ExitCode> {
  leaveQuietlyWhenNobodyReads();
  let exitCode: ExitCode = EXIT_CODES.goal;
  try {
    const program = createProgram(terminal, (code) => (exitCode = code));
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, terminal);
  }
}

function createProgram(terminal: Terminal, end: (code: ExitCode) => void): Command {
  const program = new Command('pawl')
    .description('Runs AI agents in a loop and knows when to stop.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => terminal.raw(text),
      writeErr: (text) => terminal.note(printable(text.trimEnd())),
      outputError: (text, write) => write(`pawl: ${text.replace(/^error: /, '')}`),
    })
    .exitOverride();

  const check = program
    .command('check')
    .argument('[config]', 'the config file (default: pawl.yaml, pawl.yml or pawl.json)')
    .description('print the effective policy in sentences, who set each part, and what looks wrong')
    .option('--config <FILE>', 'the config file, as in other commands')
    .option('--cwd <DIR>', 'look there instead of here')
    .option('--json', 'print it as JSON')
    .action(async (config: string | undefined, options: CheckOptions) => {
      const { checkConfig } = await import('./check.js');
      end(checkConfig(config, options, terminal));
    });
  for (const option of configFlagOptions()) check.addOption(option);

  program
    .command('schema')
    .description('print the JSON Schema of pawl.yaml')
    .action(async () => {
      const { printSchema } = await import('./schema.js');
      printSchema(terminal);
    });

  program
    .command('demo')
    .description('judge a recorded run in the terminal; runs nothing and spends nothing')
    .option('--fast', 'without pauses')
    .action(async (options: { fast?: boolean }) => {
      const { showDemo } = await import('./demo.js');
      await showDemo(terminal, options);
    });
  return program;
}

/** What went wrong, in words, and the exit code that says so to a script. */
function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.goal : EXIT_CODES.usage;
  if (error instanceof ConfigError) {
    for (const issue of error.issues) terminal.note(printable(formatIssue(issue)));
    return EXIT_CODES.usage;
  }
  if (error instanceof PawlError) terminal.note(`pawl: ${printable(error.message)}`);
  else {
    terminal.note(`pawl: this should not have happened: ${printable(messageOf(error))}`);
    const stack = error instanceof Error && process.env['PAWL_DEBUG'] !== undefined ? error.stack : undefined;
    terminal.note(stack === undefined ? 'PAWL_DEBUG=1 shows where.' : printable(stack));
  }
  return EXIT_CODES.error;
}

/** `pawl ... | head` ends the view and nothing else. A full disk is said, not thrown. */
function leaveQuietlyWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error') > 0) continue;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (stream === process.stdout) process.stderr.write(`pawl: the output cannot be written: ${error.message}\n`);
      process.exitCode = EXIT_CODES.error;
    });
  }
}
