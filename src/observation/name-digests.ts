import { createHash } from 'node:crypto';
import { isFailing, type NameChanges, type SomeTests, type TestDetail, type TestNames } from '../model/test-results.js';

const DIGEST_BYTES = 6;
/** Larger suites are compared by number. */
export const MOST_NAMES = 100_000;
/** So many of the tests that differ are listed. */
const LISTED_NAMES = 20;
const LISTED_CHARACTERS = 200;

type Result = keyof TestNames;
const ORDER: readonly Result[] = ['passed', 'failed', 'skipped'];

function resultOf(detail: TestDetail): Result {
  if (isFailing(detail)) return 'failed';
  return detail.status === 'skipped' ? 'skipped' : 'passed';
}

/**
 * Each test by a digest of its file and its name. Tests that share both are numbered, those that passed first: which of
 * them is which does not matter, how many passed does.
 */
function digestsOf(details: readonly TestDetail[]): ReadonlyMap<string, TestDetail> {
  const seen = new Map<string, number>();
  const digests = new Map<string, TestDetail>();
  for (const result of ORDER) {
    for (const detail of details) {
      if (detail.isSuite === true || resultOf(detail) !== result) continue;
      const name = `${detail.file ?? ''}\0${detail.name}`;
      const number = (seen.get(name) ?? 0) + 1;
      seen.set(name, number);
      digests.set(digestOf(number === 1 ? name : `${name}\0${number}`), detail);
    }
  }
  return digests;
}

function digestOf(text: string): string {
  return createHash('sha1').update(text).digest().toString('latin1', 0, DIGEST_BYTES);
}

/** What later runs are compared with. Undefined when there are too many tests. */
export function namesOf(details: readonly TestDetail[]): TestNames | undefined {
  if (details.length > MOST_NAMES) return undefined;
  const digests = [...digestsOf(details)];
  const packed = ORDER.flatMap((result) => {
    const some = digests.filter(([, detail]) => resultOf(detail) === result).map(([digest]) => digest);
    return some.length === 0 ? [] : [[result, Buffer.from(some.sort().join(''), 'latin1').toString('base64')] as const];
  });
  return Object.fromEntries(packed);
}

function unpacked(digests: string | undefined): readonly string[] {
  const text = Buffer.from(digests ?? '', 'base64').toString('latin1');
  return Array.from({ length: text.length / DIGEST_BYTES }, (_, index) =>
    text.slice(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES),
  );
}

/** How tests differ by name from those of the start. The record of the start has the names of some of them. */
export function nameChanges(
  details: readonly TestDetail[],
  start: TestNames,
  startDetails: readonly TestDetail[],
): NameChanges | undefined {
  if (details.length > MOST_NAMES) return undefined;
  const now = digestsOf(details);
  const known = digestsOf(startDetails);
  const ran = [...unpacked(start.passed), ...unpacked(start.failed)];
  const before = new Set([...ran, ...unpacked(start.skipped)]);
  const missing = ran.filter((digest) => !now.has(digest));
  const skipped = ran.filter((digest) => now.get(digest)?.status === 'skipped');
  const added = [...now.keys()].filter((digest) => !before.has(digest));
  return {
    ...(missing.length === 0 ? {} : { missing: some(missing, known) }),
    ...(skipped.length === 0 ? {} : { skipped: some(skipped, now) }),
    ...(added.length === 0 ? {} : { added: some(added, now) }),
    digest: createHash('sha1')
      .update([...now.keys()].sort().join(''), 'latin1')
      .digest('hex')
      .slice(0, 12),
  };
}

function some(digests: readonly string[], known: ReadonlyMap<string, TestDetail>): SomeTests {
  const names = digests.flatMap((digest) => known.get(digest)?.name.slice(0, LISTED_CHARACTERS) ?? []);
  return { count: digests.length, names: names.sort().slice(0, LISTED_NAMES) };
}
