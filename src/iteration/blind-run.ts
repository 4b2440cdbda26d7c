import { posix, relative } from 'node:path';
import { type BlindedLine, blindedLines, SWITCHED_OFF, withBlindedLines } from '../clean-room/blinded-code.js';
import type { PutBack } from '../clean-room/room-files.js';
import { canHoldTests, isTestIn, withEarlierTests } from '../clean-room/source-tests.js';
import { suiteFileOf } from '../clean-room/suite-files.js';
import type { Doubt } from '../model/original-tests.js';
import { allPassed, failingNames, type TestResults, testsRan } from '../model/test-results.js';
import type { AddedLine } from '../observation/added-lines.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import { plainControl } from './control-run.js';
import { MOST_BYTES } from './plan-room.js';
import { type InRoom, type OriginalsRequest, runInRoom } from './run-in-room.js';

export interface Blinded {
  /** What was changed, and where. */
  readonly lines: readonly Pick<BlindedLine, 'path' | 'line' | 'what'>[];
  readonly files: readonly PutBack[];
}

/** Code as the agent left it, but for lines in which it learns of its tests, and with the tests that it contained at the start. */
export async function blindedFiles(
  { spec, history, asked, tests: result }: OriginalsRequest,
  added: readonly AddedLine[],
): Promise<Blinded> {
  const tests: string[] = [];
  const isRead = new Set<string>();
  const red = failingNames(asked.baseline ?? result);
  const collect = (path: string) => {
    if (suiteFileOf(path) === 'test') tests.push(path);
    return isRead.has(path);
  };
  const none = { lines: [], files: [] };
  if ('error' in (await history.earlierFiles({ before: asked.now, mostBytes: MOST_BYTES }, collect))) return none;
  const lines = blindedLines(added, tests);
  const earlier = await earlierSources(history, asked);
  for (const path of [...lines.map((line) => line.path), ...earlier.keys()]) isRead.add(path);
  if (isRead.size === 0) return none;
  const found = await history.earlierFiles({ before: asked.now, mostBytes: MOST_BYTES }, collect);
  if ('error' in found) return none;
  const { top, workingDir } = findWorkTree(spec.workingDir);
  const changed = found.flatMap(({ path, before }) => {
    if (before === undefined || before.isLink) return [];
    const text = before.content.toString('utf8');
    const original = earlier.get(path);
    const isLoading = original !== undefined && LOADING.test(path) && result.framework === 'vitest';
    const holdsRed = original !== undefined && red.some((name) => isTestIn(name, path, original));
    const withTests = isLoading ? original : holdsRed ? withEarlierTests(path, original, text) : undefined;
    const why = isLoading ? LEADS : OWN_TESTS;
    // A new file was in no check that could be switched off.
    const isNew = original === undefined && canHoldTests(path);
    const ofFile = lines.filter((line) => line.path === path && !(isNew && line.what === SWITCHED_OFF));
    const line = withTests === undefined ? [] : [{ path, line: firstDifference(text, withTests), what: why }];
    const content = withTests ?? withBlindedLines(text, ofFile);
    if (content === text) return [];
    const mode = before.isExecutable ? 0o100_755 : 0o100_644;
    const file = { path: posix.join(relative(top, workingDir), path), content: Buffer.from(content), mode };
    return [{ file, lines: withTests === undefined ? ofFile : line }];
  });
  return { lines: changed.flatMap((one) => one.lines), files: changed.map(({ file }) => file) };
}

/** Vite reads them as well: what they lead names to is what the tests load. */
const LOADING = /(?:^|\/)vite\.config\.\w+$/;
const LEADS = 'changes what the tests load';
const OWN_TESTS = 'changes a test in a source file';

/** The source files of the start that have changed and that may contain tests. */
async function earlierSources(
  history: OriginalsRequest['history'],
  asked: OriginalsRequest['asked'],
): Promise<ReadonlyMap<string, string>> {
  const trees = { before: asked.tree, after: asked.now, mostBytes: MOST_BYTES };
  const isWanted = (path: string) => (canHoldTests(path) && suiteFileOf(path) === undefined) || LOADING.test(path);
  const found = await history.earlierFiles(trees, isWanted);
  const files = 'error' in found ? [] : found;
  return new Map(
    files.flatMap(({ path, before }) =>
      before === undefined || before.isLink ? [] : [[path, before.content.toString('utf8')] as const],
    ),
  );
}

/** The line of now that is the first to be another one. */
function firstDifference(now: string, earlier: string): number {
  const lines = earlier.split('\n');
  return now.split('\n').findIndex((line, at) => line !== lines[at]) + 1;
}

const BLIND_RUN_MS = 60_000;

/** The tests with blinded code; undefined where it cannot be run. A run that takes much longer shows nothing. */
export async function runBlinded(
  request: OriginalsRequest,
  files: readonly PutBack[],
  blinded: Blinded,
): Promise<InRoom | undefined> {
  const others = blinded.files.filter(({ path }) => !files.some((file) => file.path === path));
  if (others.length === 0) return undefined;
  const { harness, tests } = request;
  const late = AbortSignal.timeout(Math.round(BLIND_RUN_MS + 3 * (tests.durationMs ?? 0)));
  const signal = harness.signal === undefined ? late : AbortSignal.any([harness.signal, late]);
  const blind = await runInRoom({ ...request, harness: { ...harness, signal } }, [...files, ...others]);
  return 'unusable' in blind ? undefined : blind;
}

/** The same where no tests were put back. `control` has passed in the same room. */
export async function blindRun(
  request: OriginalsRequest,
  blinded: Blinded,
  control: TestResults | undefined,
): Promise<Doubt | undefined> {
  const doubt = shownBlind(await runBlinded(request, [], blinded), request, blinded);
  if (doubt === undefined || control !== undefined) return doubt;
  // The room alone may be why.
  const plain = await plainControl(request);
  return 'unusable' in plain ? undefined : doubt;
}

/** Whether tests that were red pass only as long as the code knows of them. */
export function shownBlind(
  blind: InRoom | undefined,
  { tests, asked }: OriginalsRequest,
  blinded: Blinded,
): Doubt | undefined {
  if (blind === undefined || allPassed(blind.tests) || blind.tests.timedOut === true) return undefined;
  const passed = new Set(blind.tests.details.flatMap(({ name, status }) => (status === 'passed' ? [name] : [])));
  const failing = new Set(failingNames(blind.tests));
  const red = failingNames(asked.baseline ?? tests);
  // A file that cannot be loaded any more has no names of tests. Code may be right to need a new name to load it by.
  const isLoaded = blinded.lines.some(({ what }) => what === LEADS);
  const isGone = (name: string) => !isLoaded && blind.tests.grade === 'named' && !passed.has(name);
  const again = red.filter((name) => failing.has(name) || isGone(name));
  // A check that goes first and fails leaves no tests: at the start as well.
  const isStopped = (one: TestResults | undefined) => one !== undefined && (testsRan(one) ?? 0) === 0;
  const neverRan = isStopped(asked.baseline) && isStopped(blind.tests);
  const isOff = neverRan && blinded.lines.some(({ what }) => what === SWITCHED_OFF);
  if (again.length === 0 && !isOff) return undefined;
  const lines = blinded.lines.map(({ path, line, what }) => `${path}:${line} ${what}`);
  return { kind: 'knows tests', tests: again, lines };
}
