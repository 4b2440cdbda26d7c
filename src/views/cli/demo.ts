import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { readJournal } from '../../journal/read-journal.js';
import { FileSystemError } from '../../model/errors.js';
import { EXIT_CODES } from '../../model/exit-code.js';
import { canonicalJson } from '../../model/json.js';
import { parseCondition } from '../../model/parse-condition.js';
import { type Policy, policyEntries } from '../../model/policy.js';
import { reduce } from '../../model/reduce.js';
import type { RunEvent } from '../../model/run-event.js';
import { INITIAL_STATE, type IterationSummary, type RunState } from '../../model/run-state.js';
import { totalSpend } from '../../model/spend-account.js';
import type { Judgement, Verdict } from '../../model/verdict.js';
import { type Rejudged, rejudge } from '../../replay/rejudge.js';
import { describe } from '../../stop/describe.js';
import { evaluateRun } from '../../stop/evaluate-policy.js';
import { count, plural, usd } from '../../stop/figures.js';
import { printable } from '../terminal/printable.js';
import { type Terminal, wrap } from './terminal.js';

const RECORDING = join('examples', 'recorded-run', 'journal.jsonl');
const PAUSE_MS = 700;
const BAR_CELLS = 16;

/** Judges a recorded run as it unfolds, then asks what other policies would have made of the same record. */
export async function showDemo(terminal: Terminal, options: { readonly fast?: boolean } = {}): Promise<void> {
  const events: RunEvent[] = [];
  for await (const event of readJournal(findRecording())) events.push(event);
  const beat = () => (terminal.isInteractive && options.fast !== true ? pause(PAUSE_MS) : undefined);
  introduce(events, terminal);
  const state = await unfold(events, terminal, beat);
  conclude(state, terminal);
  await beat();
  wonder(events, terminal);
}

/** Up from this module to the package that it belongs to. */
function findRecording(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, RECORDING))) {
    const parent = dirname(folder);
    if (parent === folder) throw new FileSystemError('find', RECORDING, 'it is not in the package');
    folder = parent;
  }
  return join(folder, RECORDING);
}

function introduce([first]: readonly RunEvent[], terminal: Terminal): void {
  say(
    terminal,
    'A recorded run: an agent writes a converter of Roman numerals until its tests pass. Pawl judges the record, event by event. Nothing is executed and nothing is spent.',
  );
  terminal.say();
  if (first?.type !== 'run-started') return;
  for (const entry of policyEntries(first.policy)) {
    terminal.say(
      `  ${terminal.style('dim', entry.class.padEnd(8))} ${terminal.style('reset', describe(entry.condition))}`,
    );
  }
  terminal.say();
}

/** One line per iteration, from the fold and the recomputed verdict. */
async function unfold(
  events: readonly RunEvent[],
  terminal: Terminal,
  beat: () => Promise<void> | undefined,
): Promise<RunState> {
  let state = INITIAL_STATE;
  let said: string | undefined;
  for (const event of events) {
    const before = state;
    state = reduce(state, event);
    if (event.type === 'agent-said') said = event.text;
    if (event.type === 'baseline-observed') printBaseline(state, terminal);
    if (event.type === 'iteration-ended') printIteration(state, before, said, terminal);
    if (event.type === 'verdict-reached') {
      compareVerdicts(event.verdict, evaluateRun(before), terminal);
      // oxlint-disable-next-line no-await-in-loop -- a show has a rhythm
      await beat();
    }
  }
  return state;
}

function printBaseline(state: RunState, terminal: Terminal): void {
  const tests = state.baseline?.tests;
  const heading = ['iteration'.padEnd(17), 'tests'.padEnd(26), 'changed'.padEnd(10), 'spent so far'].join(' ');
  terminal.say(`  ${terminal.style('dim', heading)}`);
  terminal.say(`  ${terminal.style('dim', 'before'.padEnd(17))} ${testLine(tests?.passed, tests?.failed)}`);
}

function printIteration(state: RunState, before: RunState, said: string | undefined, terminal: Terminal): void {
  const last = state.recent.at(-1);
  if (last === undefined) return;
  const ended = last.outcome === 'completed' ? 'ended' : last.outcome.replace('-', ' ');
  const columns = [
    ended.padEnd(9),
    (testLine(last.testsPassed, last.testsFailed) + gain(last, before)).padEnd(26),
    (last.changedFiles === 0 ? 'no change' : plural(last.changedFiles ?? 0, 'file')).padEnd(10),
    `${usd(totalSpend(state.spend).costUsd ?? 0)}${last.estimated ? ' (estimated)' : ''}`,
  ];
  terminal.say(`  ${terminal.style('bold', String(last.iteration).padStart(6))}  ${columns.join(' ')}`.trimEnd());
  if (said?.includes('ALL TESTS PASS') === true && (last.testsFailed ?? 0) > 0) {
    terminal.say(
      `          ${terminal.style('yellow', `it says "ALL TESTS PASS"; Pawl ran them: ${last.testsFailed} fail`)}`,
    );
  }
}

