/** The usual names of tests: `a.test.ts`, `a_spec.rb`, `test_a.py`, `ATest.java`, or anything in a folder of tests. */
const IN_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|__snapshots__|e2e)\//i;
const BY_NAME =
  /(?:[._-](?:test|spec)s?\.[^/]+|(?:^|\/)(?:test|spec)_[^/]+|(?:^|\/)conftest\.py|(?:Tests?|Spec)\.[a-z]+)$/;

export function isTestFile(path: string): boolean {
  return IN_FOLDER.test(path) || BY_NAME.test(path);
}

/** Those paths that are tests, by their name. */
export function testFilesAmong(paths: readonly string[]): readonly string[] {
  return paths.filter(isTestFile);
}
