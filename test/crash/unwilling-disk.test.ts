import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { realisticEvents } from '../contract/realistic-events.js';
import { RUN_ID, type ScratchRun, scratchRun } from './scratch-run.js';
import { buildWriter, startWriter, type WriterProgram } from './writer-process.js';

const IS_ROOT = process.getuid?.() === 0;
/** Root may write anywhere, so that a refusal is seen by somebody else only. */
const AS_ANOTHER = IS_ROOT ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];

let program: WriterProgram;
let folder: string | undefined;
let scratch: ScratchRun | undefined;

beforeAll(async () => {
  program = await buildWriter();
  chmodSync(join(program.path, '..'), 0o755);
});
afterAll(() => program.remove());
afterEach(() => {
  scratch?.dispose();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  folder = mkdtempSync(join(tmpdir(), 'pawl-disk-'));
  if (IS_ROOT) chownSync(folder, 65534, 65534);
  return folder;
}

async function runWriter(prefix: readonly string[], workingDir: string): Promise<readonly string[]> {
  const writer = startWriter([...prefix, process.execPath, program.path, 'append', workingDir, RUN_ID]);
  await writer.ended;
  return writer.lines;
}

describe('modes', () => {
  it.each([0o000, 0o022, 0o077, 0o777])('are 0600 and 0700 under umask %o', async (umask) => {
    scratch = scratchRun();
    const inherited = process.umask(umask);
    try {
      const journal = scratch.create();
      for (const event of realisticEvents(12)) journal.append(event, 1);
      for (const place of [scratch.folder, scratch.seen, join(scratch.workingDir, '.ralph')])
        expect(modeOf(place)).toBe(0o700);
      const { folder } = scratch;
      const files = ['journal.jsonl', 'state.json', 'reserve'].map((name) => join(folder, name));
      const others = [join(scratch.workingDir, '.ralph', 'lock')];
      for (const file of [...files, ...others]) expect(modeOf(file)).toBe(0o600);
      await journal.close();
    } finally {
      process.umask(inherited);
    }
  });

  function modeOf(path: string): number {
    return statSync(path).mode & 0o777;
  }
});

describe('a folder that may not be written', () => {
  it('is named, and nothing is started', async () => {
    const workingDir = makeFolder();
    chmodSync(workingDir, 0o555);
    expect(await runWriter(AS_ANOTHER, workingDir)).toEqual([
      expect.stringMatching(new RegExp(`^FileSystemError cannot make the folder ${workingDir}/.ralph: EACCES`)),
    ]);
    chmodSync(workingDir, 0o755);
  });

  it('does not stop a run that is locked out of its state home only: its record is in the project', async () => {
    const workingDir = makeFolder();
    mkdirSync(join(workingDir, 'state-home'), { mode: 0o500 });
    const lines = await runWriter(AS_ANOTHER, workingDir);
    expect(lines.at(-1)).toBe('closed');
    expect((await verifyJournal(join(workingDir, '.ralph/runs', RUN_ID, 'journal.jsonl'))).events).toBe(400);
  });
});

describe.runIf(IS_ROOT && canMount())('a disk that is really full', () => {
  it('ends the run with its last events on it, and the record is whole', async () => {
    const workingDir = makeFolder();
    const mounted = join(workingDir, 'small');
    const kept = join(workingDir, 'kept');
    mkdirSync(mounted);
    const script = [
      `mount -t tmpfs -o size=1m,mode=777 tmpfs ${mounted}`,
      `"$@" ${mounted} ${RUN_ID}`,
      `cp -a ${mounted} ${kept}`,
      `umount ${mounted}`,
    ].join(' && ');
    const writer = startWriter(['unshare', '-m', 'sh', '-c', script, 'sh', process.execPath, program.path, 'append']);
    await writer.ended;
    const full = writer.lines.find((line) => line.startsWith('full'));
    expect(full).toBeDefined();
    expect(writer.lines.at(-1)).toBe('closed');
    const path = join(kept, 'state-home/pawl/runs', RUN_ID, 'journal.jsonl');
    const verified = await verifyJournal(path);
    expect(verified.torn).toBeUndefined();
    expect(`full ${verified.events}`).toBe(full);
    expect(verified.state).toMatchObject({ phase: { state: 'error', end: { error: 'the disk is full' } } });
    scratch = scratchRun();
    cpSync(kept, scratch.workingDir, { recursive: true });
    const journal = scratch.open();
    expect(journal.state.seq).toBe(verified.events);
    await journal.close();
    expect(readFileSync(scratch.path).equals(readFileSync(path))).toBe(true);
  });
});

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
