import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder, NODE_DISK } from '../journal/disk.js';
import { RecordWriter } from '../journal/record-writer.js';
import { createRedactor } from '../journal/redact.js';
import { type Environment, importedPlace, importedRunId, isRunId } from '../journal/run-places.js';
import { messageOf } from '../model/errors.js';
import { shortDigest } from '../model/json.js';
import { totalSpend } from '../model/spend-account.js';
import type { Spend } from '../model/usage.js';
import { VERSION } from '../version.js';
import type { FoundFile } from './find-recordings.js';
import { nameOfRecording, openRecording, RecordingRefused } from './read-recording.js';
import { type Label, SessionRecorder } from './record-session.js';

/** Next to the journal of an imported run: what it was made from. A second import leaves what has not changed. */
const MARK_NAME = 'import.json';
/** Raise it when the same file becomes another record: it is imported again, under the same id. */
const IMPORT_FORMAT = 4;

interface ImportMark {
  readonly format: number;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly as: 'calls' | 'runs';
  readonly label?: Label | undefined;
  /** A digest of what the agent was asked first: sessions that were asked the same worked on the same task. */
  readonly asked?: string | undefined;
  /** Where the agent worked. */
  readonly folder?: string | undefined;
}

export interface ImportOptions {
  readonly environment: Environment;
  readonly as: 'calls' | 'runs';
  readonly labels?: ReadonlyMap<string, Label> | undefined;
  /** Called after each file. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

export interface ImportedRun {
  readonly runId: string;
  readonly path: string;
  /** The tool that recorded it. */
  readonly source: string;
  readonly calls: number;
  readonly spend: Spend;
  readonly label?: Label | undefined;
}

/** What became of the files. */
export interface ImportResult {
  readonly imported: readonly ImportedRun[];
  /** Imported before, and not changed since. */
  readonly unchanged: number;
  /** Without a single model call. */
  readonly empty: readonly string[];
  /** Files of folders that are no recordings. */
  readonly ignored: number;
  readonly refused: readonly { readonly path: string; readonly problem: string }[];
}

/** Makes a record of each session. Reads the files only, and executes nothing of them. */
export async function importRecordings(files: readonly FoundFile[], options: ImportOptions): Promise<ImportResult> {
  const folder = makeFolder(NODE_DISK, importedPlace(options.environment), 'refuse');
  const runs = join(folder, '.ralph', 'runs');
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  const known = knownMarks(runs);
  const result = {
    imported: [] as ImportedRun[],
    unchanged: 0,
    empty: [] as string[],
    ignored: 0,
    refused: [] as { path: string; problem: string }[],
  };
  for (const [index, file] of files.entries()) {
    const { path } = file;
    const label = options.labels?.get(nameOfRecording(path));
    const before = known.get(`${options.as} ${path}`);
    const mark: ImportMark = {
      format: IMPORT_FORMAT,
      path,
      bytes: file.bytes,
      modifiedMs: file.modifiedMs,
      as: options.as,
      // A label that is known stays where this import gives none.
      label: label ?? before?.mark.label,
    };
    if (before !== undefined && isSame(before.mark, mark)) result.unchanged += 1;
    else {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one session at a time is in memory
        const imported = await importOne(mark, { folder, runs, runId: before?.runId, ...options });
        if (imported === undefined) result.empty.push(path);
        else result.imported.push(imported);
      } catch (error) {
        const isOther = error instanceof RecordingRefused && !file.isNamed;
        if (isOther) result.ignored += 1;
        else result.refused.push({ path, problem: messageOf(error) });
      }
    }
    options.onProgress?.(index + 1);
  }
  return result;
}

interface Place extends ImportOptions {
  readonly folder: string;
  readonly runs: string;
  /** Of an earlier import of the same file. */
  readonly runId?: string | undefined;
}

async function importOne(
  mark: ImportMark,
  { folder, runs, runId, environment, as }: Place,
): Promise<ImportedRun | undefined> {
  const { path, label } = mark;
  const { source, parts } = await openRecording(path);
  const redactor = createRedactor(environment);
  const recorder = new SessionRecorder({
    source,
    pawl: VERSION,
    as,
    fallbackMs: mark.modifiedMs,
    name: nameOfRecording(path),
    label,
    redactor,
    open: (startedMs) =>
      new RecordWriter({ runs, runId: runId ?? importedRunId(startedMs), workingDir: folder, redact: redactor.json }),
  });
  try {
    for await (const part of parts) recorder.add(part);
    const writer = recorder.finish();
    if (writer === undefined) return undefined;
    const { prompt, folder: workedIn } = recorder.about;
    const asked = prompt === undefined ? undefined : shortDigest(prompt);
    const written: ImportMark = { ...mark, asked, folder: workedIn };
    writer.finish({ [MARK_NAME]: `${JSON.stringify(written)}\n` });
    return { runId: writer.runId, path, source, calls: recorder.calls, spend: totalSpend(writer.state.spend), label };
  } catch (error) {
    recorder.discard();
    throw error;
  }
}

function knownMarks(runs: string): ReadonlyMap<string, { readonly runId: string; readonly mark: ImportMark }> {
  const known = new Map<string, { readonly runId: string; readonly mark: ImportMark }>();
  for (const name of readdirSync(runs)) {
    // What an import that was killed has left.
    if (name.startsWith('.unfinished-')) removeIfAbandoned(join(runs, name));
    if (!isRunId(name)) continue;
    const mark = readMark(join(runs, name, MARK_NAME));
    if (mark !== undefined) known.set(`${mark.as} ${mark.path}`, { runId: name, mark });
  }
  return known;
}

function removeIfAbandoned(draft: string): void {
  const pid = Number(/-(\d+)$/.exec(basename(draft))?.[1]);
  try {
    process.kill(pid, 0);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What is known of the recording that an imported run was made from. */
export interface Recorded {
  readonly name: string;
  readonly asked?: string | undefined;
  readonly folder?: string | undefined;
}

/** Undefined when the run was not imported. */
export function recordingOf(runFolder: string): Recorded | undefined {
  const mark = readMark(join(runFolder, MARK_NAME));
  return mark === undefined ? undefined : { name: nameOfRecording(mark.path), asked: mark.asked, folder: mark.folder };
}

function readMark(path: string): ImportMark | undefined {
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as Partial<ImportMark> | null;
    return typeof mark?.path === 'string' && typeof mark.as === 'string' ? (mark as ImportMark) : undefined;
  } catch {
    return undefined;
  }
}

function isSame(a: ImportMark, b: ImportMark): boolean {
  return (['format', 'bytes', 'modifiedMs', 'label'] as const).every((key) => a[key] === b[key]);
}
