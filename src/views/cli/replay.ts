import { ConfigError } from '../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import type { RunEvent } from '../../model/run-event.js';
import { probeProtectedPaths } from '../../observation/protected-paths.js';
import { createBacktestRun, type NamedCandidate, type RunReplay, summariseBacktest } from '../../replay/backtest.js';
import type { GuardLook } from '../../replay/looked-for.js';
import { createReplay, type Replay } from '../../replay/replay.js';
import { parseSweep, type Sweep, sweepCandidates } from '../../replay/sweep.js';
import { plural } from '../../stop/figures.js';
import { printable } from '../terminal/printable.js';
import { replayLines } from '../terminal/replay-lines.js';
import { sweepLines } from '../terminal/sweep-lines.js';
import { readRecord } from './read-record.js';
import { readTriedPolicy, type TriedPolicy } from './replay-policy.js';
import { findRuns, type NamedRun } from './replay-runs.js';
import { runFolderOf } from './run-folder.js';
import type { Terminal } from './terminal.js';

export interface ReplayCommandOptions {
  readonly policy?: string;
  readonly sweep?: readonly string[];
  readonly all?: boolean;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Guards that a run did not have are answered from the files that it recorded as changed. */
const guard: GuardLook = probeProtectedPaths;

/** Recorded runs under another policy, under many, or once more under their own. Executes nothing. */
export async function replayCommand(
  words: readonly string[],
  options: ReplayCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { cwd, all, policy: file, sweep: texts = [], json = false } = options;
  const sweeps = texts.map((text) => parseSweep(text));
  const tried = file === undefined ? undefined : readTriedPolicy(file);
  const runs = findRuns(words, runFolderOf(cwd).workingDir, all);
  if (sweeps.length > 0) return sweepRuns(runs, sweeps, tried, { json, terminal });
  return replayRuns(runs, tried, { json, terminal });
}

interface Output {
  readonly json: boolean;
  readonly terminal: Terminal;
}

export interface NamedReplay extends Replay {
  readonly name: string;
  /** What is wrong with the record. */
  readonly problem?: string | undefined;
}

async function replayRuns(
  runs: readonly NamedRun[],
  tried: TriedPolicy | undefined,
  { json, terminal }: Output,
): Promise<ExitCode> {
  const replays: NamedReplay[] = [];
  const left: string[] = [];
  let isDamaged = false;
  for (const one of runs) {
    let reading: ReturnType<typeof createReplay> | undefined;
    const begin = (event: RunEvent) => {
      const policy = event.type === 'run-started' ? tried?.policyFor(event) : undefined;
      return createReplay(policy, { guard });
    };
    // oxlint-disable-next-line no-await-in-loop -- one record at a time is in memory
    const record = await readRecord(one.run, (event) => (reading ??= begin(event)).see(event));
    isDamaged ||= record.isDamaged;
    const replay = (reading ?? createReplay(undefined)).end();
    if (!isFor(tried, replay)) left.push(one.name);
    else replays.push({ ...replay, name: one.name, problem: record.problem });
  }
  noteLeft(left, tried, terminal, replays.length);
  noteProblems(replays, terminal);
  if (json) terminal.raw(`${JSON.stringify(replays.map(jsonOf), null, 2)}\n`);
  else for (const line of replayLines(replays, tried !== undefined, terminal)) terminal.say(line);
  return isDamaged ? EXIT_CODES.error : EXIT_CODES.goal;
}

async function sweepRuns(
  runs: readonly NamedRun[],
  sweeps: readonly Sweep[],
  tried: TriedPolicy | undefined,
  { json, terminal }: Output,
): Promise<ExitCode> {
  const names = sweepCandidates(sweeps);
  const candidatesFor = (event: RunEvent): readonly NamedCandidate[] =>
    tried === undefined || event.type !== 'run-started' ? names : sweepCandidates(sweeps, tried.policyFor(event));
  const found: (readonly RunReplay[])[] = [];
  const left: string[] = [];
  const records: { name: string; problem?: string | undefined; isDamaged: boolean }[] = [];
  for (const { name, run } of runs) {
    let reading: ReturnType<typeof createBacktestRun> | undefined;
    // oxlint-disable-next-line no-await-in-loop -- one record at a time is in memory
    const { problem, isDamaged } = await readRecord(run, (event) => {
      reading ??= createBacktestRun(name, candidatesFor(event), guard);
      reading.see(event);
    });
    const replays = (reading ?? createBacktestRun(name, names)).end();
    if (replays[0] !== undefined && !isFor(tried, replays[0])) left.push(name);
    else found.push(replays);
    records.push({ name, problem, isDamaged });
  }
  noteLeft(left, tried, terminal, found.length);
  noteProblems(records, terminal);
  const backtest = summariseBacktest(names, found);
  if (json)
    terminal.raw(`${JSON.stringify({ sweeps: sweeps.map(({ type }) => type), ...jsonRows(backtest) }, null, 2)}\n`);
  else for (const line of sweepLines(backtest, sweeps, terminal)) terminal.say(line);
  return records.some(({ isDamaged }) => isDamaged) ? EXIT_CODES.error : EXIT_CODES.goal;
}

function isFor(tried: TriedPolicy | undefined, { kind }: Pick<Replay, 'kind'>): boolean {
  return tried === undefined || kind === undefined || (kind === 'pipeline') === (tried.of === 'pipeline');
}

/** A policy of a loop says nothing of a pipeline, and the other way round. */
function noteLeft(left: readonly string[], tried: TriedPolicy | undefined, terminal: Terminal, others: number): void {
  if (left.length === 0) return;
  const [kind, needs] =
    tried?.of === 'pipeline' ? (['loop', 'a config'] as const) : (['pipeline', 'a manifest'] as const);
  const message = `${left.length === 1 ? `${left[0]} is a ${kind}` : `${plural(left.length, kind)} are left out`}: its policy stands in ${needs}, not in this file`;
  if (others === 0) throw new ConfigError([{ path: '', place: '--policy', message }]);
  terminal.note(`pawl: ${printable(message)}`);
}

function noteProblems(
  found: readonly { readonly name: string; readonly problem?: string | undefined }[],
  terminal: Terminal,
): void {
  for (const { name, problem } of found) {
    if (problem !== undefined) terminal.note(`pawl: ${printable(`${name}: ${problem}`)}`);
  }
}

function jsonOf({ name, verdicts, policy: _policy, ...replay }: NamedReplay) {
  const differing = verdicts
    .filter(({ isSame }) => !isSame)
    .map(({ seq, iteration, decidesSame }) => ({ seq, iteration, decidesSame }));
  return { name, ...replay, verdicts: { recorded: verdicts.length, differing } };
}

function jsonRows({ rows, runs }: ReturnType<typeof summariseBacktest>) {
  return {
    rows,
    runs: runs.map(({ name, replays }) => ({
      name,
      replays: replays.map(({ policy: _policy, missing: _missing, ...replay }) => replay),
    })),
  };
}
