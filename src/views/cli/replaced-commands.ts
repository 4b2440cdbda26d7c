import type { Command } from 'commander';
import { ConfigError } from '../../model/errors.js';

/** For one version: what was removed, with what does the same. `RUN` and `TEXT` stand for the words that were given. */
const REPLACED: readonly (readonly [command: string, by: string])[] = [
  ['schema', 'pawl check --schema'],
  ['pipeline schema', 'pawl check --schema pipeline (or pipeline-state)'],
  ['pipeline validate', 'pawl check pipeline.yaml'],
];

/** Each prints the command that replaces it, and exits like any other mistake on the command line. */
export function addReplacedCommands(program: Command): void {
  for (const [name, by] of REPLACED) {
    const words = name.split(' ');
    const last = words.pop() ?? '';
    const parent = words.reduce<Command | undefined>(
      (above, word) => above?.commands.find((command) => command.name() === word),
      program,
    );
    parent
      ?.command(last, { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new ConfigError([{ path: '', message: `pawl ${name} was replaced by: ${by}` }]);
      });
  }
}
