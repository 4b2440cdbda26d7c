import { shownStatus } from '../model/outcome.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import type { RunEvent } from '../model/run-event.js';
import type { RunState } from '../model/run-state.js';
import { printable } from '../words/printable.js';
import { readRecord, type RunRecord } from './read-record.js';
import type { NamedRun } from './replay-runs.js';
import type { NoteTaker } from './surroundings.js';

/** What gets one event after the other, and then of the end. */
interface Reading<T> {
  see(event: RunEvent): void;
  end(): T;
}

/** What was made of one record. */
export interface RecordedRun<T> {
  readonly name: string;
  readonly kind: RunState['kind'];
  /** As it is called everywhere. */
  readonly status: string;
  /** What is wrong with the record. */
  readonly problem?: string | undefined;
  readonly result: T;
}

interface RecordedRuns<T> {
  /** With none, the exit code is that of an error. */
  readonly found: readonly RecordedRun<T>[];
  readonly exitCode: ExitCode;
}

export const NO_RUN = 'no run is recorded in it';

/** Reads records one after the other. What holds no run is said and not counted, and a run that is there twice counts once. */
export async function readRuns<T>(
  runs: readonly NamedRun[],
  begin: (name: string, first: RunEvent) => Reading<T>,
  terminal: NoteTaker,
): Promise<RecordedRuns<T>> {
  const found: RecordedRun<T>[] = [];
  const names = new Map<string, string>();
  let isFailed = false;
  const note = (name: string, text: string) => terminal.note(`pawl: ${printable(`${name}: ${text}`)}`);
  for (const { name, run, isNamed } of runs) {
    let reading: Reading<T> | undefined;
    // oxlint-disable-next-line no-await-in-loop -- one record at a time is in memory
    const record = await readRecord(run, (event) => (reading ??= begin(name, event)).see(event));
    const { state, isDamaged } = record;
    const problem = problemOf(record, run.holder !== undefined);
    isFailed ||= isDamaged;
    const twin = names.get(state.runId ?? '');
    if (reading === undefined || state.kind === undefined) {
      isFailed ||= isNamed;
      note(name, problem === undefined ? NO_RUN : `${NO_RUN}: ${problem}`);
    } else if (twin !== undefined) note(name, `it is the same run as ${twin}, and counts once`);
    else {
      if (state.runId !== undefined) names.set(state.runId, name);
      if (problem !== undefined) note(name, problem);
      const status = shownStatus(state, run.holder !== undefined);
      found.push({ name, kind: state.kind, status, problem, result: reading.end() });
    }
  }
  return { found, exitCode: isFailed || found.length === 0 ? EXIT_CODES.error : EXIT_CODES.goal };
}

/** Of a run that continues, the last line is being written. */
export function problemOf({ problem, cutOff }: RunRecord, isLive: boolean): string | undefined {
  return problem ?? (isLive ? undefined : cutOff);
}
