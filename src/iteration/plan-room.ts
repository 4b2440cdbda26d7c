import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import picomatch from 'picomatch';
import { isUpgraded } from '../clean-room/installed-packages.js';
import { MANIFESTS, putBack, reachedCommands } from '../clean-room/put-back.js';
import type { PutBack } from '../clean-room/room-files.js';
import {
  changedSuiteFiles,
  hasBuildOfTests,
  hasOtherLock,
  isTestCode,
  suiteFileOf,
  type TreeChanges,
} from '../clean-room/suite-files.js';
import { sourcedFiles } from '../clean-room/files-of-tests.js';
import { canShadow, possibleShadows, shadowedModules } from '../clean-room/shadowed-modules.js';
import { putNamesBack } from '../clean-room/moved-names.js';
import type { OriginalTests } from '../model/original-tests.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import type { EarlierFile } from '../observation/files/earlier-files.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import type { Harness } from '../observation/harness.js';
import { keptFiles } from './kept-files.js';
import { type OnlyForTests, onlyForTests, textOf } from './tests-only.js';
import type { TreeWatch } from './tree-watch.js';

export const MOST_BYTES = 1024 * 1024;
/** Before that no agent has written anything; what was written just before the start may seem to be as late. */
const START_MS = 5;
/** More files that were written and are as before come from a checkout. */
const MOST_RESTORED = 2000;
const MOST_LOCK_BYTES = 8 * MOST_BYTES;

type History = TreeWatch['history'];

export interface OriginalsAsked {
  /** The tree of the start, or the one that a person has accepted since. */
  readonly tree: string;
  readonly now: string;
  readonly kept: Readonly<Record<string, string>>;
  /** The tests of the start. */
  readonly baseline?: TestResults | undefined;
  /** When the run started. */
  readonly startedAtMs?: number | undefined;
  /** Whether the goal has to be confirmed by another run of the tests. */
  readonly isConfirmed: boolean;
  /** What a check of the same tree has shown. */
  readonly known?: OriginalTests | undefined;
}

export interface RoomRequest {
  readonly spec: RunSpec;
  readonly harness: Harness;
  readonly history: History;
  readonly asked: OriginalsAsked;
  /** When the tests began whose result is checked. */
  readonly testsSinceMs: number;
}

interface RoomPlan {
  readonly changed: readonly string[];
  readonly files: readonly PutBack[];
  /** Tests changed that the user lets change. */
  readonly mayChange: boolean;
  /** The test command, with the commands that it reached at the start. */
  readonly commands: string;
}

type Unusable = Pick<OriginalTests, 'changed'> & { readonly unusable: string };

class Unreadable extends Error {}

/** The files of the clean room that differ from the working directory: tests, and what says how they run. */
export async function planRoom(request: RoomRequest): Promise<RoomPlan | Unusable> {
  try {
    return await planned(request);
  } catch (error) {
    if (error instanceof Unreadable) return { changed: [], unusable: error.message };
    throw error;
  }
}

