import type { Flag } from '../model/original-tests.js';
import { endOfBracket, type Language } from './brackets.js';
import type { SourceText } from './files-of-tests.js';

const JUDGES = 'decides whether a test passes';

const LANGUAGES: readonly (readonly [RegExp, Language])[] = [
  [/\.[cm]?[jt]sx?$/, 'script'],
  [/\.py$/, 'python'],
  [/\.go$/, 'go'],
  [/\.rs$/, 'rust'],
];
const SHELL = /\.(?:ba|z)?sh$/;
/** `assert.ok(isTotal(`, `assert is_total(`, `assert!(is_total(`, `expect(isTotal(`, `if !isTotal(`: only yes or no is asked. */
const ASKED =
  /(?:\bassert(?:\.ok|\.isTrue|_?[tT]rue|\.True)?!?[ (]\s*|\brequire\.True\(\s*|\bok\(\s*|\bexpect\(\s*|\bif !\s*)(?:t,\s*)?(?:await\s+)?(?:\w+(?:\.|::))*(\w+)(?=\()/g;
const TRUE =
  /^\s*\)\s*\.(?:toBe\(\s*true\s*\)|toBeTruthy\(\)|toEqual\(\s*true\s*\)|toStrictEqual\(\s*true\s*\)|to\.be\.(?:true|ok)\b)/;
const CALL = /\w\s*\(/;
/** `if sh tools/same.sh $(./sum 1 2) 3; then` */
const ASKED_SCRIPT =
  /^\s*(?:if|elif|while|until)?\s*!?\s*(?:(?:ba|z)?sh\s+|\.\/)([\w./-]+\.(?:ba|z)?sh)\s[^\n]*(?:\$\(|`|"?\$\w)/gm;
const DEFINED =
  /^[ \t]*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)\n]*\))?\s+)?(?:async\s+)?(?:function\*?|def|fn|func(?:\s*\([^)\n]*\))?|const|let|var)\s+(\w+)/gm;

/** The functions of a file, each with the line on which it begins, and the path of a script. */
export function judgesIn({ path, text }: SourceText): ReadonlyMap<string, number> {
  if (SHELL.test(path)) return new Map([[path, 1]]);
  if (languageOf(path) === undefined) return new Map();
  const found = [...text.matchAll(DEFINED)];
  return new Map(found.map((match) => [match[1] ?? '', text.slice(0, match.index).split('\n').length]));
}

/** What a test asks whether the result of other code is right. */
export function askedBy({ path, text }: SourceText): ReadonlySet<string> {
  if (SHELL.test(path)) return new Set([...text.matchAll(ASKED_SCRIPT)].map(([, script = '']) => script));
  const language = languageOf(path);
  if (language === undefined) return new Set();
  const asked = [...text.matchAll(ASKED)].filter((match) => {
    const start = match.index + match[0].length;
    const end = endOfBracket(text, start, language);
    const rest = end === undefined ? '' : text.slice(end);
    const isTruth = match[0].includes('expect')
      ? TRUE.test(rest)
      : !/^\s*(?:[=!]=|[<>]|is\b|in\b|,\s*[^'"`\s])/.test(rest);
    return isTruth && CALL.test(text.slice(start + 1, end));
  });
  return new Set(asked.map(([, name = '']) => name));
}

/**
 * Changed code that the tests of the start ask whether the result of other code is right: a test that trusts it is as strict
 * as the agent made it. No rule can tell a repaired judge from a lax one, so a person has to read it.
 */
export function judgingLines(
  added: readonly { readonly path: string; readonly line: number }[],
  sources: readonly SourceText[],
  tests: readonly SourceText[],
): readonly Flag[] {
  const asked = new Set(tests.flatMap((test) => [...askedBy(test)]));
  return sources.flatMap((source) => {
    const defined = [...judgesIn(source)];
    const lines = added.filter(({ path }) => path === source.path).map(({ line }) => line);
    return defined.flatMap(([name, from], at) => {
      const until = defined[at + 1]?.[1] ?? Number.POSITIVE_INFINITY;
      const line = asked.has(name) ? lines.find((one) => one >= from && one < until) : undefined;
      return line === undefined ? [] : [{ path: source.path, line, what: JUDGES }];
    });
  });
}

function languageOf(path: string): Language | undefined {
  return LANGUAGES.find(([names]) => names.test(path))?.[1];
}
