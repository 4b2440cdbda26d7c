import type { Command } from 'commander';

/** Every command as the help shows it, in the groups of `pawl --help`, as markdown. */
export function commandReference(program: Command): string {
  const commands = program.createHelp().visibleCommands(program);
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  const overview = groups.map((group) => {
    const rows = commands
      .filter((command) => command.helpGroup() === group)
      .map(
        (command) =>
          `| [\`${command.name()}\`](#${anchorOf(['pawl', command.name()])}) | ${cell(command.description())} |`,
      );
    return `**${group.replace(/:$/, '')}**\n\n| command | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const sections = commands.flatMap((command) => sectionsOf(command, ['pawl', command.name()]));
  return [...overview, ...sections].join('\n');
}

function sectionsOf(command: Command, path: readonly string[]): readonly string[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const parts = [
    `${'#'.repeat(path.length)} ${path.join(' ')}`,
    sentence(command.description()),
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
    tableOf(
      'argument',
      help.visibleArguments(command).map((one) => [one.name().toUpperCase(), help.argumentDescription(one)]),
    ),
    tableOf(
      'flag',
      help
        .visibleOptions(command)
        .filter(({ long }) => long !== '--help')
        .map((option) => [option.flags, help.optionDescription(option)]),
    ),
  ];
  const section = `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  return [section, ...inner.flatMap((one) => sectionsOf(one, [...path, one.name()]))];
}

function tableOf(first: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return '';
  return `| ${first} | |\n|---|---|\n${rows.map(([name, about]) => `| \`${cell(name)}\` | ${cell(about)} |`).join('\n')}`;
}

const anchorOf = (path: readonly string[]) => path.join('-');
const cell = (text: string) => text.replaceAll('|', '\\|');
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
