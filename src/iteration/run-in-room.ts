import { mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openCleanRoom } from '../clean-room/clean-room.js';
import type { PutBack } from '../clean-room/room-files.js';
import type { TestResults } from '../model/test-results.js';
import { makeStateFolder } from '../observation/files/shadow-repository.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import type { Harness } from '../observation/harness.js';
import { earlierHome } from './earlier-home.js';
import type { RoomRequest } from './plan-room.js';

export interface OriginalsRequest extends RoomRequest {
  /** The result that is checked. */
  readonly tests: TestResults;
  /** Variables that the tests get in place of those of the run. */
  readonly changedEnvironment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Runs the tests once. */
  readonly runTests: (harness: Harness) => Promise<TestResults | undefined>;
}

export interface InRoom {
  readonly tests: TestResults;
  readonly room: 'overlay' | 'copy';
  /** Files that were put back, and that the tests wrote. */
  readonly touched: readonly string[];
}

/** Runs the tests once in a clean room, with these files in place of those that are there. */
export async function runInRoom(
  { spec, harness, changedEnvironment, runTests }: OriginalsRequest,
  files: readonly PutBack[],
  { kind, addedTests }: { readonly kind?: 'overlay' | undefined; readonly addedTests?: string } = {},
): Promise<InRoom | { readonly unusable: string }> {
  const { top, workingDir } = findWorkTree(spec.workingDir);
  const scratchDir = join(makeStateFolder(harness.environment), 'rooms');
  const room = await openCleanRoom({ workTree: top, putBack: files, scratchDir, kind, signal: harness.signal });
  if ('unusable' in room) return room;
  try {
    let ended: { readonly exitCode?: number | undefined; readonly output: string } | undefined;
    const tests = await runTests({
      ...harness,
      environment: { ...harness.environment, ...changedEnvironment },
      room: {
        wrap: (command) => room.wrap(command),
        addedTests,
        writtenDir: join(room.writtenDir, relative(top, workingDir)),
        onEnded: (outcome) => void (ended = outcome),
      },
    });
    if (tests === undefined || ended === undefined) return { unusable: 'the check was cut short' };
    const { problem, touched } = await room.inspect(ended);
    return problem === undefined ? { tests, room: room.kind, touched } : { unusable: problem };
  } finally {
    await room.close();
  }
}

/**
 * With a temporary folder for the tests in which nothing is, and a home folder without the few files that were made in it since
 * the run started: what the agent or its code left there is not in them.
 */
export async function withoutLeftFiles<T>(
  request: OriginalsRequest,
  perform: (empty: OriginalsRequest) => Promise<T>,
): Promise<T> {
  const { harness, spec, asked } = request;
  const { environment } = harness;
  const temporary = environment['TMPDIR'] || '/tmp';
  const folder = await mkdtemp(join(temporary, 'pawl-tmp-')).catch(() => undefined);
  const home = await mkdtemp(join(temporary, 'pawl-home-')).catch(() => undefined);
  if (folder === undefined || home === undefined) return perform(request);
  const names = ['TMPDIR', ...['TMP', 'TEMP'].filter((name) => environment[name] !== undefined)];
  const { top } = findWorkTree(spec.workingDir);
  try {
    const changed = {
      ...Object.fromEntries(names.map((name) => [name, folder])),
      ...(await earlierHome({
        environment,
        folder: home,
        startedAtMs: asked.startedAtMs ?? Number.POSITIVE_INFINITY,
        without: [top, temporary, makeStateFolder(environment)],
      })),
    };
    return await perform({ ...request, changedEnvironment: changed });
  } finally {
    // Of the home folder only links are removed.
    await Promise.all([folder, home].map((path) => rm(path, { recursive: true, force: true }).catch(() => undefined)));
  }
}
