import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRecord } from '../../src/journal/record-scanner.js';
import { newRunId } from '../../src/journal/run-places.js';
import { encodeSnapshot } from '../../src/journal/snapshot.js';
import { reduce } from '../../src/model/reduce.js';
import type { NewEvent, RunEvent } from '../../src/model/run-event.js';
import type { RunSpec } from '../../src/model/run-spec.js';
import { INITIAL_STATE } from '../../src/model/run-state.js';
import { realisticEvents } from '../contract/realistic-events.js';

export interface RunLeftBehind {
  readonly runId: string;
  readonly folder: string;
  readonly journalPath: string;
  readonly events: readonly RunEvent[];
}

export const ENDED: NewEvent = {
  type: 'run-ended',
  state: 'stopped',
  class: 'limit',
  reasons: [{ path: 'stop.limits[0]', class: 'limit', message: '20 of 20 iterations' }],
};

/** The line of a record, as a journal has it. */
export function recordLine(event: NewEvent, seq: number): Buffer {
  return encodeRecord(event, { seq, at: new Date(1_700_000_000_000 + seq).toISOString(), activeMs: seq }).line;
}

/** The folder of a run that nobody writes any more, as a run leaves it behind. */
export function leaveRun(
  workingDir: string,
  { count = 20, isEnded = true }: { readonly count?: number; readonly isEnded?: boolean } = {},
): RunLeftBehind {
  const runId = newRunId();
  const folder = join(workingDir, '.ralph', 'runs', runId);
  const journalPath = join(folder, 'journal.jsonl');
  const planned = [...realisticEvents(count, runId), ...(isEnded ? [ENDED] : [])].map(withSpec);
  const lines = planned.map((event, index) => recordLine(event, index + 1));
  const events = lines.map((line) => {
    const { sum: _sum, ...event } = JSON.parse(line.toString('utf8')) as RunEvent & { readonly sum: string };
    return event;
  });
  const state = events.reduce(reduce, INITIAL_STATE);
  const journal = Buffer.concat(lines);
  const position = { seq: events.length, offset: journal.length, lineBytes: lines.at(-1)?.length ?? 0, lineSum: '' };
  mkdirSync(folder, { recursive: true });
  writeFileSync(journalPath, journal);
  writeFileSync(join(folder, 'state.json'), encodeSnapshot({ runId, workingDir }, state, position) ?? '');
  return { runId, folder, journalPath, events };
}

/** A run without one could not go on. */
function withSpec(event: NewEvent): NewEvent {
  if (event.type !== 'run-started') return event;
  return { ...event, spec: { agent: { name: 'claude' }, policy: event.policy, session: {} } as unknown as RunSpec };
}
