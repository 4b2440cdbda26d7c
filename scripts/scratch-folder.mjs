import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** More than all tests have on disk at one time. */
const ENOUGH_BYTES = 4e9;

/** A new folder for the files of the tests: in memory, where making and removing them costs least, unless TMPDIR names a place. */
export function makeScratchFolder() {
  if (!process.env.TMPDIR && hasRoom(IN_MEMORY)) {
    const folder = makeIn(IN_MEMORY);
    if (canStartFrom(folder)) return folder;
    rmSync(folder, { recursive: true });
  }
  return makeIn(tmpdir());
}

/** Open to every user, as the place for such files is: some tests run a program as another one. */
function makeIn(place) {
  const folder = mkdtempSync(join(place, 'pawl-'));
  chmodSync(folder, 0o1777);
  return folder;
}

function hasRoom(place) {
  if (!existsSync(place)) return false;
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** Some systems allow no programs there. */
function canStartFrom(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
