import { commandFiles, programsIn } from './command-words.js';

/**
 * What a file is for the tests. Files that are only tests, only settings or part of a runner are put back whole, and of a
 * `mixed` file only what says how tests run.
 */
export type SuiteFile = 'test' | 'settings' | 'mixed' | 'runner';

export const MOST_PATH_CHARACTERS = 4096;
/** Programs write these again when they are needed. */
const WRITTEN =
  /(?:^|\/)(?:__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.nyc_output)\/|^\.git\/|\.(?:log|tmp|pid|pyc|pyo|class|o|obj|swp)$/;
const FIXTURE =
  /(?:^|\/)(?:__fixtures__|fixtures?|test[-_]?fixtures?|test[-_]?data|__snapshots__|goldens?|golden[-_]files|expected(?:[-_](?:output|results?))?)\//i;

const CODE =
  '(?:[cm]?[jt]sx?|vue|svelte|py|go|rb|php|java|kts?|scala|groovy|cs|fs|vb|swift|mm?|cc?|cpp|cxx|exs?|erl|dart|lua|jl|r|pl|clj[cs]?|hs|mli?|zig|nim|sh)';
const TEST_FOLDER =
  /(?:^|\/)(?:(?:(?:unit|integration|functional|acceptance|system|regression|smoke|e2e|api|browser)[-_]?)?tests?|__(?:tests?|mocks|image_snapshots)__|e2e|cypress|step_definitions|test[-_]?(?:utils?|helpers?|support|setup)|src\/(?:it|[a-z]\w*Test)|[A-Z][\w.]*\.(?:Unit|Integration)?Tests?)\//;
const UPPERCASE_TEST_FOLDER = /(?:^|\/)(?:Tests?|TESTS?)\//;
/** `spec/openapi.yaml` and `specs/plan.md` are no tests. */
const SPEC_FOLDER = /(?:^|\/)specs?\//;
const SPEC_FILE = new RegExp(`\\.${CODE}$|/(?:support|factories)/`);
const TEST_NAMES: readonly RegExp[] = [
  new RegExp(`[._-](?:tests?|specs?|cy|e2e|e2e-spec|test-d|unittest)\\.${CODE}$`),
  new RegExp(`(?:^|/)test_[^/]+\\.${CODE}$`),
  /(?:^|\/)(?:conftest\.py|tests\.py|(?:spec|rails|test)_helper\.(?:rb|exs)|setup-?[tT]ests?\.[cm]?[jt]sx?)$/,
  /(?:^|\/)tests?[-_]?(?:setup|utils?|helpers?|bootstrap|globals?)\.[^/]+$/,
  /(?:[a-z0-9](?:Tests?|TestCase|Spec|IT)|\/Test[A-Z]\w*)\.(?:java|kts?|scala|groovy|cs|fs|vb|swift|php|mm?|hs|cc|cpp)$/,
  /\.(?:snap|ambr|golden|bats|feature)$|\.(?:approved|verified)\.[^/]+$|(?:^|\/)t\/[^/]+\.t$/,
];

const SETTINGS: readonly RegExp[] = [
  /(?:^|\/)(?:vitest|jest|mocha|karma|playwright|cypress|wdio|ava|jasmine|testem|nightwatch|protractor|cucumber|web-test-runner|tap)(?:[.-][\w.-]*)?[.-](?:config|conf|setup|workspace|projects?|preset|globals?|env|environment)\.\w+$/,
  /(?:^|\/)(?:\.(?:mocharc|nycrc|c8rc|taprc|jasmine|testcaferc|yarnrc|pnpmfile)[^/]*|\.rspec(?:-local)?|\.coveragerc|\.npmrc|\.envrc|\.?pytest\.(?:ini|toml)|\.cargo\/config(?:\.toml)?|noxfile\.py|nose2?\.cfg|unittest\.cfg|bunfig\.toml|nextest\.toml|phpunit[^/]*\.xml[^/]*|[^/]*\.runsettings|xunit\.runner\.json|junit-platform\.properties|testng\.xml|jasmine\.json|jest[^/]*\.json|behat\.ya?ml|codeception\.ya?ml|cucumber\.(?:js|ya?ml)|tsconfig\.(?:test|spec|vitest|jest|e2e)\.json|CTestC(?:onfig|ustom)\.cmake|CMakeCache\.txt)$/,
  /(?:^|\/)(?:(?:site|user)customize\.(?:py|pyc|so)|[^/]+\.pth|[^/]+\.(?:egg|dist)-info\/entry_points\.txt)$/,
];
const MIXED =
  /(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?|pyproject\.toml|setup\.cfg|tox\.ini|Cargo\.toml|(?:GNU)?[Mm]akefile|[^/]+\.mk|\.?[Jj]ustfile|[Tt]askfile(?:\.dist)?\.ya?ml|CMakeLists\.txt|vite\.config\.\w+|\.env(?:\.[^/]+)?)$/;
