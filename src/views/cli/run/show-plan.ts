import { join } from 'node:path';
import type { LoadedConfig } from '../../../config/load-config.js';
import { stateHome } from '../../../journal/run-places.js';
import { formatDuration } from '../../../model/duration.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { leavesOf } from '../../../model/condition.js';
import { type Policy, policyEntries } from '../../../model/policy.js';
import type { CommandSpec, RunSpec } from '../../../model/run-spec.js';
import { planRun, type RunPlan } from '../../../run/plan-run.js';
import { specRedactor } from '../../../run/spec-redactor.js';
import { unconfirmedCommands } from '../../../setup/trust.js';
import { plural } from '../../../model/figures.js';
import { entryText } from '../../../words/clock-text.js';
import { visibleJson } from '../../text/json-text.js';
import { type LabelledRow, labelledRows } from '../../text/labelled-rows.js';
import { policyLines } from '../../text/policy-lines.js';
import { printable, shellWord } from '../../../words/printable.js';
import { shownPath } from '../../../app/shown-path.js';
import { commandLines } from '../../../app/confirm-commands.js';
import type { CommandContext } from '../command-context.js';
import { programOf } from '../../../model/condition-catalog.js';

export interface PlannedRun {
  readonly config: LoadedConfig;
  /** With its worktree, if it is to have one. */
  readonly spec: RunSpec;
  readonly json?: boolean | undefined;
}

/** What would be run, to the last argument. Starts nothing, writes nothing. */
export async function showPlan(planned: PlannedRun, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const { spec, config } = planned;
  const { environment } = context;
  const plan = await planRun(spec, environment);
  const redactor = specRedactor(spec, environment);
  const unconfirmed = unconfirmedCommands(config, stateHome(environment));
  if (planned.json === true) {
    const told = unconfirmed.map(({ path, place, what, shown }) => ({ path, place, what, command: shown }));
    const policy = policyEntries(spec.policy).map((entry) => ({
      path: entry.path,
      class: entry.class,
      sentence: entryText(entry, spec.policy),
    }));
    const report = { dryRun: true, spec, policy, plan: planJson(spec, plan), unconfirmed: told };
    terminal.raw(`${visibleJson(redactor.json(JSON.stringify(report)))}\n`);
    return EXIT_CODES.goal;
  }
  for (const line of policyLines({ spec, policy: spec.policy, environment }, terminal)) terminal.say(line);
  terminal.say();
  terminal.say(terminal.style('bold', 'what it would run'));
  const rows = [
    ...agentRows(spec, plan, redactor.text, context.cwd),
    ...commandRows(spec),
    ...placeRows(spec, context.cwd),
  ];
  const shown = rows.filter((row) => row.length > 1);
  for (const line of labelledRows(shown, terminal)) terminal.say(line);
  terminal.say();
  if (unconfirmed.length > 0) {
    terminal.say(
      printable(
        `You have not confirmed these commands of ${config.projectFile ?? 'the config'} here; pawl run asks, or use --trust:`,
      ),
    );
    for (const line of commandLines(unconfirmed, terminal.columns)) terminal.say(line);
  }
  terminal.say('A dry run: nothing was started, nothing was written.');
  return EXIT_CODES.goal;
}

function planJson(spec: RunSpec, { invocation, promptCharacters }: RunPlan) {
  const { command, file, args, added, removed } = invocation;
  return {
    command: [command, ...args],
    program: file ?? null,
    workingDir: spec.workingDir,
    environment: { added, removed },
    prompt: {
      path: spec.prompt === undefined ? spec.promptPath : null,
      characters: promptCharacters ?? null,
      by: 'stdin',
    },
    tracked: spec.trackFileChanges ? spec.workingDir : null,
    record: recordsIn(spec),
  };
}