function testLine(passed = 0, failed = 0): string {
  return `${count(passed)} of ${count(passed + failed)} tests pass`;
}

function gain(last: IterationSummary, before: RunState): string {
  const earlier = before.recent.at(-1)?.testsPassed ?? before.baseline?.tests?.passed ?? 0;
  const change = (last.testsPassed ?? 0) - earlier;
  return change === 0 ? '' : ` (${change > 0 ? '+' : ''}${change})`;
}

/** The recorded verdict is recomputed; a difference is shown, never hidden. */
function compareVerdicts(recorded: Verdict, recomputed: Verdict, terminal: Terminal): void {
  if (canonicalJson(recorded) === canonicalJson(recomputed)) return;
  terminal.say(terminal.style('red', '          the record holds another verdict than its facts give now'));
}

function conclude(state: RunState, terminal: Terminal): void {
  terminal.say();
  const [reason] = state.ended?.reasons ?? [];
  const exit = state.ended?.class === undefined ? EXIT_CODES.error : EXIT_CODES[state.ended.class];
  terminal.say(
    `  ${terminal.style(['bold', 'green'], `${state.status}: ${reason?.message ?? ''}`)}  ${terminal.style('dim', `exit code ${exit}`)}`,
  );
  terminal.say();
  for (const judgement of state.verdict?.judgements ?? []) printBar(judgement, terminal);
  terminal.say();
}

function printBar({ progress, sentence, class: stopClass }: Judgement, terminal: Terminal): void {
  const filled = Math.round((progress ?? 0) * BAR_CELLS);
  const gauge = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`;
  const [first = '', ...rest] = wrap(printable(sentence), terminal.columns - BAR_CELLS - 13);
  const colour = stopClass === 'goal' ? 'green' : 'cyan';
  terminal.say(`  ${terminal.style('dim', stopClass.padEnd(8))} ${terminal.style(colour, gauge)} ${first}`);
  for (const line of rest) terminal.say(`${' '.repeat(BAR_CELLS + 12)}${line}`);
}

const OTHERS: readonly {
  readonly name: string;
  readonly policy: Partial<Record<'success' | 'failure' | 'limits', unknown>>;
}[] = [
  { name: 'believe the agent', policy: { success: { output_pattern: 'ALL TESTS PASS' } } },
  { name: 'spend at most $0.40', policy: { success: 'all_tests_pass', limits: { max_cost: 0.4 } } },
  {
    name: 'count every red run',
    policy: { success: 'all_tests_pass', failure: { test_failure_streak: { count: 3, strict: true } } },
  },
  { name: 'forbid going in circles', policy: { success: 'all_tests_pass', failure: { oscillation: 1 } } },
];

/** The same record under other policies: no agent, no cost. */
function wonder(events: readonly RunEvent[], terminal: Terminal): void {
  say(terminal, 'What would other policies have made of the same record?');
  for (const { name, policy } of OTHERS) {
    const list = (key: 'success' | 'failure' | 'limits') =>
      policy[key] === undefined ? [] : [parseCondition(policy[key])];
    const whole: Policy = { success: list('success'), failure: list('failure'), limits: list('limits') };
    terminal.say(`  ${name.padEnd(24)} ${terminal.style('reset', outcome(rejudge(events, whole)))}`);
  }
  terminal.say();
}

function outcome(rejudged: Rejudged | undefined): string {
  if (rejudged === undefined) return 'would have gone on';
  const { state, live, verdict } = rejudged;
  const where = live ? `during iteration ${state.open?.iteration}` : `after iteration ${state.iterations}`;
  const tests = (live ? state.recent.at(-1) : undefined) ?? { testsFailed: state.latest.observation.tests?.failed };
  const left = tests.testsFailed === 0 ? 'all tests pass' : `${tests.testsFailed ?? '?'} tests still fail`;
  return `${verdict.class === 'goal' ? 'a success' : `a ${verdict.class}`} ${where}: ${left}`;
}

function say(terminal: Terminal, text: string): void {
  for (const line of wrap(text, terminal.columns - 4)) terminal.say(`  ${line}`);
}
