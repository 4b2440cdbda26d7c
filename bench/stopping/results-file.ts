import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { RunnerKind } from './expected/expectation.js';
import type { Outcome } from './judge.js';
import type { PawlOnlyName } from './pawl-only-sets.js';
import type { StopRunner } from './stop-runner.js';

export type ResultsName = 'latest' | PawlOnlyName;

const pathOf = (name: ResultsName) => resolve(`bench/stopping/results/${name}.json`);

export interface RunnerInfo {
  readonly name: string;
  readonly kind: RunnerKind;
  readonly version?: string | undefined;
}

export interface Results {
  readonly machine: string;
  readonly runners: readonly RunnerInfo[];
  readonly outcomes: readonly Outcome[];
  /** The outcomes before the rules that a set is about. Recorded once. */
  readonly before?: readonly Outcome[] | undefined;
}

/** Pawl with answers from a script: shown in a column of its own, and compared with nobody. */
export const REVIEWED = 'scripted reviewer';

/** What judges for itself. */
export function compared(results: Results): Results {
  const isCompared = (name: string) => name !== REVIEWED;
  return {
    ...results,
    runners: results.runners.filter(({ name }) => isCompared(name)),
    outcomes: results.outcomes.filter(({ runner }) => isCompared(runner)),
  };
}

export function readResults(name: ResultsName = 'latest'): Results {
  const path = pathOf(name);
  if (!existsSync(path)) return { machine: '', runners: [], outcomes: [] };
  return JSON.parse(readFileSync(path, 'utf8')) as Results;
}

/** New outcomes take the place of those of the same runner and scenario; the rest stays, in the order of the scenarios. */
export function mergeResults(
  old: Results,
  runners: readonly StopRunner[],
  outcomes: readonly Outcome[],
  order: readonly string[],
): Results {
  const key = ({ runner, scenario }: Outcome) => `${runner}/${scenario}`;
  const all = new Map([...old.outcomes, ...outcomes].map((outcome) => [key(outcome), outcome]));
  const known = new Map(
    [...old.runners, ...runners.map(({ name, kind, version }) => ({ name, kind, version }))].map((info) => [
      info.name,
      info,
    ]),
  );
  const names = [...known.keys()];
  const place = ({ runner, scenario }: Outcome) => order.indexOf(scenario) * 100 + names.indexOf(runner);
  return {
    // Where those that are compared were played.
    machine: runners.every(({ name }) => name === REVIEWED) ? old.machine : machine(),
    runners: [...known.values()],
    before: old.before,
    outcomes: [...all.values()].filter(({ scenario }) => order.includes(scenario)).sort((a, b) => place(a) - place(b)),
  };
}

/** The first outcome of each scenario is kept for comparison with later ones. */
export function withBefore(results: Results, order: readonly string[]): Results {
  const { before = [], outcomes } = results;
  const known = new Set(before.map(({ scenario }) => scenario));
  const all = [...before, ...outcomes.filter(({ scenario }) => !known.has(scenario))];
  return { ...results, before: all.sort((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario)) };
}

export function writeResults(results: Results, name: ResultsName): void {
  writeFileSync(pathOf(name), `${JSON.stringify(results, null, 2)}\n`);
}

function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${first?.model.trim()}), ${memory} GB, Linux ${release()}, Node ${process.version}`;
}
