import { isTestFile, pythonModuleOf } from '../model/file-kind.js';
import type { Flag } from '../model/original-tests.js';
import type { AddedLine } from './added-lines.js';

interface FlagRule {
  readonly what: string;
  readonly pattern: RegExp;
  /** A test does this every day. */
  readonly isUsualInTests?: boolean;
}

const MOST_FLAGS = 50;
const MOST_CHARACTERS = 2000;
const WRITTEN_BY_TOOLS = /\.(?:md|rst|adoc|svg|lock|lockb)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum)$/i;
const HASH_COMMENTS =
  /\.(?:py|rb|sh|ya?ml|toml|ini|cfg|mk|pl|r|ex|exs)$|(?:^|\/)(?:Makefile|CMakeLists\.txt|\.env[^/]*)$/;

/** Comments that a check reads. */
const SWITCH = /@ts-nocheck\b|\bmypy:\s*ignore-errors\b/;

/** The most telling first: they are kept when there are too many. */
const RULES: readonly FlagRule[] = [
  {
    what: 'touches the test runner',
    pattern:
      /\b_pytest\b|\bpluggy\b|\bdef pytest_\w+|\bunittest\.(?:TestCase|TestResult|TextTestRunner|case|result|main)\b[^=\n]{0,80}=[^=]|\bTestCase\.\w+\s*=[^=]|\bsetattr\(\s*(?:unittest|pytest|TestCase|builtins)|\bRSpec\.configure|\bMinitest\.(?:after_run|autorun|extensions)|\bModule\._(?:load|extensions|resolveFilename)|\bModule\.prototype|\brequire\.cache|\bregisterHooks\(|\bmodule\.register\(|\bgo:linkname\b|\bfunc TestMain\b|macro_rules!\s*(?:debug_)?assert|#\s*define\s+(?:NDEBUG|main|assert\w*|EXPECT_\w+|ASSERT_\w+)\b|\basymmetricMatch\b|\bSymbol\.for\(\s*['"`](?:jest|vitest)/,
  },
  {
    what: 'replaces what tests assert with',
    pattern:
      /\b(?:globalThis|global|window)\s*(?:\.|\[\s*['"`])(?:assert|expect|test|it|describe|jest|vi|vitest|before\w*|after\w*)\b['"`]?\]?\s*=[^=]|\bassert(?:\.strict)?\.\w+\s*=[^=>]|\bexpect\.\w+\s*=[^=>]|\bexpect\.extend\(|\bObject\.(?:defineProperty|assign)\(\s*(?:globalThis|global|assert|expect|Object\.prototype|Array\.prototype|console|process)\b|\b(?:Object|Array|Function|Error|Promise|Map|Set|Number|String)\.prototype(?:\.\w+|\[[^\]\n]{0,60}\])\s*=[^=]|\bbuiltins\.\w+\s*=[^=]|\bimport builtins\b|\b__builtins__\b/,
  },
  {
    what: 'is equal to everything',
    pattern:
      /\bdef __(?:eq|ne|l[te]|g[te]|r?sub|abs)__\([^)\n]{0,80}\)[^:\n]{0,40}:\s*return (?:True|False|0)\b|\b(?:equals|isEqual|Equal)\([^)\n]{0,80}\)[^{\n]{0,40}\{\s*return true\b/,
  },
  { what: 'reads PAWL_ variables', pattern: /\bPAWL_/ },
  {
    what: 'reads CI from the environment',
    pattern:
      /['"`]CI['"`]|\benv(?:\?)?\.CI\b|\$\{?CI\b|\$\(CI\)|\bifn?def\s+CI\b|\{[^}\n]{0,80}\bCI\b[^}\n]{0,80}\}\s*=\s*process\.env|\bCONTINUOUS_INTEGRATION\b/,
  },
  {
    what: 'asks whether tests are running',
    pattern:
      /\bNODE_TEST_CONTEXT\b|\bVITEST(?:_\w+)?\b|\bJEST_WORKER_ID\b|\bPYTEST_\w+|\bimport\.meta\.vitest\b|\btesting\.Testing\(\)|\bcfg!\(\s*test|\bcfg\(\s*not\(\s*test|\bflag\.Lookup\(\s*"test\.|\bNEXTEST\w*\b|\bRUST_TEST\w*\b|\bMOCHA_\w+|\bNODE_ENV\b[^\n]{0,40}\btest\b|\bRAILS_ENV\b[^\n]{0,40}\btest\b|['"](?:pytest|unittest)['"]\s+(?:not\s+)?in\s+sys\.modules|\b(?:process\.argv|sys\.argv|os\.Args|process\.execArgv)\b[^\n]{0,80}(?:test|spec|jest|mocha)|(?:test|spec|jest|mocha)[^\n]{0,80}\b(?:process\.argv|sys\.argv|os\.Args)\b|\bcurrent_exe\(/,
  },
  {
    what: 'reads the call stack',
    pattern:
      /\binspect\.(?:stack|currentframe|getouterframes)\b|\bsys\._getframe\b|\btraceback\.(?:extract_stack|format_stack|walk_stack)\b|\bnew Error\([^)\n]{0,40}\)\.stack\b|\bError\.(?:captureStackTrace|prepareStackTrace)\b|\bruntime\.Callers?\(|\bgetStackTrace\(|\bStackWalker\b|\bcaller_locations\b|\bdebug_backtrace\(|\bBacktrace::/,
  },
  {
    what: 'asks who runs it',
    pattern:
      /\bmodule\.parent\s*(?:\?\.|\.|\[)|\brequire\.main\s*(?:\?\.|\.|\[)|\/proc\/[^'"`\s]{0,40}\/(?:cmdline|comm|exe)\b|\bPPID\b|\bthread::current\(\)\.name\(\)|\bthreading\.(?:current_thread|main_thread)\(/,
    isUsualInTests: true,
  },
  {
    what: 'changes modules that are loaded',
    pattern:
      /\bsys\.(?:modules|meta_path|path_hooks|settrace|setprofile|excepthook)\b|\bimportlib\.reload\b|\bgc\.get_(?:objects|referrers)\b|\bctypes\b|\bdlsym\b/,
  },
  {
    what: 'changes how programs start',
    pattern:
      /\bNODE_OPTIONS\b|\bLD_PRELOAD\b|\bDYLD_INSERT_LIBRARIES\b|\bBASH_ENV\b|\bPYTHON(?:STARTUP|PATH|HOME|BREAKPOINT)\b|\bRUBYOPT\b|\bPERL5OPT\b|\bJAVA_TOOL_OPTIONS\b|\bGOFLAGS\b|\bRUSTC_(?:WORKSPACE_)?WRAPPER\b|\b(?:GNU)?MAKEFLAGS\b|\bsitecustomize\b|['"](?:vitest|jest|mocha|ava|tap|chai|expect|pytest)['"]\s*:\s*['"](?:file|link|portal|git|https?|\.)/,
  },
  {
    what: 'writes to the output of the process',
    pattern:
      /\b(?:process\.)?std(?:out|err)\.(?:write|_write|end)\s*=[^=]|\bconsole\.(?:log|error|info)\s*=[^=]|\bwriteSync\(\s*(?:[12]\b|process\.std)|\bos\.(?:write|dup2?|fdopen)\(\s*[12]?|\/dev\/(?:stdout|stderr|fd\/[12]|tty)|\/proc\/(?:self|\d+)\/fd|\bsys\.(?:stdout|stderr|__stdout__)\s*=[^=]|\bSystem\.set(?:Out|Err)\(|\bos\.Std(?:out|err)\s*=[^=]|\bset_hook\(|['"`](?:TAP version|ok \d+ - |1\.\.\d+|# pass \d|test result: ok|=+ \d+ passed|--- PASS|Tests?:\s+\d+ passed)/,
  },
  {
    what: 'replaces a part of the language',
    pattern:
      /\b(?:globalThis|global|window)\.(?:fetch|Date|Math|performance|crypto|console|process|JSON|set(?:Timeout|Interval|Immediate)|queueMicrotask|XMLHttpRequest|WebSocket)\s*=[^=]|\b(?:Date|performance)\.now\s*=[^=]|\b(?:Math|JSON)\.\w+\s*=[^=]|\bprocess\.hrtime(?:\.bigint)?\s*=[^=]|^\s*(?:time|datetime|random|math|json|socket|subprocess|urllib\.\w+|http\.\w+|requests|threading|asyncio)\.[\w.]+\s*=[^=]|\b(?:Object|Reflect)\.(?:defineProperty|set|assign)\(\s*(?:Date|performance|Math|JSON|crypto)\b|\bReflect\.\w+\(\s*(?:globalThis|global|window)\b|\bsetattr\(\s*(?:time|datetime|random|math|json|socket|subprocess|urllib|http|requests|threading|asyncio)\b/,
    isUsualInTests: true,
  },
  {
    what: 'reads or writes tests',
    pattern:
      /(?:\b(?:read_?File\w*|createReadStream|open|read_text|read_bytes|include_str!|write_?File\w*|copyFile\w*|rename\w*|unlink\w*|rmSync|write_text|write_bytes|os\.(?:remove|replace|Open)|shutil\.\w+|fs::(?:read|write)\w*)\(|\bPath\()[^\n]{0,120}(?:\btests?\b|\bspecs?\b|test_|_test|conftest|__snapshots__)/i,
    isUsualInTests: true,
  },
  {
    what: 'starts a process that may outlive the tests',
    pattern: /\bdetached:\s*true\b|\bnohup\b|\bsetsid\b|\bstart_new_session\b|\bdaemonize\b|\bos\.fork\(|\bdisown\b/,
  },
  {
    what: 'runs when the process ends',
    pattern:
      /\bprocess\.(?:on|once|addListener|prependListener)\(\s*['"`](?:exit|beforeExit|uncaughtException|unhandledRejection)|\batexit\b|\bat_exit\b|\bregister_shutdown_function\b|\baddShutdownHook\b|__attribute__\(\(\s*(?:con|de)structor|#\[(?:ctor|dtor)/,
  },
  {
    what: 'ends the process',
    pattern:
      /\bprocess\.(?:exit|reallyExit|abort|kill)\b|\bprocess\.exitCode\b|\bos\._exit\b|\bos\.(?:abort|kill|killpg)\(|\bsys\.exit\(|\braise SystemExit\b|\bstd::process::(?:exit|abort)|\bprocess::(?:exit|abort)\(|\bos\.Exit\(|\bsyscall\.(?:Exit|Kill)\(|\bSystem\.exit\(|\.halt\(|\b_?exit\(\s*(?:0|EXIT_SUCCESS)\s*\)|\bexit!|\bDeno\.exit\(|\bBun\.exit\b|\bexec[vl]p?e?\(/,
  },
  {
    what: 'runs code from text',
    pattern:
      /\beval\(|\bnew Function\(|(?<![.\w])exec\(\s*(?:['"`]|compile|base64|f['"])|\b__import__\(|\bgetattr\(\s*(?:os|sys|builtins)\b|\bprocess\[|\b(?:globalThis|global)\[|\bReflect\.(?:get|set)\(\s*(?:process|globalThis)|\benv\[(?!\s*['"`]\w+['"`]\s*\])/,
  },
  {
    what: 'switches a check off',
    pattern: /^\s*\/[/*].*@ts-nocheck\b|^\s*#\s*mypy:\s*ignore-errors\b|^\s*\/\*\s*eslint-disable\s*\*\//,
    isUsualInTests: true,
  },
  {
    what: 'changes a test in a source file',
    pattern:
      /\b(?:debug_)?assert(?:_eq|_ne)?!|#\[(?:\w+::)?test\]|#\[(?:ignore|should_panic)\b|\bexpect\([^\n]{0,200}\)\.(?:(?:not|resolves|rejects)\.)?to(?!String\b)[A-Z]\w*\(|^\s*>>> /,
    isUsualInTests: true,
  },
  {
    what: 'uses the test runner outside of tests',
    pattern:
      /(?:from|import|require)\s*\(?\s*['"`](?:(?:node:)?assert(?:\/strict)?|node:test|vitest|@jest\/globals|mocha|chai|ava|tap|expect)\b|^\s*(?:import|from)\s+(?:pytest|unittest|_pytest|nose)\b|^\s*(?:_\s+)?"testing"\s*$|\b(?:jest|vi)\.(?:mock|spyOn|fn|setSystemTime)\(/,
    isUsualInTests: true,
  },
];

/** Added lines that could reach into the test runner, or could behave differently while Pawl verifies. */
export function runnerFlags(added: readonly AddedLine[]): readonly Flag[] {
  const seen = new Map<string, number>();
  const settings = variablesRead(added);
  const found: { readonly flag: Flag; readonly rank: number; readonly at: number }[] = [];
  for (const [at, { path, line, text }] of added.entries()) {
    const place =
      line === 1 && pythonModuleOf(path) !== undefined ? [[0, 'takes the place of a module of Python'] as const] : [];
    const variable = ENVIRONMENT.test(path) ? VARIABLE.exec(text)?.[1] : undefined;
    const setting = variable !== undefined && settings.has(variable) ? [[RULES.length, SETS] as const] : [];
    for (const [order, what] of [...place, ...setting, ...whatOf(path, text, followingText(added, at))]) {
      // The first of each kind in each file comes first, so that many harmless lines cannot crowd out the others.
      const repeated = seen.get(`${what}\0${path}`) ?? 0;
      seen.set(`${what}\0${path}`, repeated + 1);
      found.push({ flag: { path, line, what }, rank: repeated * (RULES.length + 1) + order, at });
    }
  }
  const kept = found.sort((a, b) => a.rank - b.rank).slice(0, MOST_FLAGS);
  return kept.sort((a, b) => a.at - b.at || a.rank - b.rank).map(({ flag }) => flag);
}

const ENVIRONMENT = /(?:^|\/)\.env(?:\.[^/]+)?$/;
const VARIABLE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w{2,})[ \t]*=/;
const SETS = 'sets a variable that new code reads';

/** The names in new code: what is set for the tests may not be set where the code is used. */
function variablesRead(added: readonly AddedLine[]): ReadonlySet<string> {
  const isSet = added.some(({ path }) => ENVIRONMENT.test(path));
  const code = isSet ? added.filter(({ path }) => !ENVIRONMENT.test(path) && !WRITTEN_BY_TOOLS.test(path)) : [];
  return new Set(code.flatMap(({ path, text }) => (isTestFile(path) ? [] : (text.match(/[A-Za-z_]\w{2,}/g) ?? []))));
}

/** The next line, where it is the next of the file as well. */
function followingText(added: readonly AddedLine[], at: number): string {
  const [here, next] = [added[at], added[at + 1]];
  return next !== undefined && next.path === here?.path && next.line === here.line + 1 ? next.text : '';
}

function whatOf(path: string, text: string, following: string): readonly (readonly [number, string])[] {
  if (
    WRITTEN_BY_TOOLS.test(path) ||
    (isComment(path, text.slice(0, 200).trimStart()) && !SWITCH.test(text.slice(0, 200)))
  )
    return [];
  const isTest = isTestFile(path);
  const line = text.slice(0, MOST_CHARACTERS);
  const both = `${line} ${following.slice(0, MOST_CHARACTERS).trimStart()}`;
  const found = RULES.flatMap(({ what, pattern, isUsualInTests }, order) => {
    if (isTest && isUsualInTests === true) return [];
    return pattern.test(what === 'is equal to everything' ? both : line) ? [[order, what] as const] : [];
  });
  const isLong = text.length > MOST_CHARACTERS && /\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|sh)$/.test(path);
  return isLong ? [...found, [RULES.length, `is a line of ${text.length} characters, read in part`] as const] : found;
}

function isComment(path: string, text: string): boolean {
  if (text.startsWith('//')) return !text.startsWith('//go:') && !path.endsWith('.py');
  return text.startsWith('#') && HASH_COMMENTS.test(path);
}
