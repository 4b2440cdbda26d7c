import { posix } from 'node:path';
import type { SourceText } from '../clean-room/files-of-tests.js';
import { judgesIn, judgingLines } from '../clean-room/judging-code.js';
import { isTestCode } from '../clean-room/suite-files.js';
import { messageOf } from '../model/errors.js';
import { isTestFile } from '../model/file-kind.js';
import type { Flag, OriginalTests } from '../model/original-tests.js';
import { allPassed, type TestResults } from '../model/test-results.js';
import { type AddedLine, addedLines } from '../observation/added-lines.js';
import type { EarlierTree } from '../observation/files/earlier-files.js';
import { runnerFlags } from '../observation/runner-flags.js';
import { blindedFiles, blindRun, runBlinded, shownBlind } from './blind-run.js';
import { controlRun, plainControl } from './control-run.js';
import { MOST_BYTES, planRoom } from './plan-room.js';
import { type OriginalsRequest, runInRoom } from './run-in-room.js';
import { textOf } from './tests-only.js';

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
  const flags = [...runnerFlags(added), ...(await judgesAmong(request))];
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
      const doubt = control?.doubt ?? (await blindRun(request, blinded, tests));
      return found({ ...named, ...(room && { room }), ...(doubt && { doubt }) }, tests);
    }
    const blind = await runBlinded(request, files, blinded);
    const originals = blind !== undefined && allPassed(blind.tests) ? blind : await runInRoom(request, files);
    if ('unusable' in originals) return found({ ...named, ...originals }, control?.tests);
    const { tests, room } = originals;
    const isGreen = allPassed(tests);
    const plain = control === undefined && !isGreen ? await plainControl(request) : undefined;
    if (plain !== undefined && 'unusable' in plain) return found({ ...named, ...plain });
    const touched = originals.touched.filter((path) => isTestCode(path) || isNamedIn(added, path));
    const confirming = control?.tests ?? plain?.tests ?? (isGreen ? tests : undefined);
    const doubt = isGreen ? (control?.doubt ?? shownBlind(blind, request, blinded)) : undefined;
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

async function addedSince({ history, asked }: OriginalsRequest): Promise<readonly AddedLine[]> {
  const patch = await history.patch(asked.tree, asked.now);
  return 'error' in patch ? [] : addedLines(patch.toString('utf8'));
}

/** Changed code that the tests of the start ask whether a result is right. */
async function judgesAmong({ history, asked }: OriginalsRequest): Promise<readonly Flag[]> {
  const texts = async (trees: EarlierTree, isWanted: (path: string) => boolean): Promise<readonly SourceText[]> => {
    const found = await history.earlierFiles(trees, isWanted);
    return 'error' in found ? [] : found.map((file) => ({ path: file.path, text: textOf(file) }));
  };
  const isSource = (path: string) => !isTestFile(path);
  const now = await texts({ before: asked.now, after: asked.tree, mostBytes: MOST_BYTES }, isSource);
  const words = now.flatMap((source) => [...judgesIn(source).keys()]);
  if (words.length === 0) return [];
  const start = await texts({ before: asked.tree, after: asked.now, mostBytes: MOST_BYTES }, isSource);
  const tests = await texts({ before: asked.tree, mostBytes: MOST_BYTES, mentioning: words }, isTestFile);
  const originals = new Map(start.map(({ path, text }) => [path, text]));
  return judgingLines(
    now.map((source) => ({ ...source, original: originals.get(source.path) ?? '' })),
    tests,
  );
}

function since(startedAtMs: number): number {
  return Math.round(performance.now() - startedAtMs);
}
