import { randomBytes } from 'node:crypto';
import { posix, relative } from 'node:path';
import { nameOf, withTestsThatMustFail } from '../clean-room/must-fail.js';
import type { PutBack } from '../clean-room/room-files.js';
import { suiteFileOf } from '../clean-room/suite-files.js';
import type { OriginalTests } from '../model/original-tests.js';
import { allPassed, failingNames, isFailing, type TestResults, testsRan } from '../model/test-results.js';
import { findWorkTree } from '../observation/files/path-bytes.js';
import { MOST_BYTES } from './plan-room.js';
import { type InRoom, type OriginalsRequest, runInRoom, withEmptyTemporaryFolder } from './run-in-room.js';

const MOST_SEARCHED = 2000;

interface Unusable {
  readonly unusable: string;
}

type Control = Partial<Pick<InRoom, 'tests'>> & Pick<InRoom, 'room'> & Pick<OriginalTests, 'doubt'>;

const FAILS_IN_ROOM = 'the tests that the agent left pass in the working directory, but not in the clean room';

/**
 * The agent's own tests in the room. Where a test that must fail can be added, the same run shows whether tests can fail, and
 * whether they pass without what is in the temporary folder. Undefined when it shows nothing, and nothing else depends on the room.
 */
export async function controlRun(
  request: OriginalsRequest,
  commands: string,
  isOptional: boolean,
): Promise<Control | Unusable | undefined> {
  const id = `k${randomBytes(4).toString('hex')}`;
  const files = await filesThatMustFail(request, id, commands);
  if (files.length > 0) {
    const control = await withEmptyTemporaryFolder(request, async (empty) => {
      const run = await runInRoom(empty, files, { kind: isOptional ? 'overlay' : undefined, addedTests: nameOf(id) });
      return 'unusable' in run ? run : shownBy(run, { request, empty, files, id });
    });
    const isUnusable = control !== undefined && 'unusable' in control;
    if (control !== undefined && !(isOptional && isUnusable && control.unusable !== FAILS_IN_ROOM)) return control;
  }
  if (isOptional) return undefined;
  const plain = await runInRoom(request, []);
  if ('unusable' in plain || allPassed(plain.tests)) return plain;
  return { unusable: FAILS_IN_ROOM };
}

interface Shown {
  readonly request: OriginalsRequest;
  /** The same with an empty temporary folder. */
  readonly empty: OriginalsRequest;
  readonly files: readonly PutBack[];
  readonly id: string;
}

/** What a run with tests that must fail shows; undefined when it shows nothing. */
async function shownBy(
  { tests, room }: InRoom,
  { request, empty, files, id }: Shown,
): Promise<Control | Unusable | undefined> {
  const failing = failingNames(tests);
  const others = failing.filter((name) => !name.toLowerCase().includes(nameOf(id)));
  if (allPassed(tests)) return { tests, room, doubt: { kind: 'cannot fail' } };
  const isSeen = others.length < failing.length;
  if (isSeen && others.length === 0 && (tests.failed ?? 0) <= files.length) {
    const without = withoutThem(tests);
    // A runner may stop at the first failure. What it has not run is not confirmed.
    const isWhole = (testsRan(without) ?? 0) >= (testsRan(request.tests) ?? 0);
    return { room, ...(isWhole ? { tests: without } : {}) };
  }
  const red = new Set(failingNames(request.asked.baseline ?? request.tests));
  const again = others.filter((name) => red.has(name));
  if (!isSeen || again.length === 0) return undefined;
  const plain = await runInRoom(empty, []);
  if ('unusable' in plain) return plain;
  if (allPassed(plain.tests)) return { tests: plain.tests, room, doubt: { kind: 'old build', tests: again } };
  const left = failingNames(plain.tests).filter((name) => red.has(name));
  // Without the temporary folder as it is, something else may be missing, too.
  const usual = await runInRoom(request, []);
  if ('unusable' in usual) return usual;
  if (allPassed(usual.tests)) {
    const doubt = left.length === 0 ? {} : { doubt: { kind: 'temporary files', tests: left } as const };
    return { tests: usual.tests, room, ...doubt };
  }
  // Tests that were red at the start are red twice in the room: outside, something else may make them green.
  const isStillRed = failingNames(usual.tests).some((name) => red.has(name));
  return isStillRed ? { unusable: FAILS_IN_ROOM } : undefined;
}

/** What the run says without the tests that failed as they must. */
function withoutThem(tests: TestResults): TestResults {
  const { total, failed = 0, details } = tests;
  return {
    ...tests,
    exitCode: 0,
    failed: 0,
    ...(total === undefined ? {} : { total: total - failed }),
    details: details.filter((detail) => !isFailing(detail)),
  };
}

async function filesThatMustFail(
  { spec, history, asked, tests }: OriginalsRequest,
  id: string,
  commands: string,
): Promise<readonly PutBack[]> {
  const { top, workingDir } = findWorkTree(spec.workingDir);
  const framework = (asked.baseline ?? tests).framework ?? tests.framework;
  const red = failingNames(asked.baseline ?? tests);
  const all = [...(asked.baseline?.details ?? []), ...tests.details];
  const names = red.length > 0 ? red : all.map(({ name }) => name);
  if (framework === undefined || names.length === 0) return [];
  let files = 0;
  const wanted = (path: string) => {
    const isWanted = suiteFileOf(path) === 'test' || (framework === 'cargo' && path.endsWith('.rs'));
    return isWanted && ++files <= MOST_SEARCHED;
  };
  const found = await history.earlierFiles({ before: asked.now, mostBytes: MOST_BYTES }, wanted);
  if ('error' in found) return [];
  const texts = found.flatMap(({ path, before }) =>
    before === undefined || before.isLink ? [] : [{ path, text: before.content.toString('utf8') }],
  );
  return withTestsThatMustFail(texts, names, { framework, id, commands }).map(({ path, text }) => ({
    path: posix.join(relative(top, workingDir), path),
    content: Buffer.from(text),
  }));
}
