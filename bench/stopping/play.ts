import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, cpSync, lstatSync, openSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type LedgerEntry, processesOf, readLedger } from './ledger.js';
import { DeathWatch, isAlive, kill, markedBy, membersOf } from './lives.js';
import type { Scenario } from './scenarios/scenario.js';
import { Stage } from './stage.js';
import type { Command, RunnerEnd, StopRunner } from './stop-runner.js';

const LOOK_MS = 10;
/** A runner that has not stopped by then never would. */
const LONGEST_MS = 45_000;
/** Calls beyond the allowed ones that are watched before a runner is cut off. */
const CALLS_BEYOND = 4;
const QUIET_MS = 3000;
/** How long the agents may live on after the runner before they count as left behind. */
const LEFT_MS = 300;

export interface Played {
  readonly ledger: readonly LedgerEntry[];
  readonly startedAt: number;
  readonly durationMs: number;
  readonly end: RunnerEnd | 'waiting' | 'cut off';
  /** From the first mark, or the time that was agreed, until everything of that call was gone. */
  readonly killMs?: number | undefined;
  /** Processes of the agent that outlive the runner. */
  readonly left: number;
}

/** Runs one scenario under one runner, and watches from outside. */
export async function play(scenario: Scenario, runner: StopRunner): Promise<Played> {
  const stage = new Stage(scenario, runner.marker);
  try {
    runner.prepare(stage, scenario);
    return await new Performance(stage, scenario, runner).watch();
  } finally {
    for (const pid of markedBy(basename(stage.folder))) kill(pid);
    await pause(20);
    stage.remove();
  }
}

class Performance {
  readonly stage: Stage;
  readonly scenario: Scenario;
  readonly runner: StopRunner;
  readonly #startedAt = Date.now();
  readonly #deaths = new DeathWatch();
  #child: ChildProcess;
  #exitCode: number | undefined;
  #ledger: readonly LedgerEntry[] = [];
  #hasCrashed = false;

  constructor(stage: Stage, scenario: Scenario, runner: StopRunner) {
    this.stage = stage;
    this.scenario = scenario;
    this.runner = runner;
    this.#child = this.#start(runner.command(stage, scenario));
  }

  async watch(): Promise<Played> {
    for (;;) {
      await pause(LOOK_MS);
      this.#ledger = readLedger(this.stage.ledgerPath);
      this.#deaths.look(processesOf(this.#ledger));
      if (this.#isCrashDue()) await this.#crash();
      else if (this.#exitCode !== undefined)
        return this.#ended({ exitCode: this.#exitCode, output: this.stage.output() });
      else if (this.#isWaiting()) return this.#ended('waiting');
      else if (this.#isTooMuch()) return this.#ended('cut off');
    }
  }

  get #elapsedMs(): number {
    return Date.now() - this.#startedAt;
  }

  #start([program, ...args]: Command): ChildProcess {
    const { folder, tree, environment } = this.stage;
    const output = openSync(join(folder, 'output'), 'a');
    const child = spawn(program, args, {
      cwd: tree,
      env: environment,
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.#exitCode = undefined;
    child.once('error', () => (this.#exitCode = 127));
    child.once('exit', (code) => (this.#exitCode = code ?? 128));
    return child;
  }

  #isCrashDue(): boolean {
    return this.scenario.isCrash === true && !this.#hasCrashed && this.#ledger.some(({ what }) => what === 'mark');
  }

  /** All processes of the runner die, none of the agent. */
  async #crash(): Promise<void> {
    this.#hasCrashed = true;
    const agents = new Set(processesOf(this.#ledger));
    for (const pid of membersOf(this.#child.pid ?? -1)) if (!agents.has(pid)) kill(pid);
    while (this.#exitCode === undefined) await pause(LOOK_MS);
    await pause(QUIET_MS / 10);
    this.#child = this.#start(this.runner.resume(this.stage, this.scenario));
  }

  #isWaiting(): boolean {
    const { watchMs } = this.scenario;
    if (watchMs === undefined || this.#elapsedMs < watchMs) return false;
    const last = this.#ledger.at(-1)?.at ?? this.#startedAt;
    return Date.now() - last > QUIET_MS && !processesOf(this.#ledger).some(isAlive);
  }

  #isTooMuch(): boolean {
    const calls = this.#ledger.at(-1)?.call ?? 0;
    const most = this.scenario.wants.maxIterations + CALLS_BEYOND;
    return this.#elapsedMs > LONGEST_MS + most * (this.runner.pauseMs ?? 0) || calls > most;
  }

  async #ended(end: Played['end']): Promise<Played> {
    const durationMs = this.#elapsedMs;
    if (typeof end === 'string') for (const pid of membersOf(this.#child.pid ?? -1)) kill(pid);
    else await pause(LEFT_MS);
    this.#ledger = readLedger(this.stage.ledgerPath);
    const pids = processesOf(this.#ledger);
    this.#deaths.look(pids);
    const left = typeof end === 'string' ? 0 : pids.filter(isAlive).length;
    this.#keep();
    return { ledger: this.#ledger, startedAt: this.#startedAt, durationMs, end, left, killMs: this.#killMs(end) };
  }

  #killMs(end: Played['end']): number | undefined {
    const { triggerAfterMs, isCrash } = this.scenario;
    const mark = this.#ledger.find(({ what }) => what === 'mark');
    if (isCrash === true || end === 'cut off') return undefined;
    const call = triggerAfterMs === undefined ? mark?.call : this.#ledger.at(-1)?.call;
    const at = triggerAfterMs === undefined ? mark?.at : this.#startedAt + triggerAfterMs;
    const goneAt = call === undefined ? undefined : this.#deaths.allGoneAt(processesOf(this.#ledger, call));
    return at === undefined || goneAt === undefined ? undefined : goneAt - at;
  }

  /** For whoever wants to know why: what the runner printed and the whole stage, in a folder of their choice. */
  #keep(): void {
    const folder = process.env['STOPPING_KEEP'];
    if (folder === undefined) return;
    const path = join(folder, `${this.runner.name}-${this.scenario.name}`.replaceAll(' ', '-'));
    rmSync(path, { recursive: true, force: true });
    cpSync(this.stage.folder, path, {
      recursive: true,
      filter: (source) => lstatSync(source).isFile() || lstatSync(source).isDirectory(),
    });
  }
}
