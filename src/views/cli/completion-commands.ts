import { Argument, type Command } from 'commander';
import type { CommandSetting } from './command-context.js';

/** Completion in a shell: the command that prints its script, and the hidden one that the script asks. */
export function addCompletionCommands(program: Command, { context }: CommandSetting): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .description('print a completion script for your shell')
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('./completion-script.js');
      context.terminal.raw(completionScript(shell));
    });

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { completionLines } = await import('./completion.js');
      context.terminal.raw(`${(await completionLines(program, words, context)).join('\n')}\n`);
    });
}
