import { posix } from 'node:path';

/** A file, or a name in a manifest, that belongs to the tests when only tests use it. */
export interface Candidate {
  /** Every file that uses it contains one of these. */
  readonly words: readonly string[];
  /** Nothing but tests can use it. */
  readonly isSure?: boolean;
  isUsedBy(file: SourceText): boolean;
}

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;
/** What only tests load. */
const TEST_MODULES =
  /(?:from|import|require\()\s*['"](?:node:test|vitest|@jest\/globals|mocha|chai|expect|ava|tap|uvu|jasmine|@playwright\/test|@testing-library\/[\w-]+)(?:\/[\w/-]+)?['"]/;
/** What code loads as well, for checks of its own. */
const ASSERTIONS = /(?:from|import|require\()\s*['"](?:node:)?assert(?:\/strict)?['"]/;
const GO_TESTING = /^\s*(?:import\s+)?"testing"\s*$/m;
const PYTHON_RUNNER = /^\s*(?:import|from)\s+(?:pytest|unittest)\b(?!\.mock)/m;
const PRODUCT = /(?:^|\/)(?:src|lib|app|pkg|server|client|bin)\//;
/** A folder or a file whose name says that it is for tests. */
const FOR_TESTS =
  /(?:^|[/_.-])(?:testing|test[_-]?(?:kit|lib|utils?|helpers?|support|suite|harness|doubles?)|asserts?|assertions?|matchers?|expect(?:ations?)?|fakes?|mocks?|stubs?)(?:[/_.-]|$)/i;

/** Formats of cases and expected results, under a name that says so. Other data may be what the project makes. */
const DATA = /\.(?:jsonl?|ndjson|csv|tsv|txt|xml|ya?ml|ini|toml|in|out|dat|cases?)$/i;
const NAMED_AS_DATA =
  /(?:^|[/_.-])(?:data|cases?|samples?|vectors?|expected|outputs?|inputs?|known|failures?|flaky|skip(?:s|ped)?|quarantined?|baselines?)(?:[/_.-]|$)/i;
/** Other programs read these: they are deployed, served, published or settings. */
const READ_ELSEWHERE = /^\.|\/\.|(?:^|\/)(?:config|public|static|assets|dist|docs?|locales?|i18n|content|schemas?)\//i;
const isData = (path: string) => DATA.test(path) && NAMED_AS_DATA.test(path) && !READ_ELSEWHERE.test(path);

/** What a changed file can be by its path and its earlier text. */
export function candidateFor(path: string, text: string): Candidate | undefined {
  if (CODE.test(path)) return codeCandidate(path, text);
  return isData(path) ? dataCandidate(path) : undefined;
}

/** Whether a file of this name can be a candidate. */
export function canBelongToTests(path: string): boolean {
  return CODE.test(path) || isData(path);
}

function codeCandidate(path: string, text: string): Candidate | undefined {
  const name = moduleName(path);
  const isInProduct = PRODUCT.test(path);
  const found: Candidate = { words: [name.replaceAll('-', '_'), name], isUsedBy: (file) => imports(file, path, name) };
  if (SCRIPT.test(path)) {
    // A source file may contain its own tests.
    if (TEST_MODULES.test(text)) return isInProduct ? undefined : { ...found, isSure: true };
    if (ASSERTIONS.test(text) && path.includes('/') && !isInProduct) return found;
  }
  if (path.endsWith('.go') && GO_TESTING.test(text)) return { ...found, isSure: true };
  if (path.endsWith('.py') && PYTHON_RUNNER.test(text) && !/^if __name__\b/m.test(text))
    return { ...found, isSure: !isInProduct };
  return FOR_TESTS.test(path.replace(/\.\w+$/, '')) ? found : undefined;
}

/** The name by which others load a file: of `index.js`, `mod.rs`, `src/lib.rs` and the files of a Go package that of the folder. */
function moduleName(path: string): string {
  const parts = path.replace(/\.\w+$/, '').split('/');
  if (path.endsWith('.go')) parts.pop();
  while (parts.length > 1 && /^(?:index|mod|lib|main|__init__|src)$/.test(parts.at(-1) ?? '')) parts.pop();
  return parts.at(-1) ?? '';
}

function imports({ path, text }: SourceText, other: string, name: string): boolean {
  if (path === other) return false;
  const word = name.replaceAll(/[^\w]/g, '\\$&');
  if (path.endsWith('.rs')) return new RegExp(`\\b${name.replaceAll('-', '_')}\\b`).test(text);
  if (path.endsWith('.py')) return new RegExp(`^\\s*(?:import|from)\\s+[^\\n]*\\b${word}\\b`, 'm').test(text);
  return CODE.test(path) && new RegExp(`['"\`/]${word}(?:\\.\\w+)?['"\`]`).test(text);
}

const NO_CODE = /\.(?:md|rst|adoc|lock|sum|svg)$|(?:^|\/)(?:\.[^/]*ignore|\.gitattributes|[^/]*-lock\.\w+)$/;

/** Used by a file that names it; code may name only its folder, too, and read what is in it. */
function dataCandidate(path: string): Candidate {
  const name = posix.basename(path);
  const folder = posix.basename(posix.dirname(path));
  const words = folder === '.' ? [name] : [name, `${folder}/`, `'${folder}'`, `"${folder}"`];
  return {
    words,
    isUsedBy: (file) =>
      file.path !== path && !NO_CODE.test(file.path) && words.some((word) => file.text.includes(word)),
  };
}

/** Whether tests use it, and nothing else does. */
export function isOnlyForTests(
  candidate: Candidate,
  files: readonly SourceText[],
  isTest: (path: string) => boolean,
): boolean {
  if (candidate.isSure === true) return true;
  const users = files.filter((file) => candidate.isUsedBy(file));
  return users.length > 0 && users.every(({ path }) => isTest(path) || FOR_TESTS.test(path.replace(/\.\w+$/, '')));
}

/** The lines of a shell script that read another one into it, as commands. */
export function sourcedFiles(text: string): readonly string[] {
  return text.split('\n').filter((line) => /^\s*(?:\.|source)\s+\S/.test(line));
}
