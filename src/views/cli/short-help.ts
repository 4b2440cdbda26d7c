import type { Command } from 'commander';

/** What a newcomer needs on the first day. */
const FIRST = ['init', 'check', 'run', 'status', 'watch', 'explain', 'ui'];

/** The help of the program on one screen of 24 lines: the first commands in words, and the names of all by group. */
export function shortHelp(program: Command): string {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  const width = Math.max(...groups.map((group) => group.length)) + 1;
  const first = FIRST.flatMap((name) => commands.filter((command) => command.name() === name));
  return [
    `Usage: ${help.commandUsage(program)}`,
    '',
    program.description(),
    '',
    ...first.map((command) => `  ${command.name().padEnd(9)} ${command.description()}`),
    '',
    ...groups.map((group) => {
      const names = commands.filter((command) => command.helpGroup() === group).map((command) => command.name());
      return `${group.replace(/:$/, '').padEnd(width)}${names.join(' ')}`;
    }),
    '',
    'pawl help COMMAND explains a command; pawl help --all describes all of them.',
    '',
  ].join('\n');
}