function agentRows(
  spec: RunSpec,
  plan: RunPlan,
  redact: (text: string) => string,
  cwd: string,
): readonly LabelledRow[] {
  const { invocation, promptCharacters } = plan;
  const { command, args, added, removed, file } = invocation;
  const words = [command, ...args].map((word) => shellWord(redact(word))).join(' ');
  const variables = Object.entries(added).map(([name, value]) => shellVariable(name, redact(value)));
  const { mode, timeoutMs } = spec.session;
  const size =
    promptCharacters === undefined ? 'to be written by before_iteration' : plural(promptCharacters, 'character');
  const from = spec.prompt === undefined ? shownPath(spec.promptPath, spec.workingDir) : 'as given';
  return [
    ['runs', { command: words }],
    ['program', file === undefined || file === command ? undefined : shownPath(file, cwd)],
    ['in', spec.workingDir],
    ['prompt', `${from}, ${size}, by standard input; feedback from the iteration before is added`],
    [
      'variables',
      ...(variables.length === 0 ? [] : [{ executed: `adds ${variables.join(', ')}` }]),
      ...without(removed),
    ],
    ['permissions', { executed: permissionsText(spec) }],
    [
      'session',
      mode === 'fresh'
        ? 'a new one each iteration'
        : `one, until ${spec.contextRedlinePercent} % of its context or ${formatDuration(timeoutMs)}`,
    ],
    [
      'time',
      `${formatDuration(spec.iterationTimeoutMs)} at most, ${formatDuration(spec.idleTimeoutMs)} in silence; ${formatDuration(spec.iterationDelayMs)} between two`,
    ],
  ];
}

function without(removed: readonly string[]): readonly string[] {
  return removed.length === 0 ? [] : [`without ${removed.join(', ')}`];
}

function shellVariable(name: string, value: string): string {
  return `${name}=${value === '' ? '' : shellWord(value)}`;
}

function permissionsText({ agent }: RunSpec): string {
  if (agent.permissions !== 'edit')
    return agent.permissions === 'bypass' ? 'everything, without asking' : "the agent's own";
  return agent.allow.length === 0 ? 'edits in the tree' : `edits in the tree, and runs ${agent.allow.join(', ')}`;
}

/** What else would be executed. */
function commandRows({ tests, checks, hooks, notify, policy }: RunSpec): readonly LabelledRow[] {
  const row = (label: string, spec: CommandSpec): LabelledRow => [
    label,
    { executed: spec.command, about: `${formatDuration(spec.timeoutMs)} at most` },
  ];
  return [
    ...(tests === undefined ? [] : [row('tests', tests)]),
    ...Object.entries(checks).map(([name, check]) => row(`check ${name.slice(0, 16)}`, check)),
    ...Object.entries(hooks).map(([name, hook]) => row(name, hook)),
    ['scripts', ...scriptsIn(policy).map((executed) => ({ executed }))],
    [
      'notifies',
      notify.command === undefined ? undefined : { executed: notify.command },
      notify.webhook === undefined ? undefined : `a webhook at ${new URL(notify.webhook).host}`,
    ],
  ];
}

function scriptsIn(policy: Policy): readonly string[] {
  const leaves = policyEntries(policy).flatMap(({ condition }) => leavesOf(condition));
  return leaves.flatMap((leaf) => programOf(leaf)?.map(shellWord).join(' ') ?? []);
}

function placeRows(spec: RunSpec, cwd: string): readonly LabelledRow[] {
  const { worktree, trackFileChanges, commit, workingDir } = spec;
  const tree = trackFileChanges
    ? `the files under ${shownPath(workingDir, cwd)} that .gitignore does not leave out`
    : 'nothing';
  return [
    ['watches', tree],
    ['commits', commit === 'never' ? undefined : commit === 'end' ? 'at the end' : 'after each iteration'],
    ['worktree', worktree === undefined ? undefined : `${worktree.path}, on ${worktree.branch}`],
    ['record', `below ${shownPath(recordsIn(spec), cwd)}`],
  ];
}

function recordsIn({ workingDir }: RunSpec): string {
  return join(workingDir, '.ralph', 'runs');
}
