import { randomBytes } from 'node:crypto';
import { posix, relative } from 'node:path';
import { nameOf, OTHER, withTestsThatMustFail } from '../clean-room/must-fail.js';
import type { PutBack } from '../clean-room/room-files.js';
import { suiteFileOf } from '../clean-room/suite-files.js';
import type { OriginalTests } from '../model/original-tests.js';
import { allPassed, failingNames, isFailing, type TestResults, testsRan } from '../model/test-results.js';
import { findWorkTree } from '../observation/files/work-tree.js';
import { MOST_BYTES } from './plan-room.js';
import { type InRoom, type OriginalsRequest, runInRoom, withoutLeftFiles } from './run-in-room.js';

const MOST_SEARCHED = 2000;

interface Unusable {
  readonly unusable: string;
}

type Control = Partial<Pick<InRoom, 'tests'>> & Pick<InRoom, 'room'> & Pick<OriginalTests, 'doubt'>;

const FAILS_IN_ROOM = 'the tests that the agent left pass in the working directory, but not in the clean room';

/**
 * The agent's own tests in the room. Where a test that must fail can be added, the same run shows whether tests can fail, and
 * whether they pass without what was left in the temporary folder and the home folder. Undefined when it shows nothing.
 */
export async function controlRun(
  request: OriginalsRequest,
  commands: string,
  isOptional: boolean,
): Promise<Control | Unusable | undefined> {
  const id = `k${randomBytes(4).toString('hex')}`;
  const planted = await plant(request, id, commands);
  const { files } = planted;
  if (files.length > 0) {
    const control = await withoutLeftFiles(request, async (empty) => {
      const run = await runInRoom(empty, files, { kind: isOptional ? 'overlay' : undefined, addedTests: nameOf(id) });
      return 'unusable' in run ? run : shownBy(run, { request, empty, planted });
    });
    const isUnusable = control !== undefined && 'unusable' in control;
    if (control !== undefined && !(isOptional && isUnusable && control.unusable !== FAILS_IN_ROOM)) return control;
  }
  // Where the original tests pass, they are the second run.
  return isOptional || files.length > 0 ? undefined : plainControl(request);
}

/** The agent's own tests as they are. */
export async function plainControl(request: OriginalsRequest): Promise<InRoom | Unusable> {
  const plain = await runInRoom(request, []);
  if ('unusable' in plain || allPassed(plain.tests)) return plain;
  return { unusable: FAILS_IN_ROOM };
}

interface Shown {
  readonly request: OriginalsRequest;
  /** The same without what was left in the temporary folder and the home folder. */
  readonly empty: OriginalsRequest;
  readonly planted: Planted;
}

/** Tests that must fail. */
interface Planted {
  readonly files: readonly PutBack[];
  readonly added: number;
  /** The tests of which there are copies that expect other values. */
  readonly copied: readonly string[];
  readonly id: string;
}

/** What a run with tests that must fail shows; undefined when it shows nothing. */
async function shownBy(
  { tests, room }: InRoom,
  { request, empty, planted }: Shown,
): Promise<Control | Unusable | undefined> {
  const failing = failingNames(tests);
  const others = failing.filter((name) => !name.toLowerCase().includes(nameOf(planted.id)));
  if (allPassed(tests)) return { tests, room, doubt: { kind: 'cannot fail' } };
  const isSeen = others.length < failing.length;
  if (isSeen && others.length === 0 && (tests.failed ?? 0) <= planted.added) {
    const doubt = greenDoubt(tests, request.tests, planted);
    if (doubt !== undefined) return { room, doubt };
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

/** Some of the tests that must fail ran and did not. Of a runner that names only what fails, all tests have to be counted. */
function greenDoubt(
  tests: TestResults,
  before: TestResults,
  { added, copied, id }: Planted,
): OriginalTests['doubt'] | undefined {
  const failing = failingNames(tests);
  const passed = tests.details.flatMap(({ name, status }) => (status === 'passed' ? [name] : []));
  const isWhole = (testsRan(tests) ?? 0) >= (testsRan(before) ?? 0) + added && (tests.failed ?? 0) < added;
  const isGreen = (name: string) => {
    const isReported = (one: string) => isCopy(one, name, id);
    return passed.some(isReported) || (isWhole && !failing.some(isReported));
  };
  const green = copied.filter(isGreen);
  if (green.length > 0) return { kind: 'any value', tests: green };
  return isWhole ? { kind: 'cannot fail' } : undefined;
}

function isCopy(reported: string, name: string, id: string): boolean {
  const end = `${nameOf(id)}${OTHER}`;
  return [`${name} ${end}`, `${name}_${end}`].some((copy) => reported.includes(copy));
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

async function plant(
  { spec, history, asked, tests }: OriginalsRequest,
  id: string,
  commands: string,
): Promise<Planted> {
  const none = { files: [], added: 0, copied: [], id };
  const { top, workingDir } = findWorkTree(spec.workingDir);
  const framework = (asked.baseline ?? tests).framework ?? tests.framework;
  const red = failingNames(asked.baseline ?? tests);
  const details = [...(asked.baseline?.details ?? []), ...tests.details];
  const names = red.length > 0 ? red : details.map(({ name }) => name);
  if (framework === undefined || names.length === 0) return none;
  let files = 0;
  const wanted = (path: string) => {
    const isWanted = suiteFileOf(path) === 'test' || (framework === 'cargo' && path.endsWith('.rs'));
    return isWanted && ++files <= MOST_SEARCHED;
  };
  const found = await history.earlierFiles({ before: asked.now, mostBytes: MOST_BYTES }, wanted);
  if ('error' in found) return none;
  const texts = found.flatMap(({ path, before }) =>
    before === undefined || before.isLink ? [] : [{ path, text: before.content.toString('utf8') }],
  );
  const all = withTestsThatMustFail(texts, names, { framework, id, commands });
  const changed = all.map(({ path, text }) => ({
    path: posix.join(relative(top, workingDir), path),
    content: Buffer.from(text),
  }));
  const copied = all.flatMap((file) => file.copied);
  return { files: changed, added: changed.length + copied.length, copied, id };
}
