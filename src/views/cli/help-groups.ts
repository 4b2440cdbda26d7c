import { type Command, Help } from 'commander';

/** What `pawl --help` shows together, in this order. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Get started:': ['init', 'doctor', 'demo', 'check'],
  'Run:': ['run', 'resume', 'pipeline'],
  'Inspect:': ['list', 'status', 'watch', 'show', 'logs', 'diff', 'wait', 'ui'],
  'Analyze:': ['explain', 'replay', 'stats', 'export'],
  'Control a run:': ['pause', 'unpause', 'stop', 'skip', 'reboot', 'steer', 'answer', 'extend', 'approve', 'reject'],
  'Fleet:': ['fleet', 'submit', 'worker'],
  'Clean up:': ['restore', 'prune'],
  'Other:': ['mcp', 'schema', 'completion', 'help'],
};

const ORDER = Object.values(GROUPS).flat();

/** Puts the commands into groups for the help. */
export function groupHelp(program: Command): void {
  for (const [heading, names] of Object.entries(GROUPS)) {
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  }
  program.configureHelp({
    ...program.configureHelp(),
    // What a command takes stands in its own help.
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
