import { endOfBracket } from './brackets.js';

const RUST_TESTS = /#\[cfg\(test\)\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub\s+)?mod\s+(\w+)\s*(?=\{)/g;
const SCRIPT_TESTS = /^if\s*\(\s*import\.meta\.vitest\s*\)\s*(?=\{)/gm;
const DOCSTRING = /^([ \t]*)(?:async\s+)?(?:def|class)\s+(\w+)[^\n]*:[ \t]*\n[ \t]*[rRuU]?("""|''')([\s\S]*?)\3/gm;
/** A file of a crate that holds nothing but tests. */
const TEST_FILE = /(?:^|\/)src\/(?:.*\/)?(?:tests?|\w+_tests?)\.rs$/;
const MOST_CHARACTERS = 256 * 1024;

/** The tests in a source file, each by its name. */
interface Part {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Whether a source file can contain tests. */
export function canHoldTests(path: string): boolean {
  return /\.(?:rs|py|[cm]?[jt]sx?)$/.test(path);
}

/** Whether a test that was reported by a name is in this file, which is a guess: the name ends with one that the file has. */
export function isTestIn(name: string, path: string, text: string): boolean {
  if (path.endsWith('.py')) return name.includes(path) || name.includes(path.replace(/\.py$/, '').replaceAll('/', '.'));
  const last = name.split(/::|[ ›>]+ /).at(-1) ?? '';
  return last !== '' && text.includes(last.trim());
}

/**
 * The code of now with the tests that the same file contained at the start; undefined where it contains the same. Tests that call
 * a function of the file that is gone stay as they are.
 */
export function withEarlierTests(path: string, original: string, now: string): string | undefined {
  if (original.length > MOST_CHARACTERS || now.length > MOST_CHARACTERS) return undefined;
  if (TEST_FILE.test(path)) return original === now ? undefined : original;
  const [before, after] = [partsOf(path, original), partsOf(path, now)];
  const isDocstring = path.endsWith('.py');
  let text = now;
  // From the end, so that the places of the others stay.
  for (const part of after.toReversed()) {
    const earlier = before.find(({ name }) => name === part.name);
    if (earlier === undefined) continue;
    const tests = original.slice(earlier.start, earlier.end);
    if (isDocstring && !tests.includes('>>>')) continue;
    if (!isDocstring && !canStillCall(tests, outside(original, before), outside(now, after))) continue;
    text = text.slice(0, part.start) + tests + text.slice(part.end);
  }
  const gone = isDocstring ? [] : before.filter(({ name }) => !after.some((part) => part.name === name));
  for (const { start, end } of gone) {
    const tests = original.slice(start, end);
    if (canStillCall(tests, outside(original, before), outside(now, after))) text += `\n${tests}\n`;
  }
  return text === now ? undefined : text;
}

function partsOf(path: string, text: string): readonly Part[] {
  if (path.endsWith('.py')) {
    return [...text.matchAll(DOCSTRING)].map(({ index, 0: whole, 1: indent = '', 2: name = '', 4: inside = '' }) => {
      const end = index + whole.length - 3;
      return { name: indent + name, start: end - inside.length, end };
    });
  }
  const language = path.endsWith('.rs') ? 'rust' : 'script';
  return [...text.matchAll(language === 'rust' ? RUST_TESTS : SCRIPT_TESTS)].flatMap((found) => {
    const end = endOfBracket(text, found.index + found[0].length, language);
    return end === undefined ? [] : [{ name: found[1] ?? '', start: found.index, end }];
  });
}

function outside(text: string, parts: readonly Part[]): string {
  return parts.toReversed().reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
}

const DEFINED = /\b(?:fn|struct|enum|trait|type|mod|static|const|function|class|let|var)\s+(\w+)/g;

/** Whether what the tests mention of the file is still defined in it. */
function canStillCall(tests: string, original: string, now: string): boolean {
  const names = (text: string) => new Set([...text.matchAll(DEFINED)].map(([, name = '']) => name));
  const left = names(now);
  return [...names(original)].every((name) => left.has(name) || !new RegExp(`\\b${name}\\b`).test(tests));
}
