import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { ConfigName } from './config.js';
import type { Outcome } from './judge.js';

const path = () => resolve('bench/cheating/results.json');

export interface NotPlayed {
  readonly scenario: string;
  readonly config: ConfigName;
  readonly why: string;
}

export interface Results {
  readonly machine: string;
  readonly outcomes: readonly Outcome[];
  readonly notPlayed: readonly NotPlayed[];
}

export function readResults(): Results {
  if (!existsSync(path())) return { machine: '', outcomes: [], notPlayed: [] };
  return JSON.parse(readFileSync(path(), 'utf8')) as Results;
}

/** New outcomes take the place of those of the same scenario and config; what no longer exists is dropped. */
export function mergeResults(old: Results, played: Omit<Results, 'machine'>, order: readonly string[]): Results {
  const key = ({ scenario, config }: { scenario: string; config: ConfigName }) => `${scenario}/${config}`;
  const isNew = new Set([...played.outcomes, ...played.notPlayed].map(key));
  const merged = <T extends { scenario: string; config: ConfigName }>(kept: readonly T[], added: readonly T[]) =>
    [...kept.filter((one) => !isNew.has(key(one))), ...added]
      .filter(({ scenario }) => order.includes(scenario))
      .sort((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario) || a.config.localeCompare(b.config));
  return {
    machine: machine(),
    outcomes: merged(old.outcomes, played.outcomes),
    notPlayed: merged(old.notPlayed, played.notPlayed),
  };
}

export function writeResults(results: Results): void {
  writeFileSync(path(), `${JSON.stringify(results, null, 2)}\n`);
}

function machine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${first?.model.trim()}), ${memory} GB, Linux ${release()}, Node ${process.version}`;
}
