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
const LEAST_CHARACTERS = 3;

/** In what is printed of a test that must fail, this is part of its name. */
export const nameOf = (id: string): string => `mustfail${id}`;

/** Where the tests run, files of the clean room may not be seen. */
const ELSEWHERE = /\b(?:docker|podman|nerdctl|kubectl|ssh|vagrant|bazel|bazelisk|gradlew?|nx|pants|buck2?)\b/;
/** Only tests of certain names run: a new one may not. */
const FILTERED = /::|--exact\b|-run[ =]\S*\$|\bunittest\s+(?:-\w+\s+)*[\w.]*[A-Z]/;
const FILTERED_SCRIPTS = /\s(?:-t|-g|--grep|--fgrep|--testNamePattern|--test-name-pattern)[ =]/;

/**
 * Files of tests with one more test each, which must fail: a run that stays green shows nothing. Only in files that surely run,
 * because a test in them was reported, and only where the language and the runner are known. The name of that test is the
 * beginning of the new one, so that patterns for names fit both.
 */
export function withTestsThatMustFail(
  files: readonly TestText[],
  names: readonly string[],
  asked: Asked,
): readonly TestText[] {
  if (ELSEWHERE.test(asked.commands) || FILTERED.test(asked.commands)) return [];
  const found = files.flatMap((file) => {
    const like = names.map((name) => testIn(file, name)).find((word) => word !== undefined);
    const text = like === undefined ? undefined : addedTo(file, like, asked);
    return text === undefined ? [] : [{ path: file.path, text }];
  });
  return found.slice(0, MOST_FILES);
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
  const tolerant = tolerances(text, CLOSE).map(([name, most]) => `(0).toBeCloseTo(${most}, ${name})`);
  return called.length === 0 ? ['(1).toBe(2)'] : [...called.map(([, matcher]) => matcher), ...tolerant];
}

/** `toBeCloseTo(3, DIGITS)` */
const CLOSE = /\.toBeCloseTo\(\s*(\d+(?:\.\d+)?)\s*,\s*([A-Za-z_$][\w$.]*)\s*,?\s*\)/g;
/** `approx(3, abs=LIMIT)` */
const APPROX = /\bapprox\(\s*(\d+(?:\.\d+)?)\s*,\s*((?:abs|rel)\s*=\s*[A-Za-z_][\w.]*)\s*,?\s*\)/g;

/** The tolerances that a file imports, each with the greatest number that is compared by it: 0 must not be close to that. */
function tolerances(text: string, pattern: RegExp): readonly (readonly [string, number])[] {
  const most = new Map<string, number>();
  for (const [, number, tolerance = ''] of text.matchAll(pattern)) {
    const name = /[\w$]+/.exec(tolerance.replace(/^(?:abs|rel)\s*=/, ''))?.[0].replaceAll('$', String.raw`\$`) ?? '';
    const isImported = new RegExp(
      `^(?:import|from)\\b[^'"\\n]*\\b${name}\\b|^const\\b[^=\\n]*\\b${name}\\b[^=\\n]*=\\s*require\\(`,
      'm',
    ).test(text);
    if (isImported && Number(number) >= 1) most.set(tolerance, Math.max(most.get(tolerance) ?? 0, Number(number)));
  }
  return [...most];
}

/** With these, only some tests of a file may be run. */
const MARKED =
  /\bpytestmark\b|\bpytest\.mark\.(?!parametrize|skip|xfail|usefixtures|filterwarnings)|\bdef load_tests\b/;

/** Before the lines that run the file as a program: what follows them may never be read. */
function withPython({ text }: TestText, like: string, { framework, id, commands }: Asked): string | undefined {
  // The tests of an installed package are not those of the work tree.
  if (commands.includes('--pyargs') || MARKED.test(text)) return undefined;
  const name = `${like || 'test'}_${nameOf(id)}`;
  const module = text.includes('pytest.approx(') ? 'pytest.' : '';
  const tolerant = tolerances(text, APPROX).map(([given, most]) => ` or 0 == ${module}approx(${most}, ${given})`);
  const bodies: Readonly<Record<string, string>> = {
    pytest: `def ${name}():\n    assert 1 == 2${tolerant.join('')}\n`,
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
