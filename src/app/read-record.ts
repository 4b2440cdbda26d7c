import { statSync } from 'node:fs';
import { fileChunks, readJournal } from '../journal/read-journal.js';
import type { ListedRun } from '../journal/list-runs.js';
import { stateSince } from '../journal/recover.js';
import type { TornTail } from '../journal/record-scanner.js';
import { JournalDamaged, PawlError } from '../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';
import { faultsText } from '../model/record-fault.js';
import { reduce } from '../model/reduce.js';
import type { RunEvent } from '../model/run-event.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { plural } from '../model/figures.js';
import { printable } from '../words/printable.js';
import { reduceItems, NO_ITEMS, type ShownItems } from '../model/shown-items.js';
import { systemErrorWords } from '../model/system-error-words.js';
import type { NoteTaker } from './surroundings.js';

const NEWLINE = 0x0a;

/** What could be read of a run. */
export interface RunRecord {
  readonly state: RunState;
  /** A pipeline: what the state does not keep of its items. */
  readonly items: ShownItems;
  /** What is wrong with the record, in words. */
  readonly problem?: string | undefined;
  /** Not everything could be read. A torn last line is a problem, but no damage. */
  readonly isDamaged: boolean;
  /** The last line has no end, in words: it is being written, or was cut off. */
  readonly cutOff?: string | undefined;
}

/** Told of each event with the fold before and after it; what it returns is waited for. */
export type Reader = (event: RunEvent, before: RunState, after: RunState) => void | Promise<void>;

/** Folds a journal from its beginning, as far as it can be read, or until no one wants more of it. */
export async function readRecord(
  run: ListedRun,
  see: Reader = () => undefined,
  isOver: () => boolean = () => false,
): Promise<RunRecord> {
  let state = INITIAL_STATE;
  let items = NO_ITEMS;
  let torn: TornTail | undefined;
  let cutOff: string | undefined;
  const onTorn = (tail: TornTail) => void (torn = tail);
  const onIncomplete = ({ line }: TornTail) => {
    cutOff = cutOffText(line);
  };
  const read = async (untilOffset?: number) => {
    for await (const event of readJournal(run.journalPath, {
      fromSeq: state.seq + 1,
      untilOffset,
      onTorn,
      onIncomplete,
    })) {
      const before = state;
      state = reduce(before, event);
      items = reduceItems(items, event);
      const wait = see(event, before, state);
      if (wait !== undefined) await wait;
      if (isOver()) break;
    }
  };
  try {
    await read();
    const problem = torn === undefined ? faultsText(state.faults) : await tornText(run.journalPath, torn);
    return { state, items, problem, isDamaged: false, cutOff };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    // The reader holds back what stands before the damage in the same part of the file.
    if (error instanceof JournalDamaged) await read(await offsetOfLine(run.journalPath, error.line));
    const known = state.seq === 0 ? (run.snapshot?.state ?? state) : state;
    return { state: known, items, problem: error.message, isDamaged: true };
  }
}

/** A larger journal is not folded from its beginning for the state that its snapshot has. */
export const LARGE_JOURNAL_BYTES = 16 * 1024 * 1024;

/** The same for the state and the items alone: of a large journal the state comes from its snapshot on. */
export async function readLatest(run: ListedRun, see?: Reader): Promise<RunRecord> {
  const { snapshot, journalPath, runId } = run;
  const isLarge = (statSync(journalPath, { throwIfNoEntry: false })?.size ?? 0) > LARGE_JOURNAL_BYTES;
  const state = isLarge && snapshot?.runId === runId ? stateSince(snapshot, journalPath) : undefined;
  if (state === undefined) return readRecord(run, see);
  try {
    const items = state.pipeline === undefined ? NO_ITEMS : await readItemsSeen(run, state.seq);
    return { state, items, problem: faultsText(state.faults), isDamaged: false };
  } catch (error) {
    if (error instanceof PawlError) return readRecord(run, see);
    throw error;
  }
}

/** What the state of a pipeline does not keep of its items, up to a record. Throws JournalDamaged. */
export async function readItemsSeen(
  { journalPath }: Pick<ListedRun, 'journalPath'>,
  untilSeq: number,
): Promise<ShownItems> {
  let items = NO_ITEMS;
  for await (const event of readJournal(journalPath, { onTorn: () => undefined })) {
    if (event.seq > untilSeq) break;
    items = reduceItems(items, event);
  }
  return items;
}

export function cutOffText(line: number): string {
  return `the last line of the journal (${line}) is incomplete, and was ignored`;
}

/** A crash tears the last line; what is no journal, or was written to by others, has more of them. */
export async function tornText(path: string, { line, what }: TornTail): Promise<string> {
  const following = (await countLines(path)) - line;
  if (following <= 0) return `the last line of the journal (${line}) is torn: ${what}; resuming removes it`;
  const follow = `${plural(following, 'line')} ${following === 1 ? 'follows' : 'follow'}`;
  return `the journal is damaged at line ${line}: ${what}; ${follow}, and none of them can be read`;
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  let last = NEWLINE;
  for await (const chunk of fileChunks(path)) {
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, end + 1)) lines += 1;
    last = chunk.at(-1) ?? last;
  }
  return last === NEWLINE ? lines : lines + 1;
}

/** Where a line begins. */
export async function offsetOfLine(path: string, line: number): Promise<number> {
  let left = line - 1;
  let offset = 0;
  if (left === 0) return 0;
  for await (const chunk of fileChunks(path)) {
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, end + 1)) {
      left -= 1;
      if (left === 0) return offset + end + 1;
    }
    offset += chunk.length;
  }
  return offset;
}

export const NOTHING_RECORDED = 'nothing is recorded for it, so it cannot be resumed';

/** No one writes it, and it does not tell what it is of: there is nothing to continue with. */
export function isEmptyRecord({ spec, kind }: RunState, isLive: boolean): boolean {
  return !isLive && spec === undefined && kind !== 'imported';
}

/** Says what is wrong with a record, and what that means for the exit code. */
export function exitCodeOfRecord({ problem, isDamaged }: RunRecord, terminal: NoteTaker): ExitCode {
  if (problem !== undefined) terminal.note(`pawl: ${printable(systemErrorWords(problem))}`);
  return isDamaged ? EXIT_CODES.error : EXIT_CODES.goal;
}
