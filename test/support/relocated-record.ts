import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sealLine, sumOfLine } from '../../src/journal/record-scanner.js';

/** The working directory that every record under test/fixtures/records names. */
export const RECORDED_IN = '/tmp/pawl-record/project';

export const RECORDS = fileURLToPath(new URL('../fixtures/records', import.meta.url));

/** A journal with another working directory in it. Only the paths and the checksums of their lines change. */
export function relocateJournal(journal: string, from: string, to: string): string {
  return journal
    .split(/(?<=\n)/)
    .map((line) => (line.includes(from) ? relocateLine(line, from, to) : line))
    .join('');
}

/** A sealed line, `state.json` included. */
function relocateLine(line: string, from: string, to: string): string {
  return sealLine(
    line
      .trimEnd()
      .replace(/,"sum":"\w{8}"}$/, '}')
      .replaceAll(from, to),
  ).toString('utf8');
}

/** The journal moved, so `state.json` points at the same line at its new place. */
function relocateState(text: string, from: string, to: string, before: string, after: string): string {
  const { sum: _sum, ...state } = JSON.parse(text) as { seq: number; offset: number; sum: string };
  const bytes = relocateJournal(Buffer.from(before).subarray(0, state.offset).toString('utf8'), from, to);
  const lastLine = Buffer.from(bytes.trimEnd().split('\n').at(-1) ?? '');
  if (!after.startsWith(bytes)) throw new Error('state.json does not belong to this journal');
  const position = { offset: Buffer.byteLength(bytes), lineBytes: lastLine.length + 1, lineSum: sumOfLine(lastLine) };
  return sealLine(JSON.stringify({ ...state, ...position }).replaceAll(from, to)).toString('utf8');
}

export interface RecordFiles {
  readonly journal: string;
  readonly state: string;
}

export function relocateRecord({ journal, state }: RecordFiles, from: string, to: string): RecordFiles {
  const moved = relocateJournal(journal, from, to);
  return { journal: moved, state: relocateState(state, from, to, journal, moved) };
}

/** A record of test/fixtures/records as it is on disk. */
export function readRecord(name: string): RecordFiles & { readonly runId: string } {
  const journal = readFileSync(join(RECORDS, name, 'journal.jsonl'), 'utf8');
  const statePath = join(RECORDS, name, 'state.json');
  const { runId } = JSON.parse(journal.slice(0, journal.indexOf('\n'))) as { runId: string };
  return { runId, journal, state: existsSync(statePath) ? readFileSync(statePath, 'utf8') : '' };
}

/** Puts a record and the files that its run left into a working directory. Returns the id of the run. */
export function placeRecord(
  name: string,
  workingDir: string,
  { from, to }: { readonly from: string; readonly to: string } = { from: RECORDED_IN, to: workingDir },
): string {
  const record = readRecord(name);
  const { journal, state } = relocateRecord(record, from, to);
  const folder = join(workingDir, '.ralph', 'runs', record.runId);
  const isPart = (path: string) => !path.endsWith('/files');
  cpSync(join(RECORDS, name), folder, { recursive: true, filter: isPart });
  writeFileSync(join(folder, 'journal.jsonl'), journal);
  writeFileSync(join(folder, 'state.json'), state);
  const files = join(RECORDS, name, 'files');
  if (existsSync(files)) cpSync(files, workingDir, { recursive: true });
  return record.runId;
}
