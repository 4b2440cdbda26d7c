/** Code that asks who runs it: its caller, the program that started it, or whether tests are running. */

const STACK =
  /\bsys\._getframe\b|\binspect\.(?:stack|currentframe)\b|\bco_(?:name|filename)\b|\bnew Error\([^)\n]{0,40}\)\.stack\b|\bruntime\.FuncForPC\(/;
const STARTER =
  /\bmodule\.parent\b|\brequire\.main\b|\/proc\/[^'"`\s]{0,40}\/(?:cmdline|comm|exe)\b|\bgetppid\b|\bPPID\b|\bprocess\.ppid\b/i;
const ASSIGNED =
  /^\s*(?:(?:export|const|let|var|local|static|readonly)\s+)*([A-Za-z_]\w*)\s*(?::[^=\n]{1,40})?:?=(?!=)/;

/** Of these lines, those that ask who called or started them, or that use the answer. */
export function linesThatAskWho(texts: readonly string[]): readonly boolean[] {
  const answers = new Set<string>();
  return texts.map((text) => {
    const uses = [...answers].some((name) => new RegExp(`\\b${name}\\b`).test(text));
    const isAsking = STACK.test(text) || STARTER.test(text) || uses;
    const name = isAsking ? ASSIGNED.exec(text)?.[1] : undefined;
    if (name !== undefined && name.length > 1) answers.add(name);
    return isAsking;
  });
}

const VARIABLE =
  '(?:VITEST(?:_\\w+)?|JEST_WORKER_ID|NODE_TEST_CONTEXT|MOCHA_\\w+|PYTEST_\\w+|CI|CONTINUOUS_INTEGRATION|PAWL_\\w+)';
/** Questions whether tests are running, and what is in their place where the answer is no. */
const QUESTIONS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\benv(\\??\\.)(${VARIABLE})\\b`, 'g'), 'env$1ABSENT_$2'],
  [new RegExp(`(['"])(${VARIABLE})\\1`, 'g'), '$1ABSENT_$2$1'],
  [/(\bNODE_ENV\b['"\])]{0,3}\s*[!=]==?\s*)(['"])test\2/g, '$1$2absent$2'],
  [/(['"])(?:pytest|unittest)\1(?=\s+(?:not\s+)?in\s+sys\.modules)/g, '$1absent$1'],
  [/\bflag\.Lookup\("test\./g, 'flag.Lookup("absent.'],
  [/\btesting\.Testing\(\)/g, '(testing.Testing() && false)'],
  [/\bcfg!\(\s*test\s*\)/g, 'cfg!(any())'],
  [/\b(?:std::)?thread::current\(\)\.name\(\)/g, 'Some("main")'],
];

/** The line where no tests are running. */
export function withoutQuestions(text: string): string {
  return QUESTIONS.reduce((now, [question, answer]) => now.replace(question, answer), text);
}

const TEXT = /(['"`])(?:(?!\1)[^\\\n]|\\.)*\1/g;
const COMMENT = /^\s*(?:\/\/|#(?!\[)|\*|\/\*)/;
const LOADS = /^\s*(?:import|from|use|export\s+\*|#include|extern crate)\b|\brequire\(/;
const DEFINES =
  /\b(?:if|for|while|switch|return|catch|elif|async|and|or|not|in|match|function\s*\w*|def\s+\w+|func\s+(?:\([^)]*\)\s*)?\w+|fn\s+\w+)\s*\(|^\s*(?:async\s+)?\w+\([^()]*\)\s*\{/g;
const HARMLESS =
  /\b(?:Some|Ok|Number|String|Boolean|int|str|bool|i32|is_ok|is_err|is_some|is_none|get|getenv|Getenv|LookupEnv|Lookup|Testing|env::var|cfg!|thread::current|name)\s*\(/g;
const ACTS = /[\w)\]]\s*!?\(|\b(?:await|new|yield|delete|del)\b/;

/**
 * Whether nothing is started that was not started at the start when these lines behave as if no tests were running: none of
 * them calls anything. Code that keeps tests away from a server or a database does, and stays as it is.
 */
export function onlyCalculates(texts: readonly string[]): boolean {
  return texts.every((text) => {
    if (COMMENT.test(text) || LOADS.test(text)) return true;
    return !ACTS.test(text.replace(TEXT, '""').replaceAll(DEFINES, ' ').replaceAll(HARMLESS, ' '));
  });
}
