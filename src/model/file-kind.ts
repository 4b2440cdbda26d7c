/** What a changed file is, by its path. Only `code`, `test` and `settings` are work. */
export type FileKind = 'code' | 'test' | 'settings' | 'lock' | 'generated' | 'notes';

/** How many changed files there are of each kind. */
export type FileKinds = Readonly<Partial<Record<FileKind, number>>>;

const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|bun\.lockb|gradle\.lockfile|[^/]+\.lock)$/i;
const GENERATED =
  /(?:^|\/)(?:node_modules|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.cache|\.next|\.nuxt|\.turbo|coverage|\.nyc_output)\/|\.(?:pyc|pyo|class|o|obj|map|tsbuildinfo|min\.js|min\.css)$/i;
/** What an agent writes about its work, and what programs write about theirs. Never code, wherever it is. */
const NOTES =
  /\.log(?:\.\d+)?$|(?:^|\/)(?:open[-_]?)?questions?\.(?:md|txt)$|(?:^|\/)(?:logs?|notes?|todo|diary|scratch(?:pad)?)\/(?:[^/]+\/)*[^/]+\.(?:md|txt|rst|org|out)$|(?:^|\/)(?:notes?|todo|progress|journal|diary|(?:work|dev|session)[-_]?log|log[-_]?book|scratch(?:pad)?|memory|status|thoughts|handoff|handover|fix[-_]?plan)(?:[-_.][^/]*)?\.(?:md|txt|rst|org|json|ya?ml)$/i;
const SETTINGS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|cargo\.toml|go\.mod|makefile|cmakelists\.txt|requirements[^/]*\.txt|dockerfile|tsconfig[^/]*\.json|jest\.config\.[^/]+|vite(?:st)?\.config\.[^/]+|\.npmrc|\.env[^/]*)$|(?:^|\/)\.github\//i;

export function fileKind(path: string): FileKind {
  if (LOCK.test(path)) return 'lock';
  if (GENERATED.test(path)) return 'generated';
  if (isTestFile(path)) return 'test';
  if (SETTINGS.test(path)) return 'settings';
  return NOTES.test(path) ? 'notes' : 'code';
}

/** Whether a change of such a file is work, and not only a trace of it. */
export function isWork(kind: FileKind): boolean {
  return kind === 'code' || kind === 'test' || kind === 'settings';
}

export function countKinds(paths: Iterable<string>): FileKinds {
  const kinds: Partial<Record<FileKind, number>> = {};
  for (const path of paths) {
    const kind = fileKind(path);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** No kind is known, or one of them is work. */
export function hasWork(kinds: FileKinds | undefined): boolean {
  return kinds === undefined || Object.keys(kinds).some((kind) => isWork(kind as FileKind));
}

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

/** Modules of Python that tests load. */
const OF_PYTHON = new Set(
  (
    'array base64 bisect calendar collections configparser contextlib copy csv datetime decimal difflib email fractions ' +
    'functools glob gzip hashlib heapq html http inspect io ipaddress itertools json locale logging math mimetypes numbers ' +
    'operator os pathlib pickle platform plistlib pprint queue random re secrets select shelve shlex shutil signal socket ' +
    'sqlite3 statistics string struct subprocess sys tarfile tempfile textwrap threading time timeit tomllib traceback ' +
    'types typing unicodedata urllib uuid warnings weakref xml zipfile zlib zoneinfo'
  ).split(' '),
);

/** The module of Python that a file is found before: one of its name, in a folder that is often on the path. */
export function pythonModuleOf(path: string): string | undefined {
  const name = /^(?:(?:src|lib|tests?)\/)?(\w+)(?:\/__init__)?\.py$/.exec(path)?.[1];
  return name !== undefined && OF_PYTHON.has(name) ? name : undefined;
}
