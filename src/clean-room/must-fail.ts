import { copyOfTest } from './test-copies.js';

/** A file of tests. */
export interface TestText {
  readonly path: string;
  readonly text: string;
}

interface Asked {
  /** The test command, with the commands that it reaches. */
  readonly commands: string;
  /** What printed the results, as far as it is known. */
  readonly framework: string;
  /** Different in each check, so that no code can know it. Lowercase letters and digits. */
  readonly id: string;
}

const MOST_FILES = 10;
/** Each is run again, or twice. */
const MOST_COPIES = 3;
const LEAST_CHARACTERS = 3;

/** In what is printed of a test that must fail, this is part of its name. */
export const nameOf = (id: string): string => `mustfail${id}`;

/** In the name of a copy that expects other values, behind the rest. */
export const OTHER = 'other';

/** Where the tests run, files of the clean room may not be seen. */
const ELSEWHERE = /\b(?:docker|podman|nerdctl|kubectl|ssh|vagrant|bazel|bazelisk|gradlew?|nx|pants|buck2?)\b/;
/** Only tests of certain names run: a new one may not. */
const FILTERED = /::|--exact\b|-run[ =]\S*\$|\bunittest\s+(?:-\w+\s+)*[\w.]*[A-Z]/;
const FILTERED_SCRIPTS = /\s(?:-t|-g|--grep|--fgrep|--testNamePattern|--test-name-pattern)[ =]/;

/** A file of tests with tests that must fail. */
interface AddedTests extends TestText {
  /** The tests of which there are copies that expect other values. */
  readonly copied: readonly string[];
}

/**
 * Files of tests with more tests, which must fail: a run that stays green shows nothing. Only in files that surely run,
 * because a test in them was reported, and only where the language and the runner are known. The name of that test is the
 * beginning of the new ones, so that patterns for names fit both. One of them fails by itself; the others are copies of tests
 * that expect other values, which shows that what they compare with still compares.
 */
export function withTestsThatMustFail(
  files: readonly TestText[],
  names: readonly string[],
  asked: Asked,
): readonly AddedTests[] {
  if (ELSEWHERE.test(asked.commands) || FILTERED.test(asked.commands)) return [];
  const found = files.flatMap((file) => {
    const likes = names.map((name) => testIn(file, name)).filter((word) => word !== undefined);
    const [like] = likes;
    if (like === undefined) return [];
    const { text: withThem, copied } = withCopies(file, [...new Set(likes)], asked);
    const text = addedTo({ path: file.path, text: withThem }, like, asked);
    return text === undefined ? [] : [{ path: file.path, text, copied }];
  });
  return found.slice(0, MOST_FILES);
}

