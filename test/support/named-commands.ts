import type { Command } from 'commander';

/** What a page of the guide calls that does not exist: a command, or a flag of one. */
export function unknownCommands(program: Command, page: string): readonly string[] {
  const calls = [...page.matchAll(/`pawl ([^`\n]+)`/g), ...page.matchAll(/^pawl ([^#\n|&;]+)/gm)];
  return calls.map(([, words = '']) => words.trim()).filter((words) => !isKnown(program, words));
}

function isKnown(program: Command, call: string): boolean {
  const [words = ''] = call.replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT').split(/(?:^| )--(?: |$)/);
  const [name = '', ...rest] = words.split(/\s+/);
  if (!/^[a-z]+$/.test(name)) return true;
  const outer = program.commands.find((command) => command.name() === name);
  if (outer === undefined) return false;
  const command = outer.commands.find((inner) => inner.name() === rest[0]) ?? outer;
  const flags = rest.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? []);
  return flags.every((flag) => flag === '--help' || command.options.some(({ long }) => long === flag));
}
