import { AGENT_PROGRAMS } from '../../setup/agent-programs.js';
import type { IgnorePlan } from '../../setup/ignore-runs.js';
import { DONE_FILE, type SetupChoices } from '../../setup/setup-choices.js';
import { plural, usd } from '../../model/figures.js';
import { jsonText } from '../terminal/json-text.js';
import { labelledRows } from '../terminal/labelled-rows.js';
import { printable } from '../terminal/printable.js';
import type { InitOptions } from './init-flags.js';
import type { Seen } from './init-look.js';
import { shellWord } from './shell-word.js';
import type { Terminal } from './terminal.js';

export interface InitReport {
  readonly choices: SetupChoices;
  readonly wrote: readonly string[];
  readonly kept: readonly string[];
  readonly ignore: IgnorePlan;
  readonly seen: Seen;
  readonly options: InitOptions;
}

/** What was written, from what was found, and what to do next. */
export function printInit(report: InitReport, terminal: Terminal): void {
  const { choices, wrote, kept, ignore, options } = report;
  const notes = notesOf(report);
  const next = nextSteps(choices.promptPath, options.cwd);
  if (options.json === true) {
    const { agent, model, tests, task, goals, protect, maxIterations, maxCostUsd } = choices;
    const chosen = { agent, model, tests, task, goals, protect, maxIterations, maxCostUsd };
    terminal.raw(`${jsonText({ ok: true, wrote, kept, ...chosen, notes, next }, 2)}\n`);
    return;
  }
  terminal.say(wrote.length === 0 ? 'Everything is there already.' : `Wrote ${wrote.join(', ')}.`);
  if (kept.length > 0) terminal.say(`Left ${kept.join(', ')} alone.`);
  terminal.say();
  if (wrote.includes('pawl.yaml')) {
    for (const line of labelledRows(rowsOf(report), terminal)) terminal.say(line);
    terminal.say();
  }
  if (ignore.kind === 'refused') terminal.note(`warning: .ralph/ is not in .gitignore: ${ignore.why}`);
  for (const note of notes) terminal.note(printable(note));
  terminal.say(terminal.style('bold', 'Next'));
  for (const [index, step] of next.entries()) terminal.say(printable(`  ${index + 1}. ${step}`));
}

function rowsOf({ choices, seen }: InitReport): readonly [string, string][] {
  const { tests, testsWhy, task, goals, protect, maxIterations, maxCostUsd } = choices;
  const count = maxIterations === 0 ? [] : [plural(maxIterations, 'iteration')];
  const program = AGENT_PROGRAMS.find(({ name }) => name === choices.agent);
  const isInstalled = program !== undefined && seen.installed.includes(program);
  const goal =
    goals.length > 0
      ? goals.join(', or ')
      : tests === undefined
        ? `${DONE_FILE} is written`
        : `all tests pass${task === 'build' ? ' and the agent says it is done or changes nothing more' : ''}`;
  return [
    ['agent', `${choices.agent}${agentNote(isInstalled, choices.agent === seen.likely.name, seen.likelyWhy)}`],
    ['tests', tests === undefined ? 'none found' : `${tests}${testsWhy === undefined ? '' : ` (${testsWhy})`}`],
    ['done when', goal],
    ...(protect.length === 0 ? [] : [['protected', protect.join(', ')] satisfies [string, string]]),
    ['limits', [...count, usd(maxCostUsd), '4h of active time'].join(', ')],
  ];
}

function agentNote(isInstalled: boolean, isLikely: boolean, why: string): string {
  if (!isInstalled) return ' (not installed)';
  return isLikely ? ` (${why})` : '';
}

function notesOf({ choices, seen, wrote }: InitReport): readonly string[] {
  if (!wrote.includes('pawl.yaml')) return [];
  const program = AGENT_PROGRAMS.find(({ name }) => name === choices.agent);
  if (program === undefined || seen.installed.includes(program)) return [];
  return [
    `${program.title} is not on the PATH: npm install -g ${program.package}, or name another agent in pawl.yaml.`,
  ];
}

function nextSteps(promptPath: string, cwd: string | undefined): readonly string[] {
  const place = cwd === undefined ? '' : ` --cwd ${shellWord(cwd)}`;
  return [
    `Write the task into ${promptPath}.`,
    `pawl run${place} --dry-run   shows when it will stop, and runs nothing`,
    `pawl run${place}`,
  ];
}
