import { cpus, release, totalmem } from 'node:os';
import type { UNRUNNABLE } from './all-runners.js';
import type { Cannot } from './runner.js';
import type { Table } from './table.js';

export interface MeasuredRunner {
  readonly id: string;
  readonly name: string;
  readonly version: string | undefined;
  /** Why it was left out, when it was. */
  readonly cannot?: string | undefined;
}

/** All of one run of the bench: no host name, no path, nothing of the person. */
export interface Results {
  readonly date: string;
  readonly machine: ReturnType<typeof machine>;
  readonly isQuick: boolean;
  readonly hasNetwork: boolean;
  readonly runners: readonly MeasuredRunner[];
  readonly unrunnable: typeof UNRUNNABLE;
  readonly tables: readonly Table[];
}

export function machine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${process.platform} ${release()}`,
    node: process.versions.node,
  };
}

export function measuredRunner(
  { id, name, version }: { readonly id: string; readonly name: string; readonly version: string | undefined },
  probed: Cannot | undefined,
): MeasuredRunner {
  return { id, name, version, cannot: probed?.cannot };
}

export function nameIn({ runners }: Pick<Results, 'runners'>): (id: string) => string {
  return (id) => runners.find((runner) => runner.id === id)?.name ?? id;
}

export function cellOf({ tables }: Results, table: string, runner: string, column: string) {
  return tables.find(({ id }) => id === table)?.rows.find((row) => row.runner === runner)?.cells[column];
}

export function machineLine({ machine, date }: Results): string {
  return `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, ${date}`;
}
