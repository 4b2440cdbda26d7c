import { DEFAULT_LIMIT } from '../../../config/default-policy.js';
import { CONDITION_CATALOG } from '../../../model/condition-catalog.js';
import { ConfigError } from '../../../model/errors.js';
import type { ExitCode } from '../../../model/exit-code.js';
import type { RunEvent } from '../../../model/run-event.js';
import { probeProtectedPaths } from '../../../observation/protected-paths.js';
import { type Backtest, createBacktestRun, type NamedCandidate, summariseBacktest } from '../../../replay/backtest.js';
import type { GuardLook } from '../../../replay/looked-for.js';
import { createReplay, type Replay } from '../../../replay/replay.js';
import { parseSweep, type Sweep, sweepCandidates } from '../../../replay/sweep.js';
import { plural } from '../../../model/figures.js';
import { jsonText } from '../../text/json-text.js';
import { printable } from '../../../words/printable.js';
import { replayLines, type ShownEnd } from '../../text/replay-lines.js';
import { sweepLines } from '../../text/sweep-lines.js';
import { readRuns, type RecordedRun } from '../../../app/recorded-runs.js';
import { readTriedPolicy, type TriedPolicy } from '../../../app/replay-policy.js';
import { findRuns, type NamedRun } from '../../../app/replay-runs.js';
import { folderOfRuns } from '../../../app/run-folder.js';
import type { Terminal } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

