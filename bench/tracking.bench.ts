import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCleanRoom } from '../src/clean-room/clean-room.js';
import { openFileTracker } from '../src/observation/files/file-tracker.js';
import { median, milliseconds, report, times } from './measure.js';

const wanted = process.argv.indexOf('--files');
const FILES = wanted > 0 ? Number(process.argv[wanted + 1]) : 50_000;
const ROUNDS = 15;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-bench-')));
const top = join(folder, 'tree');
const environment = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state') };

/** Folders of ten files, three deep, as in a large repository. */
function makeTree(): void {
  const line = 'export const value = compute(first, second, third);\n';
  for (let file = 0; file < FILES; file++) {
    const inner = Math.floor(file / 10);
    const path = join(top, `package-${inner % 40}`, `module-${inner % 400}`, `part-${inner}`);
    if (file % 10 === 0) mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `file-${file}.ts`), `// ${file}\n${line.repeat(5 + (file % 40))}`);
  }
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all');
}

function git(...args: readonly string[]): void {
  // It would tidy up in the background.
  execFileSync('git', ['-c', 'gc.auto=0', ...args], { cwd: top, env: environment, stdio: 'ignore' });
}

const tracker = openFileTracker({ workingDir: top, runId: 'loop_BENCH', environment });
let last: string | undefined;

/** The time of a snapshot that must, or must not, differ from the one before. */
async function snapshotMs(isChange: boolean): Promise<number> {
  const before = last;
  const took = await milliseconds(async () => {
    const snapshot = await tracker.snapshot('bench');
    if ('error' in snapshot) throw new Error(snapshot.error);
    last = snapshot.tree;
  });
  if ((before !== last) !== isChange) throw new Error('the bench does not measure what it says');
  return took;
}

/** Interleaved, so that a busy moment of the machine hits both. The first two rounds warm up. */
async function besideStatus(take: (round: number) => Promise<number>) {
  const snapshots: number[] = [];
  const statuses: number[] = [];
  for (let round = -1; round <= ROUNDS; round++) {
    const snapshot = await take(round);
    const status = await milliseconds(() => git('status'));
    if (round < 1) continue;
    snapshots.push(snapshot);
    statuses.push(status);
  }
  const [snapshotMs, statusMs] = [median(snapshots), median(statuses)];
  return { snapshotMs, statusMs, ratio: snapshotMs / statusMs };
}

/** Until a command runs in the clean room, with one file as it was. */
async function roomMs(): Promise<number> {
  const putBack = [{ path: 'package-1/changed.ts', content: Buffer.from('// as it was\n') }];
  return milliseconds(async () => {
    const room = await openCleanRoom({ workTree: top, scratchDir: join(folder, 'rooms'), putBack, kind: 'overlay' });
    if ('unusable' in room) throw new Error(room.unusable);
    const { command, args, env } = room.wrap({ command: '/bin/sh', args: ['-c', ':'], cwd: top, env: environment });
    execFileSync(command, [...args], { cwd: '/', env: { ...env }, stdio: 'ignore' });
    await room.close();
  });
}

try {
  mkdirSync(top);
  makeTree();
  const cold = await snapshotMs(true);
  const nothing = await besideStatus(() => snapshotMs(false));
  const one = await besideStatus((round) => {
    writeFileSync(join(top, 'package-1', 'changed.ts'), `// ${round}\n`);
    return snapshotMs(true);
  });
  const rooms: number[] = [];
  for (let round = 0; round < ROUNDS; round++) rooms.push(await roomMs());
  report(`Tracking, ${FILES.toLocaleString('en-US')} files (git status ${nothing.statusMs.toFixed(0)} ms)`, [
    {
      what: 'a snapshot with nothing changed',
      figure: times(nothing.ratio),
      bound: '<= 0.8 x git status',
      holds: nothing.ratio <= 0.8,
    },
    {
      what: 'a snapshot with one file changed',
      figure: times(one.ratio),
      bound: '<= 1.3 x git status',
      holds: one.ratio <= 1.3,
    },
    { what: 'nothing changed', figure: `${nothing.snapshotMs.toFixed(0)} ms` },
    { what: 'one file changed', figure: `${one.snapshotMs.toFixed(0)} ms` },
    {
      what: 'a command in the clean room',
      figure: `${median(rooms).toFixed(0)} ms`,
      bound: '< 1 s',
      holds: median(rooms) < 1000,
    },
    { what: 'the first snapshot of the tree', figure: `${(cold / 1000).toFixed(1)} s` },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