async function planned({ spec, harness, history, asked, testsSinceMs }: RoomRequest): Promise<RoomPlan | Unusable> {
  const { top, workingDir } = findWorkTree(spec.workingDir);
  const { testsMayChange = [] } = spec;
  const mayChange = testsMayChange.length === 0 ? () => false : picomatch([...testsMayChange], { dot: true });
  const changes = await history.changes(asked.tree, asked.now);
  if ('error' in changes) throw new Unreadable(changes.error);
  const trees = { before: asked.tree, after: asked.now, mostBytes: MOST_BYTES };
  const start = await read(history, { before: asked.tree, mostBytes: MOST_LOCK_BYTES }, isReadAtStart);
  const commands = commandsOf(start, spec.tests?.command ?? '');
  const allChanged = changedSuiteFiles(changes, commands);
  const suite = allChanged.filter(
    ({ path, change }) => !mayChange(path) && !(change === 'created' && hasBuildOfTests(changes, path)),
  );
  const relevant = new Set(suite.map(({ path }) => path));
  const others = [...changes.modified, ...changes.deleted].filter((path) => !mayChange(path));
  const ofTests = await onlyForTests(new Set(others), {
    trees,
    workingDir,
    read: (wanted, isWanted) => read(history, wanted, isWanted),
    kindOf: (path) => suiteFileOf(path, commands),
    tests: asked.baseline?.details.map(({ name }) => name) ?? [],
  });
  const isCompared = (path: string) =>
    !relevant.has(path) && !mayChange(path) && suiteFileOf(path, commands) !== undefined;
  const swapped = await writtenSince({ history, asked, testsSinceMs }, workingDir, isCompared);
  const whole = new Set([...swapped, ...ofTests.files]);
  // What the tests write themselves is no change of the agent's.
  const isInstalled = await installsOf(start, changes, workingDir);
  const kept = await keptFiles(workingDir, harness.environment, history, asked, isInstalled);
  const ignored = kept.filter(
    ({ path }) => suiteFileOf(path) === 'settings' || writtenAtMs(join(workingDir, path)) < testsSinceMs,
  );
  const leading = new Set(ofTests.names.map(({ path }) => path));
  const earlier = await read(history, trees, (path) => relevant.has(path) || leading.has(path));
  // In place of the modules that the tests used, go takes the copies in a vendor folder.
  const vendor: readonly EarlierFile[] = changes.created.includes('vendor/modules.txt') ? [{ path: 'vendor' }] : [];
  const changedIgnored = ignored.filter(({ path }) => !mayChange(path) && !relevant.has(path));
  const shadows = await shadowsIn(
    changes.created.filter((path) => !mayChange(path)),
    { history, asked },
  );
  const files = [...earlier, ...whole, ...vendor, ...shadows, ...changedIgnored];
  const unkept = files.find(({ isTooLarge }) => isTooLarge);
  if (unkept !== undefined) return { changed: [unkept.path], unusable: unkeptText(unkept.path) };
  const folder = relative(top, workingDir);
  const isPart = (path: string) => leading.has(path) || suiteFileOf(path, commands) !== undefined;
  const contents = files.map(async (file) => {
    const isWhole = whole.has(file) || !isPart(file.path);
    const content = isWhole ? wholeFile(file) : await contentInRoom(workingDir, file, commands, ofTests.names);
    return content === undefined ? [] : [{ path: file.path, content }];
  });
  const differing = (await Promise.all(contents)).flat();
  return {
    changed: differing.map(({ path }) => path).sort(),
    files: differing.map(({ path, content }) => ({ ...content, path: posix.join(folder, path) })),
    mayChange: allChanged.some(({ path }) => mayChange(path)),
    commands,
  };
}

/**
 * Files that are as at the start, and that were written since. A process that the agent left behind may swap a test while the
 * tests run, and put it back. So may the agent: what was compiled or cached in between is another test.
 */
function writtenSince(
  { history, asked, testsSinceMs }: Pick<RoomRequest, 'history' | 'asked' | 'testsSinceMs'>,
  workingDir: string,
  isCompared: (path: string) => boolean,
): Promise<readonly EarlierFile[]> {
  let restored = 0;
  return read(history, { before: asked.tree, mostBytes: MOST_BYTES }, (path) => {
    if (!isCompared(path)) return false;
    const writtenMs = writtenAtMs(join(workingDir, path));
    const isRestored = isTestCode(path) && writtenMs >= (asked.startedAtMs ?? Number.POSITIVE_INFINITY) + START_MS;
    if (isRestored) restored += 1;
    return writtenMs >= testsSinceMs || (isRestored && restored <= MOST_RESTORED);
  });
}