/** What is checked is part of the tests where the test command checks types. */
const TYPE_SETTINGS = /(?:^|\/)tsconfig[^/]*\.json$/;
const TYPE_CHECK = /\b(?:vue-)?tsc\b/;
/** Cannot be split safely: these stay, and the report names them. */
const KEPT =
  /(?:^|\/)(?:mix\.exs|(?:build|settings)\.gradle(?:\.kts)?|pom\.xml|build\.sbt|Package\.swift|Rakefile|meson\.build|BUILD(?:\.bazel)?|(?:angular|project|nx|turbo)\.json|[^/]+\.(?:cs|fs|vb)proj)$/;
const DOCUMENT = /(?:^|\/)\.env\.(?:example|sample|template|dist|defaults?)$/;

const NODE_RUNNER =
  /(?:^|\/)node_modules\/(?:\.bin\/[^/]+$|(?:vitest|vite-node|jest|jest-[^/]+|ts-jest|babel-jest|expect|mocha|chai|sinon|ava|tap|tape|uvu|jasmine[^/]*|karma[^/]*|playwright|cypress|qunit|c8|nyc|should|tsx|ts-node|@(?:vitest|jest|tapjs|playwright|testing-library|japa)\/[^/]+)\/)/;
const OTHER_RUNNER =
  /(?:^|\/)(?:site-packages\/(?:_pytest|pytest|py|pluggy|iniconfig|coverage|xdist|nose2?|tox|hypothesis|pytest_[^/]+)(?:\/|\.py$)|\.?v?env\/bin\/[^/]+$|vendor\/(?:bin|phpunit|pestphp|mockery|github\.com\/stretchr\/testify)\/|vendor\/bundle\/.*\/(?:rspec|minitest)[^/]*\/|bin\/(?:rspec|rails|rake|test|phpunit)$|(?:gradlew|mvnw)(?:\.bat|\.cmd)?$|\.yarn\/(?:releases|plugins)\/)/;
/** A module of this name at the top is imported in place of the one that pytest and unittest load first. */
const SHADOW =
  /^(?:src\/)?(?:_?pytest|pluggy|iniconfig|xdist|unittest|doctest)(?:\.(?:pyc?|so)$|\/.*\.pyc?$)|^(?:argparse|ast|atexit|contextlib|dataclasses|enum|fnmatch|functools|importlib|inspect|io|itertools|logging|os|pathlib|pkgutil|re|runpy|shlex|shutil|signal|site|subprocess|sys|sysconfig|tempfile|textwrap|threading|tokenize|traceback|typing|warnings|weakref|packaging|pygments)(?:\/__init__)?\.(?:pyc?|so)$/;

/** `.proverc`, `node.config.json`: settings that a program looks for under its own name. */
const OF_PROGRAM = /^\.?([a-z][a-z\d-]*?)(?:rc(?:\.\w+)?|[.-]config\.\w+|\.(?:toml|ini|cfg|conf))$/;

/**
 * What a file is for the tests, by its path; undefined for source, dependencies and builds. `commands` is the test command,
 * and what it reaches (`reachedCommands`): the scripts that they start count as part of the runner.
 */
