import { parse } from 'yaml';
import type { IgnorePlan } from '../../../setup/ignore-runs.js';
import {
  checklistGoal,
  DEFAULT_REVIEW_COST_USD,
  DONE_FILE,
  reviewerName,
  type SetupChoices,
} from '../../../setup/setup-choices.js';
import { plural, usd } from '../../../model/figures.js';
import { parseCondition } from '../../../model/parse-condition.js';
import { describe } from '../../../stop/judge.js';
import { jsonText } from '../../text/json-text.js';
import { labelledRows } from '../../text/labelled-rows.js';
import { printable, shellWord } from '../../../words/printable.js';
import type { InitOptions } from './init-flags.js';
import type { Seen } from './inspect-project.js';
import type { Terminal } from '../../text/terminal.js';

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
    const { agent, model, tests, task, goals, review, protect, maxIterations, maxCostUsd } = choices;
    const reviewer = review && { agent: review.name, model: review.smallModel };
    const chosen = {
      agent: agent.name,
      model,
      tests,
      task,
      goals,
      review: reviewer,
      protect,
      maxIterations,
      maxCostUsd,
    };
    terminal.raw(`${jsonText({ ok: true, wrote, kept, ...chosen, notes, next }, 2)}\n`);
    return;
  }
  terminal.say(wrote.length === 0 ? 'Everything already exists.' : `Wrote ${wrote.join(', ')}.`);
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
  const { agent, tests, testsWhy, task, goals, review, protect, maxIterations, maxCostUsd } = choices;
  const count = maxIterations === 0 ? [] : [plural(maxIterations, 'iteration')];
  const goal =
    goals.length > 0
      ? goals.map((one) => describe(parseCondition(parse(one)))).join(', or ')
      : tests === undefined
        ? `when ${DONE_FILE} is written`
        : `when all tests pass${task === 'build' && review === undefined ? ' and the agent says it is done or changes nothing more' : ''}`;
  return [
    ['agent', `${agent.name}${agentNote(choices, seen)}`],
    ['tests', tests === undefined ? 'none found' : `${tests}${testsWhy === undefined ? '' : ` (${testsWhy})`}`],
    ['done', review === undefined ? goal : `${goal}, and the review agrees`],
    ...(review === undefined
      ? []
      : [
          ['review', `${reviewerName(review)}, at most ${usd(DEFAULT_REVIEW_COST_USD)} a run`] satisfies [
            string,
            string,
          ],
        ]),
    ...(protect.length === 0 ? [] : [['protected', protect.join(', ')] satisfies [string, string]]),
    ['limits', [...count, usd(maxCostUsd), '4h of active time'].join(', ')],
  ];
}

function agentNote({ agent }: SetupChoices, { installed, likely, likelyWhy }: Seen): string {
  if (!installed.includes(agent)) return ' (not installed)';
  return agent === likely ? ` (${likelyWhy})` : '';
}

function notesOf({ choices, seen, wrote }: InitReport): readonly string[] {
  if (!wrote.includes('pawl.yaml')) return [];
  return [...agentNotes(choices, seen), ...checklistNotes(choices, seen)];
}

/** A list may be notes for years, so it is the goal only when someone says so. */
function checklistNotes({ goals, tests }: SetupChoices, { checklist }: Seen): readonly string[] {
  if (checklist === undefined || goals.length > 0) return [];
  const { path, open } = checklist;
  const goal = checklistGoal(path, tests !== undefined);
  const boxes = open === 1 ? '1 open box' : `${open} open boxes`;
  return [`${path} has ${boxes}. To make it the goal, replace the one under stop.success by: - ${goal}`];
}

function agentNotes({ agent }: SetupChoices, { installed }: Seen): readonly string[] {
  if (installed.includes(agent)) return [];
  return [`${agent.title} is not on the PATH: npm install -g ${agent.package}, or name another agent in pawl.yaml.`];
}

function nextSteps(promptPath: string, cwd: string | undefined): readonly string[] {
  const place = cwd === undefined ? '' : ` --cwd ${shellWord(cwd)}`;
  return [
    `Write the task into ${promptPath}.`,
    `pawl run${place} --dry-run   shows when it will stop, and runs nothing`,
    `pawl run${place}`,
  ];
}