export interface ReplayCommandOptions {
  /** Those that other tools have run. */
  readonly imported?: boolean;
  readonly policy?: readonly string[];
  readonly sweep?: readonly string[];
  readonly all?: boolean;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Guards that a run did not have are answered from the files that it recorded as changed. */
const guard: GuardLook = probeProtectedPaths;

/** Recorded runs under another policy, under many, or again under their own. Executes nothing. */
export async function replayCommand(
  words: readonly string[],
  options: ReplayCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { all, policy: files = [], sweep: texts = [], json = false } = options;
  const sweeps = texts.map((text) => parseSweep(text));
  const [file, second] = files;
  if (second !== undefined) throw refusedPolicy('it is given twice; only one policy is tested at a time');
  if (file?.trim() === '') throw refusedPolicy('the name of a file is missing');
  const tried = file === undefined ? undefined : readTriedPolicy(file, context);
  const runs = await findRuns(words, folderOfRuns(options, context), context, all);
  if (sweeps.length > 0) return sweepRuns(runs, sweeps, tried, { json, terminal });
  return replayRuns(runs, tried, { json, terminal });
}

interface Output {
  readonly json: boolean;
  readonly terminal: Terminal;
}

export interface NamedReplay extends Omit<Replay, 'end'> {
  readonly name: string;
  readonly end: ShownEnd;
  /** What is wrong with the record. */
  readonly problem?: string | undefined;
}

async function replayRuns(
  runs: readonly NamedRun[],
  tried: TriedPolicy | undefined,
  { json, terminal }: Output,
): Promise<ExitCode> {
  const begin = (_: string, event: RunEvent) =>
    createReplay(event.type === 'run-started' ? tried?.policyFor(event) : undefined, { guard });
  const { found, exitCode } = await readRuns(runs, begin, terminal);
  const fitting = found.filter(({ kind }) => isFor(tried, kind));
  noteLeft(found, fitting, tried, terminal);
  noteDefaults(tried, terminal);
  const replays = fitting.map(({ name, status, problem, result }): NamedReplay => {
    return { ...result, name, problem, end: { ...result.end, status } };
  });
  if (json) terminal.raw(`${jsonText(replays.map(jsonOf), 2)}\n`);
  else if (replays.length > 0)
    for (const line of replayLines(replays, tried !== undefined, terminal)) terminal.say(line);
  return exitCode;
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
  const begin = (name: string, event: RunEvent) => createBacktestRun(name, candidatesFor(event), guard);
  const { found, exitCode } = await readRuns(runs, begin, terminal);
  const ofPolicy = found.filter(({ kind }) => isFor(tried, kind));
  noteLeft(found, ofPolicy, tried, terminal);
  const fitting = ofPolicy.filter(({ kind }) => sweeps.every((sweep) => isSweptIn(sweep, kind)));
  noteUnswept(ofPolicy, fitting, sweeps, terminal);
  if (fitting.length === 0) return exitCode;
  if (!sweeps.some(({ type }) => type === DEFAULT_LIMIT.type)) noteDefaults(tried, terminal);
  const backtest = summariseBacktest(
    names,
    fitting.map(({ result }) => result),
  );
  const words = new Map(fitting.map(({ name, status }) => [name, status]));
  if (json) {
    const report = { sweeps: sweeps.map(({ type }) => type), ...jsonRows(backtest, words) };
    terminal.raw(`${jsonText(report, 2)}\n`);
  } else for (const line of sweepLines(backtest, sweeps, terminal)) terminal.say(line);
  return exitCode;
}

function refusedPolicy(message: string): ConfigError {
  return new ConfigError([{ path: '', place: '--policy', message }]);
}

function isFor(tried: TriedPolicy | undefined, kind: Replay['kind']): boolean {
  return tried === undefined || (kind === 'pipeline') === (tried.of === 'pipeline');
}

/** A rate of a pipeline's items says nothing of a loop. */
function isSweptIn({ type }: Sweep, kind: Replay['kind']): boolean {
  const { where } = CONDITION_CATALOG[type];
  return where === 'both' || (where === 'pipeline') === (kind === 'pipeline');
}

type Found = readonly Pick<RecordedRun<unknown>, 'name' | 'kind'>[];

/** A policy of a loop says nothing of a pipeline, and the other way round. */
function noteLeft(all: Found, fitting: Found, tried: TriedPolicy | undefined, terminal: Terminal): void {
  const left = all.filter((one) => !fitting.includes(one));
  const [first] = left;
  if (first === undefined) return;
  const [kind, needs] =
    tried?.of === 'pipeline' ? (['loop', 'a config'] as const) : (['pipeline', 'a manifest'] as const);
  const message = `${left.length === 1 ? `${first.name} is a ${kind}` : `${plural(left.length, kind)} are left out`}: its policy is in ${needs}, not in this file`;
  leave(message, '--policy', fitting, terminal);
}

/** What decides though no one wrote it. */
function noteDefaults(tried: TriedPolicy | undefined, terminal: Terminal): void {
  for (const note of tried?.notes ?? []) terminal.note(`pawl: ${note}`);
}

function noteUnswept(all: Found, fitting: Found, sweeps: readonly Sweep[], terminal: Terminal): void {
  const left = all.filter((one) => !fitting.includes(one));
  const [first] = left;
  const sweep = sweeps.find((one) => first !== undefined && !isSweptIn(one, first.kind));
  if (first === undefined || sweep === undefined) return;
  const { where } = CONDITION_CATALOG[sweep.type];
  const kind = where === 'pipeline' ? 'loop' : 'pipeline';
  const who = left.length === 1 ? `${first.name} is a ${kind}` : `${plural(left.length, kind)} are left out`;
  leave(`${sweep.type} counts only in a ${where}: ${who}`, '--sweep', fitting, terminal);
}

function leave(message: string, place: string, others: Found, terminal: Terminal): void {
  if (others.length === 0) throw new ConfigError([{ path: '', place, message }]);
  terminal.note(`pawl: ${printable(message)}`);
}

function jsonOf({ name, verdicts, policy: _policy, ...replay }: NamedReplay) {
  const differing = verdicts
    .filter(({ isSame }) => !isSame)
    .map(({ seq, iteration, decidesSame }) => ({ seq, iteration, decidesSame }));
  return { name, ...replay, verdicts: { recorded: verdicts.length, differing } };
}

function jsonRows({ rows, runs, comparedBy }: Backtest, words: ReadonlyMap<string, string>) {
  return {
    comparedBy,
    rows,
    runs: runs.map(({ name, replays }) => ({
      name,
      replays: replays.map(({ policy: _policy, missing: _missing, ...replay }) => ({
        ...replay,
        end: { ...replay.end, status: words.get(replay.name) ?? replay.end.status },
      })),
    })),
  };
}