export function suiteFileOf(path: string, commands = ''): SuiteFile | undefined {
  if (path.length > MOST_PATH_CHARACTERS || WRITTEN.test(path) || DOCUMENT.test(path)) return undefined;
  if (FIXTURE.test(path)) return 'test';
  if (/(?:^|\/)node_modules\//.test(path)) return NODE_RUNNER.test(path) ? 'runner' : undefined;
  if (SETTINGS.some((names) => names.test(path))) return 'settings';
  if (/(?:^|\/)(?:site-packages|vendor)\//.test(path)) return OTHER_RUNNER.test(path) ? 'runner' : undefined;
  if (MIXED.test(path) || KEPT.test(path) || (TYPE_SETTINGS.test(path) && TYPE_CHECK.test(commands))) return 'mixed';
  if (SHADOW.test(path)) return 'runner';
  if (isOnlyTests(path)) return 'test';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const program = OF_PROGRAM.exec(name)?.[1];
  if (program !== undefined && commands.includes(program) && programsIn(commands).has(program)) return 'settings';
  const isNamed = commands.includes(name);
  return OTHER_RUNNER.test(path) || (isNamed && commandFiles(commands).has(path)) ? 'runner' : undefined;
}

function isOnlyTests(path: string): boolean {
  // A Rust file below src belongs to the crate: its `mod` line is in a file that stays.
  if (path.endsWith('.rs')) return /(?:^|\/)tests\//.test(path) && !/(?:^|\/)src\/.*tests\//.test(path);
  if (/(?:^|\/)src\/main\//.test(path)) return false;
  const isInFolder = TEST_FOLDER.test(path) || UPPERCASE_TEST_FOLDER.test(path);
  if (SPEC_FOLDER.test(path) && SPEC_FILE.test(path)) return true;
  return isInFolder || TEST_NAMES.some((names) => names.test(path));
}

const TEST_CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|scala|cs|swift|c|cc|cpp|cxx|hh?|hpp|exs?|sh|bats|feature|toml|ini|cfg|ya?ml)$/;
const COMPILED = /\.(?:c|cc|cpp|cxx|h|hh|hpp)$/;

/** Not data, which tests may write while they run. */
export function isTestCode(path: string): boolean {
  return TEST_CODE.test(path);
}

/** A build file that names a new test does not build without it. Each such test is a program of its own. */
export function hasBuildOfTests({ modified }: Pick<TreeChanges, 'modified'>, path: string): boolean {
  return COMPILED.test(path) && modified.some((other) => other.endsWith('CMakeLists.txt'));
}

export interface TreeChanges {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

export interface ChangedSuiteFile {
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  readonly kind: SuiteFile;
}

/** Those changes that can alter what the tests say. A runner that a package manager installed is a dependency. */
export function changedSuiteFiles(changes: TreeChanges, commands = ''): readonly ChangedSuiteFile[] {
  const created = new Set(changes.created);
  const all = new Set([...changes.created, ...changes.modified, ...changes.deleted]);
  const installs = installsIn(created, all);
  return (['created', 'modified', 'deleted'] as const).flatMap((change) =>
    changes[change].flatMap((path) => {
      const kind = suiteFileOf(path, commands);
      if (kind === undefined || (kind === 'runner' && isInstalled(path, created, all, installs))) return [];
      return [{ path, change, kind }];
    }),
  );
}

const NODE_LOCK =
  /(?:^|\/)(?:package-lock\.json|\.package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|\.modules\.yaml|\.yarn-integrity)$/;
const VENDOR_LOCK = /(?:^|\/)(?:composer\.lock|go\.sum|Gemfile\.lock)$/;
const PYTHON_RECORD = /^(.*\/)?site-packages\/([a-z_]+)[^/]*\.dist-info\/RECORD$/i;
/** Programs that the scripts of a package find before those of the machine. */
const COMMON_PROGRAM =
  /\/(?:node|npm|npx|yarn|pnpm|bun|deno|tsx|ts-node|vitest|jest|mocha|ava|tap|c8|nyc|playwright|cypress|karma|jasmine|tsc|sh|bash|env|make|python[\d.]*|pytest|go|cargo|git|cross-env|run-[sp]|npm-run-all)$/;

/** Whether another package manager than npm changed what is installed. */
export function hasOtherLock({ created, modified }: Pick<TreeChanges, 'created' | 'modified'>): boolean {
  return [...created, ...modified].some((path) => NODE_LOCK.test(path) && !path.endsWith('package-lock.json'));
}

interface Installs {
  readonly hasNodeLock: boolean;
  readonly hasVendorLock: boolean;
  /** Prefix and name of each Python package that was installed. */
  readonly python: ReadonlySet<string>;
}

function installsIn(created: ReadonlySet<string>, all: ReadonlySet<string>): Installs {
  const records = [...created].map((path) => PYTHON_RECORD.exec(path)).filter((found) => found !== null);
  return {
    hasNodeLock: [...all].some((path) => NODE_LOCK.test(path)),
    hasVendorLock: [...all].some((path) => VENDOR_LOCK.test(path)),
    python: new Set(records.map(([, folder = '', name = '']) => folder + name.toLowerCase())),
  };
}

function isInstalled(path: string, created: ReadonlySet<string>, all: ReadonlySet<string>, found: Installs): boolean {
  const modules = path.slice(0, path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (path.includes('node_modules/.bin/')) {
    const isFresh = ['.package-lock.json', '.modules.yaml', '.yarn-integrity'].some((name) =>
      created.has(modules + name),
    );
    return created.has(path) && (isFresh || !COMMON_PROGRAM.test(path));
  }
  if (path.includes('node_modules/')) {
    const name = /^(?:@[^/]+\/)?[^/]+\//.exec(path.slice(modules.length))?.[0] ?? '';
    return found.hasNodeLock && all.has(`${modules}${name}package.json`);
  }
  const [, folder = '', name] = /^(.*\/)?site-packages\/_?([a-z0-9_]+)/.exec(path) ?? [];
  if (name !== undefined) return found.python.has(folder + name);
  const venv = /^(.*?\.?v?env\/)bin\//.exec(path)?.[1];
  if (venv !== undefined) return created.has(`${venv}pyvenv.cfg`);
  return found.hasVendorLock && /(?:^|\/)vendor\//.test(path);
}
