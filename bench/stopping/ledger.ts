import { existsSync, readFileSync } from 'node:fs';

/** What the scripted agent wrote down while it was called, outside the reach of any runner. */
export interface LedgerEntry {
  readonly at: number;
  readonly call: number;
  readonly pid: number;
  readonly what: 'started' | 'request' | 'mark' | 'left' | 'ended';
  readonly usd?: number;
  readonly child?: number;
}

/** Whole lines only: the agent may be killed in the middle of one. */
export function readLedger(path: string): readonly LedgerEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}

export function spentUsd(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, { usd = 0 }) => sum + usd, 0);
}

/** Every process of the agent that the ledger knows, by call. */
export function processesOf(entries: readonly LedgerEntry[], call?: number): readonly number[] {
  const wanted = entries.filter((entry) => call === undefined || entry.call === call);
  return [...new Set(wanted.flatMap(({ pid, child }) => (child === undefined ? [pid] : [pid, child])))];
}