function withCopies(
  { path, text }: TestText,
  tests: readonly string[],
  { id }: Asked,
): Pick<AddedTests, 'text' | 'copied'> {
  const found = tests.flatMap((name) => {
    const copy = copyOfTest(path, text, name, `${nameOf(id)}${OTHER}`);
    return copy === undefined ? [] : [{ ...copy, name }];
  });
  const kept = found.slice(0, MOST_COPIES);
  // From the end, so that the places of the others stay.
  const fromEnd = kept.toSorted((a, b) => b.at - a.at);
  const copied = fromEnd.reduce((now, copy) => now.slice(0, copy.at) + copy.text + now.slice(copy.at), text);
  return { text: copied, copied: kept.map(({ name }) => name) };
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const TITLE = /\b(?:it|test|specify)\b[\w.]*\(\s*(['"`])((?:(?!\1).)+)\1/g;

/** How the test that was reported by a name is called in the file: empty for the file as a whole, undefined if it is not there. */
function testIn({ path, text }: TestText, name: string): string | undefined {
  const whole = name.replaceAll('\\', '/');
  if (whole === path || whole.endsWith(`/${path}`)) return '';
  const [place = '', ...parts] = whole.split('::');
  // pytest names the file: a test of the same name elsewhere is another one.
  if (path.endsWith('.py') && place.endsWith('.py') && parts.length > 0 && !`/${path}`.endsWith(`/${place}`))
    return undefined;
  if (SCRIPT.test(path)) {
    const titles = [...text.matchAll(TITLE)].map(([, , title = '']) => title);
    return titles.find((title) => name === title || (title.length >= LEAST_CHARACTERS && endsWithWord(name, title)));
  }
  const last =
    name
      .replace(/[[( ].*$/s, '')
      .split(/::|[./]/)
      .at(-1) ?? '';
  const word = path.endsWith('.go') ? (name.split('/')[0] ?? '') : last;
  return /^\w{3,}$/.test(word) && new RegExp(`\\b(?:def|fn|func)\\s+${word}\\b`).test(text) ? word : undefined;
}

function endsWithWord(name: string, title: string): boolean {
  return name.endsWith(title) && /[ >›:/]$/.test(name.slice(0, -title.length));
}

function addedTo(file: TestText, like: string, asked: Asked): string | undefined {
  const { path } = file;
  if (SCRIPT.test(path)) return withScript(file, like, asked);
  if (path.endsWith('.py')) return withPython(file, like, asked);
  if (path.endsWith('_test.go')) return withGo(file, like, asked);
  return path.endsWith('.rs') ? withRust(file, like, asked) : undefined;
}

/** Tests that are built first may be run as they were built before. */
const BUILT = /\b(?:dist|build|out|compiled|tsc)\b/;

function withScript({ path, text }: TestText, like: string, { framework, id, commands }: Asked): string | undefined {
  if (BUILT.test(commands) || FILTERED_SCRIPTS.test(commands) || /\.only\b/.test(text)) return undefined;
  if (/\.[cm]?tsx?$/.test(path) && framework !== 'vitest') return undefined;
  const isModule = !/\.c[jt]s$/.test(path) && /^\s*(?:import|export)\b/m.test(text);
  const loaded = (names: string, from: string) =>
    isModule ? `import ${names} from '${from}';` : `const ${names.replaceAll(' as ', ': ')} = require('${from}');`;
  const own = /\b(?:import|const)\s+(\w+)\s*(?:=\s*require\(|from)\s*['"](?:node:)?assert(?:\/strict)?['"]/.exec(
    text,
  )?.[1];
  const asserts = own === undefined ? [loaded(`${id}assert`, 'node:assert')] : [];
  const assertion = everyFails(own === undefined ? [`${id}assert.strictEqual(1, 2)`] : assertionsOf(text, own));
  const matchers = (expect: string) => everyFails(matchersOf(text).map((matcher) => `${expect}${matcher}`));
  const title = JSON.stringify(`${like} ${nameOf(id)}`.trim());
  const test = (call: string, body: string, ...before: readonly string[]) =>
    [text, ';', ...before, `${call}(${title}, () => { ${body}; });`, ''].join('\n');
  if (/['"]node:test['"]/.test(text)) {
    return test(`${id}test`, assertion, loaded(`{ test as ${id}test }`, 'node:test'), ...asserts);
  }
  if (/['"]vitest['"]/.test(text) || framework === 'vitest') {
    const names = `{ it as ${id}it, expect as ${id}expect }`;
    return isModule ? test(`${id}it`, matchers(`${id}expect`), loaded(names, 'vitest')) : undefined;
  }
  if (framework === 'jest' && !text.includes('@jest/globals')) return test('test', matchers('expect'));
  return framework === 'mocha' ? test('it', assertion, ...asserts) : undefined;
}

/** Fails if each of the assertions does: one that was replaced lets the test pass, and that is noticed. */
function everyFails(assertions: readonly string[]): string {
  const tries = assertions.map((assertion) => `try { ${assertion}; } catch { failed += 1; }`);
  return `let failed = 0; ${tries.join(' ')} if (failed === ${assertions.length}) throw new Error('must fail')`;
}

/** Those of node:assert that a file calls. */
function assertionsOf(text: string, name: string): readonly string[] {
  const called = ['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual'].filter((one) =>
    text.includes(`${name}.${one}(`),
  );
  const truths = [`${name}.ok(`, `${name}(`].filter((call) => text.includes(call)).map((call) => `${call}false)`);
  const all = [...called.map((one) => `${name}.${one}(1, 2)`), ...truths];
  return all.length === 0 ? [`${name}.strictEqual(1, 2)`] : all;
}

/** What follows `expect` in an assertion that fails, by matcher. */
const MATCHERS: Readonly<Record<string, string>> = {
  toBe: '(1).toBe(2)',
  toEqual: '(1).toEqual(2)',
  toStrictEqual: '(1).toStrictEqual(2)',
  toMatchObject: '({ a: 1 }).toMatchObject({ a: 2 })',
  toBeCloseTo: '(1).toBeCloseTo(2)',
  toBeTruthy: '(0).toBeTruthy()',
  toBeFalsy: '(1).toBeFalsy()',
  toBeDefined: '(undefined).toBeDefined()',
  toBeNull: '(1).toBeNull()',
  toContain: '([1]).toContain(2)',
  toHaveLength: '([1]).toHaveLength(2)',
  toThrow: '(() => 1).toThrow()',
};

function matchersOf(text: string): readonly string[] {
  const called = Object.entries(MATCHERS).filter(([name]) => text.includes(`.${name}(`));
  return called.length === 0 ? ['(1).toBe(2)'] : called.map(([, matcher]) => matcher);
}

/** With these, only some tests of a file may be run. */
const MARKED =
  /\bpytestmark\b|\bpytest\.mark\.(?!parametrize|skip|xfail|usefixtures|filterwarnings)|\bdef load_tests\b/;

/** Before the lines that run the file as a program: what follows them may never be read. */
function withPython({ text }: TestText, like: string, { framework, id, commands }: Asked): string | undefined {
  // The tests of an installed package are not those of the work tree.
  if (commands.includes('--pyargs') || MARKED.test(text)) return undefined;
  const name = `${like || 'test'}_${nameOf(id)}`;
  const bodies: Readonly<Record<string, string>> = {
    pytest: `def ${name}():\n    assert 1 == 2\n`,
    unittest: unittestBody(text, `Test${nameOf(id)}`, name),
  };
  const body = bodies[framework];
  if (body === undefined || (framework === 'unittest' && !/-m unittest\b/.test(commands))) return undefined;
  const at = /^if __name__\b/m.exec(text)?.index ?? text.length;
  return `${text.slice(0, at)}\n\n${body}\n\n${text.slice(at)}`;
}

/** As `everyFails`, with the assertions of unittest that the file calls. */
function unittestBody(text: string, group: string, name: string): string {
  const known = { assertEqual: '1, 2', assertTrue: 'False', assertFalse: 'True', assertIs: '1, 2', assertIn: '1, [2]' };
  const called = Object.entries(known).filter(([one]) => text.includes(`.${one}(`));
  const all = called.length === 0 ? [['assertEqual', '1, 2'] as const] : called;
  const tries = all.map(
    ([one, given]) => `        try:
            self.${one}(${given})
        except AssertionError:
            failed += 1
`,
  );
  return `class ${group}(__import__("unittest").TestCase):
    def ${name}(self):
        failed = 0
${tries.join('')}        if failed == ${all.length}:
            raise AssertionError("must fail")
`;
}

function withGo({ text }: TestText, like: string, { id }: Asked): string | undefined {
  if (!/^\s*(?:import\s+)?"testing"\s*$/m.test(text)) return undefined;
  return `${text}\nfunc ${like || 'Test'}_${nameOf(id)}(t *testing.T) {\n\tt.Errorf("must fail")\n}\n`;
}

function withRust({ text }: TestText, like: string, { id }: Asked): string {
  const name = `${like || 'test'}_${nameOf(id)}`;
  return `${text}\n#[cfg(test)]\nmod ${nameOf(id)} {\n    #[test]\n    fn ${name}() {\n        assert_eq!(1, 2);\n    }\n}\n`;
}
