/** Names of scripts, targets and variables that run tests. */
const TEST_NAME =
  /(?:^|[^a-z])(?:tests?|unit|integration|specs?|check|ci|cov|coverage|e2e|verify|pytest|jest|vitest|mocha|ctest)(?:$|[^a-z])/i;
/** Names of scripts and targets that only make something for the tests. */
const BUILD_NAME =
  /^(?:pre|post)?(?:build|compile|generate|codegen|gen|bundle|transpile|tsc|types|typecheck|clean|lint|format|prepare|install|setup|deps|all|lib|dist)(?:$|[^a-z])|[./%$]/i;
/** Variables of the environment that change how a runner or an interpreter starts, or that tests ask for. */
const RUNNER_VARIABLE =
  /^(?:CI|PATH|SHELL|BASH_ENV|ENV|NODE_.*|npm_config_.*|VITEST.*|JEST.*|MOCHA.*|TAP_.*|PYTEST.*|PYTHON.*|COVERAGE.*|TOX_.*|LD_.*|DYLD_.*|GOFLAGS|GOTEST.*|RUST.*|CARGO_.*|NEXTEST.*|MAKEFLAGS|GNUMAKEFLAGS|\.SHELLFLAGS|\.RECIPEPREFIX|\.DEFAULT_GOAL|RUBYOPT|RUBYLIB|SPEC_OPTS|PERL5OPT|PERL5LIB|PHP_INI.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAVEN_.*|GRADLE_OPTS|CTEST_.*|GTEST_.*|TEST.*|SKIP.*|PAWL_.*)$/i;

export function isTestName(name: string): boolean {
  return TEST_NAME.test(name);
}

export function isBuildName(name: string): boolean {
  return BUILD_NAME.test(name) && !isTestName(name);
}

export function isRunnerVariable(name: string): boolean {
  return RUNNER_VARIABLE.test(name);
}

/** The words of a command that may be names of scripts or targets. */
export function namesIn(command: string): ReadonlySet<string> {
  const words = command.split(/[^\w:.@*/%+-]+/).flatMap((word) => [word, word.replace(/^@/, '')]);
  if (/\bnpm\s+(?:t|tst)\b/.test(command)) words.push('test');
  if (/\b(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install)\b/.test(command)) words.push(...INSTALL_SCRIPTS);
  return new Set(words.filter((word) => word !== ''));
}

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** A longer list is no list of scripts: of those that follow, only what is mentioned by name is reached. */
const MOST_LISTED = 500;

/** All names that are reached from those that a command mentions or that run tests. */
export function reachedNames(texts: ReadonlyMap<string, string>, command: string): ReadonlySet<string> {
  const mentioned = namesIn(command);
  const listed = [...texts.keys()].slice(0, MOST_LISTED);
  const reached = new Set([...texts.keys()].filter((name) => mentioned.has(name) || isTestName(name)));
  // A set that grows while it is walked is walked to its new end.
  for (const name of reached) {
    const words = [...namesIn(texts.get(name) ?? ''), `pre${name}`, `post${name}`];
    for (const word of words) if (texts.has(word)) reached.add(word);
    const globs = words.filter((word) => /^[^*]+\*+$/.test(word)).map((word) => word.replaceAll('*', ''));
    for (const start of globs.slice(0, 10)) {
      for (const other of listed) if (other.startsWith(start)) reached.add(other);
    }
  }
  return reached;
}

const INTERPRETER =
  /^(?:node|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|sh|bash|zsh|dash|env|exec|time|npx|cross-env|source|\.|run|task)$/;
const LOADER = /^(?:-r|--require|--import|--loader|--experimental-loader|--setup[\w-]*|--config|-c|-f)$/;
const PRODUCT = /^(?:src|lib|app|pkg|internal|cmd|dist|build)\//;

/** The files of the project that a command starts or loads: `./run-tests.sh`, `node scripts/test.mjs`, `-r ./setup.js`. */
export function commandFiles(commands: string): ReadonlySet<string> {
  const files = new Set<string>();
  let folder = '';
  for (const part of commands.split(/[;&|()]+|(?=\n)/)) {
    if (part.startsWith('\n')) folder = '';
    const words = part.split(/[\s'"`@]+/).flatMap((word) => (word.startsWith('--') ? word.split('=') : [word]));
    let isProgram = true;
    let previous = '';
    for (const word of words.filter((each) => each !== '')) {
      const file = word.replace(/^(?:\.\/)+/, '');
      if (previous === 'cd') folder = `${file.replace(/\/+$/, '')}/`;
      else if (/^(?:\.|source)$/.test(previous) && /\w/.test(word)) files.add(folder + file);
      else if ((isProgram || LOADER.test(previous)) && /[./]/.test(word) && !PRODUCT.test(file))
        files.add(folder + file);
      isProgram &&= /^-|^[A-Za-z_]\w*=/.test(word) || INTERPRETER.test(word);
      previous = word;
    }
  }
  return files;
}

const WRAPPER = /^(?:npx|pnpx|bunx|env|exec|time|nice|cross-env|sudo|command|@|-)$|^-|^[A-Za-z_]\w*=/;

/** The programs that commands start, by name. */
export function programsIn(commands: string): ReadonlySet<string> {
  const parts = commands.split(/[;&|()\n]+/).map((part) => part.split(/[\s'"`@]+/).filter((word) => word !== ''));
  const programs = parts.map((words) => words.find((word) => !WRAPPER.test(word))?.replace(/^.*\//, '') ?? '');
  return new Set(programs);
}

/** What a build does not need and a forged result does. */
const FORGING =
  /[;|<>`]|(?<!&)&(?!&)|\b(?:exit|true|echo|printf|cp|mv|ln|touch|sed|awk|perl|kill|cat|tee|exec|eval|trap|sh|bash|tests?|specs?)\b|\b(?:node|bun|deno|python[\d.]*|ruby|php)\s+-\w*[ecp]\b|-D\w*|^[ \t]*@?-/gm;

/** Whether a changed step that only builds can stay: nothing in it is new that could forge a result. */
export function staysAsBuild(name: string, original: string, now: string): boolean {
  if (!isBuildName(name)) return false;
  const head = now.split('\n', 1)[0] ?? '';
  // What a program of tests is made from: lists in variables, and whatever is called a test.
  const needed = (original.split('\n', 1)[0] ?? '').split(/\s+/).filter((word) => /tests?|specs?|\$[({]/i.test(word));
  if (!needed.every((word) => head.includes(word))) return false;
  const before = new Set(original.match(FORGING) ?? []);
  return (now.match(FORGING) ?? []).every((word) => before.has(word));
}

const SOURCE =
  /^(?:[\w./+-]+\.(?:cc?|cpp|cxx|o|obj|a|so|s|rs|go|java|kt|swift|m|mm|zig|hs|ml)|-[lLI][\w./+-]+|-pthread)$/;

/** Whether the only difference is that sources or libraries were added, which the original tests may now need. */
export function addsOnlySources(original: string, now: string, isTest: (token: string) => boolean): boolean {
  const before = original.split(/\s+/);
  let at = 0;
  for (const token of now.split(/\s+/)) {
    if (token === before[at]) at += 1;
    else if (!SOURCE.test(token) || isTest(token)) return false;
  }
  return at === before.length;
}
