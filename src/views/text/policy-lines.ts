import { CONDITION_WORDS } from '../../model/outcome.js';
import { findAdapter } from '../../agents/find-adapter.js';
import { leavesOf } from '../../model/condition.js';
import { CONDITION_CATALOG, programOf } from '../../model/condition-catalog.js';
import { type Policy, policyEntries, type PolicyEntry } from '../../model/policy.js';
import type { UsageReporting } from '../../model/run-event.js';
import type { AgentSpec, RunSpec } from '../../model/run-spec.js';
import type { RunState } from '../../model/run-state.js';
import { STOP_CLASSES } from '../../model/stop-class.js';
import { plural, quote, usd } from '../../model/figures.js';
import { type Terminal, wrap } from './terminal.js';
import { entryText } from '../../words/clock-text.js';
import { type LabelledRow, labelledRows, type RowText } from './labelled-rows.js';
import { oneLine, printable } from '../../words/printable.js';
import { shownPath } from '../../app/shown-path.js';

export interface PolicySource {
  /** Undefined for a run that is only thought of. */
  readonly runId?: string | undefined;
  /** Absent: a loop. */
  readonly kind?: RunState['kind'];
  readonly spec: RunSpec;
  /** The policy in force: limits may have been raised since the run began. */
  readonly policy: Policy;
  /** To say who pays; absent when the run is only inspected. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Where nothing can be verified, only something else than success ends a loop. */
const NO_GOAL = 'never by itself, because there is no goal: set `tests` or `stop.success`';

/** A name that is longer would push everything else aside. */
const MOST_NAME_CHARACTERS = 16;

/** What a run does and when it stops, in one block. What is dangerous is in the first line. */
export function policyLines(source: PolicySource, terminal: Terminal): readonly string[] {
  const { runId, kind = 'loop', spec, policy } = source;
  const entries = policyEntries(policy);
  const hasLimit = entries.some((entry) => entry.class === 'limit');
  const agent = [
    spec.agent.model === undefined ? spec.agent.name : `${spec.agent.name} with ${spec.agent.model}`,
    ...(spec.agent.permissions === 'bypass' ? ['permissions: bypass'] : []),
    ...(hasLimit ? [] : ['no limit']),
  ];
  const first = wrap(
    printable(`${runId === undefined ? 'a run' : `run ${runId}`}: ${agent.join(', ')}`),
    terminal.columns,
  );
  const rows: LabelledRow[] = [
    ...(spec.agent.command === undefined ? [] : [['command', { executed: spec.agent.command.join(' ') }] as const]),
    ['prompt', promptText(spec)],
    ...(spec.tests === undefined ? [] : [['tests', { executed: spec.tests.command }] as const]),
    ...Object.entries(spec.checks).map(
      ([name, { command }]): LabelledRow => [`check ${oneLine(name, MOST_NAME_CHARACTERS)}`, { executed: command }],
    ),
    ...STOP_CLASSES.map((stopClass): LabelledRow => {
      const own = entries.filter((entry) => entry.class === stopClass);
      return [
        stopClass === 'limit' ? 'limits' : CONDITION_WORDS[stopClass],
        ...own.map((entry) => rowOf(entry, policy)),
        ...(stopClass === 'goal' && own.length === 0 && kind === 'loop' ? [NO_GOAL] : []),
      ];
    }),
    ['note', ...notesOf(source)],
  ];
  return [
    ...first.map((line) => terminal.style('bold', line)),
    ...labelledRows(
      rows.filter((row) => row.length > 1),
      terminal,
    ),
  ];
}

/** A condition in words; all of a script is to be seen. */
function rowOf(entry: PolicyEntry, policy: Policy): RowText {
  const hasScript = leavesOf(entry.condition).some((leaf) => programOf(leaf) !== undefined);
  const text = entryText(entry, policy);
  return hasScript ? { executed: text } : text;
}

function promptText({ prompt, promptPath, workingDir }: RunSpec): string {
  return prompt === undefined ? shownPath(promptPath, workingDir) : quote(prompt, 120);
}

/** Who pays, and which limits cannot be held exactly, or not at all. */
function notesOf({ spec, policy, environment }: PolicySource): readonly string[] {
  const adapter = findAdapter(spec.agent.name);
  return [
    ...(environment === undefined ? [] : (adapter?.billing?.({ ...environment, ...spec.agent.env }) ?? [])),
    ...(hasBudget(policy) ? budgetNotes(spec.agent.definition?.usage ?? adapter?.usage) : []),
    ...reviewNotes(spec),
  ];
}

const ASKED = { goal: 'before a goal counts', stuck: 'when half of a streak is used up' } as const;

export function reviewerText({ name, command = [], model }: AgentSpec): string {
  const who = name === 'command' ? command.join(' ') : name;
  return model === undefined ? who : `${who} (${model})`;
}

/** Who gives the second opinion, when, and for how much. */
export function reviewNotes({ review, agent }: RunSpec): readonly string[] {
  if (review?.agent === undefined) return [];
  const { agent: reviewer, when, every, maxCostUsd, goal } = review;
  const often = every === undefined ? '' : ` and every ${plural(every, 'iteration')}`;
  const isSame = reviewer.name === agent.name && reviewer.model === agent.model && reviewer.name !== 'command';
  return [
    `${ASKED[when]}${often}, ${reviewerText(reviewer)} is asked for a second opinion, for at most ${usd(maxCostUsd)} in all`,
    ...(goal === undefined ? [] : [`the review judges this goal: ${quote(goal, 300)}`]),
    ...(isSame ? ['the review asks the same model that does the work: another one finds more of its mistakes'] : []),
  ];
}

function hasBudget(policy: Policy): boolean {
  return policyEntries(policy).some(({ condition }) =>
    leavesOf(condition).some(({ type }) => CONDITION_CATALOG[type].spend === true),
  );
}

function budgetNotes(usage: UsageReporting | undefined): readonly string[] {
  if (usage === 'none') return ['the agent does not report its usage: Pawl cannot enforce a limit on it'];
  if (usage !== 'end') return [];
  return ['the agent reports its usage at the end of an iteration: a limit on it can be exceeded by one iteration'];
}
