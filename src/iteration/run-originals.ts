import { posix, relative } from 'node:path';
import { type BlindedLine, blindedLines, withBlindedLines } from '../clean-room/blinded-code.js';
import type { PutBack } from '../clean-room/room-files.js';
import { isTestCode, suiteFileOf } from '../clean-room/suite-files.js';
import { type AddedLine, addedLines } from '../observation/added-lines.js';
import { messageOf } from '../model/errors.js';
import type { Doubt, OriginalTests } from '../model/original-tests.js';
import { runnerFlags } from '../observation/runner-flags.js';
import { isTestFile } from '../model/file-kind.js';
import { allPassed, failingNames, type TestResults } from '../model/test-results.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import { controlRun } from './control-run.js';
import { MOST_BYTES, planRoom } from './plan-room.js';
import { type OriginalsRequest, runInRoom } from './run-in-room.js';

const NAMED_FILES = 50;

/** What the original tests show, with a run of the agent's own tests in the same place. */
export interface OriginalsChecked {
  readonly original: OriginalTests;
  readonly control?: TestResults | undefined;
}

/**
 * Runs the tests of the start over the work as it is now, in a clean room, where the agent changed tests or how they run.
 * Before that the agent's own tests have to pass in the same room, and tests that must fail, to fail. Never rejects.
 */
export async function runOriginals(request: OriginalsRequest): Promise<OriginalsChecked> {
  const startedAtMs = performance.now();
  const added = await addedSince(request);
  const flags = runnerFlags(added);
  const found = (original: OriginalTests, control?: TestResults): OriginalsChecked => ({
    original: { ...original, ...(flags.length === 0 ? {} : { flags }), durationMs: since(startedAtMs) },
    control,
  });
  try {
    const plan = await planRoom(request);
    if ('unusable' in plan) return found(plan);
    const { changed, files, mayChange } = plan;
    const named = {
      changed: changed.slice(0, NAMED_FILES),
      ...(mayChange ? { mayChange: true as const } : {}),
      ...(changed.length > NAMED_FILES ? { changedFiles: changed.length } : {}),
    };
    const isUnchanged = files.length === 0;
    const blinded = await blindedFiles(request, added);
    if (isUnchanged && !request.asked.isConfirmed && blinded.files.length === 0) return found(named);
    const control = await controlRun(request, plan.commands, isUnchanged);
    if (control !== undefined && 'unusable' in control) return found({ ...named, ...control });
    const isDoubtful = control?.doubt !== undefined && control.doubt.kind !== 'any value';
    if (isDoubtful || isUnchanged) {
      const { room, tests } = control ?? {};
      const doubt = control?.doubt ?? (await blindRun(request, [], blinded));
      return found({ ...named, ...(room && { room }), ...(doubt && { doubt }) }, tests);
    }
    const originals = await runInRoom(request, files);
    if ('unusable' in originals) return found({ ...named, ...originals }, control?.tests);
    const { tests, room } = originals;
    const touched = originals.touched.filter((path) => isTestCode(path) || isNamedIn(added, path));
    const confirming = control?.tests ?? (allPassed(tests) ? tests : undefined);
    const doubt = allPassed(tests) ? (control?.doubt ?? (await blindRun(request, files, blinded))) : undefined;
    const shown = { ...(touched.length === 0 ? {} : { touched }), ...(doubt && { doubt }) };
    return found({ ...named, tests, room, ...shown }, confirming);
  } catch (error) {
    return found({ changed: [], unusable: messageOf(error) });
  }
}

/** Tests may write their own data, such as a database. Nothing but an attack writes tests, or has the code name their data. */
function isNamedIn(added: readonly AddedLine[], path: string): boolean {
  const name = posix.basename(path);
  return added.some((line) => !isTestFile(line.path) && line.text.includes(name));
}

interface Blinded {
  readonly lines: readonly BlindedLine[];
  readonly files: readonly PutBack[];
}

/** Code as the agent left it, but for lines in which it learns of its tests. */
async function blindedFiles({ spec, history, asked }: OriginalsRequest, added: readonly AddedLine[]): Promise<Blinded> {
  const tests: string[] = [];
  const isRead = new Set<string>();
  const collect = (path: string) => {
    if (suiteFileOf(path) === 'test') tests.push(path);
    return isRead.has(path);
  };
  const none = { lines: [], files: [] };
  if ('error' in (await history.earlierFiles({ before: asked.now, mostBytes: MOST_BYTES }, collect))) return none;
  const lines = blindedLines(added, tests);
  if (lines.length === 0) return none;
  for (const { path } of lines) isRead.add(path);
  const found = await history.earlierFiles({ before: asked.now, mostBytes: MOST_BYTES }, collect);
  if ('error' in found) return none;
  const { top, workingDir } = findWorkTree(spec.workingDir);
  const files = found.flatMap(({ path, before }) => {
    if (before === undefined || before.isLink) return [];
    const ofFile = lines.filter((line) => line.path === path);
    const content = Buffer.from(withBlindedLines(before.content.toString('utf8'), ofFile));
    return [
      { path: posix.join(relative(top, workingDir), path), content, mode: before.isExecutable ? 0o100_755 : 0o100_644 },
    ];
  });
  return { lines, files };
}

const BLIND_RUN_MS = 60_000;

/** Whether tests that were red pass only as long as the code knows of them. A run that takes much longer shows nothing. */
async function blindRun(
  request: OriginalsRequest,
  files: readonly PutBack[],
  blinded: Blinded,
): Promise<Doubt | undefined> {
  if (blinded.files.length === 0) return undefined;
  const { harness, tests, asked } = request;
  const late = AbortSignal.timeout(Math.round(BLIND_RUN_MS + 3 * (tests.durationMs ?? 0)));
  const signal = harness.signal === undefined ? late : AbortSignal.any([harness.signal, late]);
  const limited = { ...request, harness: { ...harness, signal } };
  const blind = await runInRoom(limited, [...files, ...blinded.files], { kind: 'overlay' });
  if ('unusable' in blind || allPassed(blind.tests) || blind.tests.timedOut === true) return undefined;
  const passed = new Set(blind.tests.details.flatMap(({ name, status }) => (status === 'passed' ? [name] : [])));
  const failing = new Set(failingNames(blind.tests));
  const red = failingNames(asked.baseline ?? tests);
  // A file that cannot be loaded any more has no names of tests.
  const isGone = (name: string) => blind.tests.grade === 'named' && !passed.has(name);
  const again = red.filter((name) => failing.has(name) || isGone(name));
  if (again.length === 0) return undefined;
  // The room alone may be why.
  const plain = await runInRoom(limited, files, { kind: 'overlay' });
  if ('unusable' in plain || !allPassed(plain.tests)) return undefined;
  const lines = blinded.lines.map(({ path, line, what }) => `${path}:${line} ${what}`);
  return { kind: 'knows tests', tests: again, lines };
}

async function addedSince({ history, asked }: OriginalsRequest): Promise<readonly AddedLine[]> {
  const patch = await history.patch(asked.tree, asked.now);
  return 'error' in patch ? [] : addedLines(patch.toString('utf8'));
}

function since(startedAtMs: number): number {
  return Math.round(performance.now() - startedAtMs);
}
