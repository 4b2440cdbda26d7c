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
  /^([ \t]*)(?:(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)\n]*\))?\s+)?(?:async\s+)?(?:function\*?|def|fn|func(?:\s*\([^)\n]*\))?|const|let|var)\s+(\w+)|(?:async\s+|static\s+)*(?!(?:if|for|while|switch|catch|with)\b)(\w+)\s*\([^)\n]*\)\s*\{)/gm;

/** The functions of a file, each with its own text and the line on which that begins; a script is one. */
export function judgesIn({
  path,
  text,
}: SourceText): ReadonlyMap<string, { readonly from: number; readonly text: string }> {
  if (SHELL.test(path)) return new Map([[path, { from: 1, text }]]);
  if (languageOf(path) === undefined) return new Map();
  const found = [...text.matchAll(DEFINED)];
  let [line, counted] = [1, 0];
  return new Map(
    found.map((match, at) => {
      const [, indent = '', name = '', method = name] = match;
      line += text.slice(counted, match.index).split('\n').length - 1;
      counted = match.index;
      // What is further in belongs to it.
      let next = at + 1;
      while (next < found.length && (found[next]?.[1] ?? '').length > indent.length) next += 1;
      const own = text.slice(match.index, found[next]?.index);
      return [name === '' ? method : name, { from: line, text: own }] as const;
    }),
  );
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

/** A file as it is, and as it was at the start. */
export interface ChangedSource extends SourceText {
  readonly original: string;
}

/**
 * Changed code that the tests of the start ask whether the result of other code is right: a test that trusts it is as strict
 * as the agent made it. No rule can tell a repaired judge from a lax one, so a person has to read it.
 */
export function judgingLines(sources: readonly ChangedSource[], tests: readonly SourceText[]): readonly Flag[] {
  const asked = new Set(tests.flatMap((test) => [...askedBy(test)]));
  return sources.flatMap(({ path, text, original }) => {
    const before = judgesIn({ path, text: original });
    return [...judgesIn({ path, text })].flatMap(([name, judge]) => {
      const changed = asked.has(name) ? firstChange(before.get(name)?.text ?? '', judge.text) : undefined;
      return changed === undefined ? [] : [{ path, line: judge.from + changed, what: JUDGES }];
    });
  });
}

/** The first line that is another one, counted from 0; where lines only went, the last that is left before them. */
function firstChange(before: string, now: string): number | undefined {
  const [earlier, lines] = [before, now].map((text) => text.trimEnd().split('\n')) as [string[], string[]];
  const at = earlier.findIndex((line, index) => line !== lines[index]);
  const found = at === -1 ? (lines.length > earlier.length ? earlier.length : -1) : at;
  return found === -1 ? undefined : Math.min(found, lines.length - 1);
}

function languageOf(path: string): Language | undefined {
  return LANGUAGES.find(([names]) => names.test(path))?.[1];
}