/** New modules and headers in the place of those that the tests ran with. */
async function shadowsIn(
  created: readonly string[],
  { history, asked }: Pick<RoomRequest, 'history' | 'asked'>,
): Promise<readonly EarlierFile[]> {
  const shadows = possibleShadows(created).filter((path) => suiteFileOf(path) === undefined);
  if (shadows.length === 0) return [];
  const textsIn = async (tree: string, isTest: boolean) => {
    const isWanted = (path: string) => canShadow(path) && (suiteFileOf(path) === 'test') === isTest;
    const found = await read(history, { before: tree, mostBytes: MOST_BYTES }, isWanted);
    return found.map((file) => ({ path: file.path, text: textOf(file) }));
  };
  const ran = asked.baseline?.details.map(({ name }) => name) ?? [];
  const [tests, code] = [await textsIn(asked.tree, true), await textsIn(asked.now, false)];
  return shadowedModules(shadows, { tests, ran, code }).map((path) => ({ path }));
}

function unkeptText(path: string): string {
  return path.endsWith('/')
    ? `${path} was changed in place, and Pawl keeps no packages: install it again`
    : `${path} was changed, and Pawl does not keep files of that size`;
}

async function read(
  history: History,
  trees: Parameters<History['earlierFiles']>[0],
  isWanted: (path: string) => boolean,
) {
  const found = await history.earlierFiles(trees, isWanted);
  if ('error' in found) throw new Unreadable(found.error);
  return found;
}

const LOCK = 'package-lock.json';

function isReadAtStart(path: string): boolean {
  return MANIFESTS.includes(path) || path === LOCK || /\.(?:ba|z)?sh$/.test(path);
}

/** The test command, with the commands that it reached at the start. */
function commandsOf(start: readonly EarlierFile[], command: string): string {
  const manifests = start.filter(({ path }) => MANIFESTS.includes(path));
  const reached = manifests.flatMap(({ path, before }) => reachedCommands(path, textOf({ before }), command));
  const commands = [command, ...reached].join('\n');
  const scripts = start.filter(({ path }) => path.endsWith('sh') && suiteFileOf(path, commands) !== undefined);
  return [commands, ...scripts.flatMap(({ before }) => sourcedFiles(textOf({ before })))].join('\n');
}

/** Which packages in node_modules a package manager has replaced. Of other lock files than npm's only that they changed is known. */
async function installsOf(
  start: readonly EarlierFile[],
  changes: TreeChanges,
  workingDir: string,
): Promise<(name: string) => boolean> {
  const both = async (name: string) => {
    const before = start.find(({ path }) => path === name)?.before;
    const now = await readFile(join(workingDir, name), 'utf8').catch(() => undefined);
    return { before: before === undefined ? undefined : textOf({ before }), now };
  };
  const [lock, manifest] = [await both(LOCK), await both('package.json')];
  const isOther = hasOtherLock(changes);
  return (name) => isOther || isUpgraded(name, lock, manifest);
}

/** The time of the last change of any kind, which no program can set back. */
function writtenAtMs(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

function wholeFile({ before }: EarlierFile): Omit<PutBack, 'path'> {
  if (before === undefined) return { content: undefined };
  return { content: before.content, mode: before.isLink ? 0o120_000 : before.isExecutable ? 0o100_755 : 0o100_644 };
}

/** Undefined where the file stays as the agent left it. */
async function contentInRoom(
  workingDir: string,
  { path, before }: EarlierFile,
  command: string,
  names: OnlyForTests['names'],
): Promise<Omit<PutBack, 'path'> | undefined> {
  if (before?.isLink === true) return wholeFile({ path, before });
  const now = await readFile(join(workingDir, path), 'utf8').catch(() => undefined);
  const original = before?.content.toString('utf8');
  const back = putBack(path, original, now, command);
  const moved = names.filter((name) => name.path === path);
  const text = moved.length === 0 ? back?.content : putNamesBack(original ?? '', back?.content ?? now ?? '', moved);
  if (back === undefined && moved.length === 0) return undefined;
  const content = text === undefined ? undefined : text === original ? before?.content : Buffer.from(text);
  return { content, mode: before?.isExecutable === true ? 0o100_755 : 0o100_644 };
}
