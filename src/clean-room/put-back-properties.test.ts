import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickly, tries } from '../../test/support/full-form.js';
import { putBack, reachedCommands } from './put-back.js';

const FILES = [
  'package.json',
  'deno.jsonc',
  'Taskfile.yml',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'Cargo.toml',
  '.env',
  'Makefile',
  'justfile',
  'CMakeLists.txt',
  'vite.config.ts',
];
const COMMAND = 'npm run test && make test && just test';

/** Pieces that mean something in one of the formats. */
const PIECES = [
  '[tool.pytest.ini_options]\n',
  '[[test]]\n',
  '[testenv]\n',
  'name = "a"\n',
  'a = """\n',
  "'''",
  '"',
  '\\',
  '\n',
  '\t',
  ' ',
  '#',
  '{"scripts":{"test":"a"}}',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  'test:',
  'test: a\n\tb\n',
  'define x\n',
  'endef\n',
  'TEST_SRCS = test/a.c ',
  'test/b.c',
  'add_test(NAME a COMMAND b)\n',
  'add_executable(t test/a.c)\n',
  '#[[',
  ']]',
  '[=[',
  '$(X)',
  ' \\\n',
  '/*',
  '//',
  'NODE_OPTIONS=x\n',
  '\uFEFF',
  '\0',
  '\r\n',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), { maxLength: 40 })
  .map((all) => all.join(''));
const maybe = fc.option(text, { nil: undefined });
const file = fc.constantFrom(...FILES);

describe('putting back', () => {
  it('never throws, whatever the files contain', () => {
    fc.assert(
      fc.property(file, maybe, maybe, (path, original, now) => {
        reachedCommands(path, original ?? '', COMMAND);
        const back = putBack(path, original, now, COMMAND);
        if (original === now) expect(back).toBeUndefined();
      }),
      { numRuns: tries(800) },
    );
  });

  it.each([
    '\n',
    '[a',
    '[',
    '"',
    "'",
    '\\"',
    '"\\',
    '"""',
    '#[[',
    '#',
    '/*',
    '//',
    'a',
    'a=',
    '=a',
    ' ',
    '(',
    'a(',
    ';',
    '&&',
    '$(',
    'a:',
    'a b',
    '*',
    '- ',
    '{"a":',
    '[[test]]\n',
    '[testenv:a]\nb=c\n',
    'test:\n\t$(A)\n',
    'A=$(A)\n',
    'test/a.c ',
    'add_test(a b)\n',
    ' \\\n',
    '\t-',
    'x*\n',
  ])('ends soon on a long text of %j', (piece) => {
    const long = piece.repeat(Math.floor(quickly(100_000) / piece.length));
    for (const path of FILES) putBack(path, `${long}x`, long, COMMAND);
  });
});

const name = fc
  .stringMatching(/^[a-z]{1,8}$/)
  .filter((each) => !/test|unit|spec|check|ci|cov|verify|env|path|shell|skip/.test(each));

/** Fields of package.json that are put back: what runs scripts, and every runner. */
const SAYS_HOW_TESTS_RUN =
  /^(?:scripts|imports|tasks|jest|jest-.+|mocha|ava|vitest|nyc|c8|tap|tape|karma|jasmine|cypress|playwright|testem|qunit|uvu|nx|wireit|test)$/;

describe('what does not say how tests run stays as it is', () => {
  const lines = fc.array(fc.tuple(name, fc.stringMatching(/^[ -!#-Z^-~]{0,12}$/)), { maxLength: 8 });

  it('in TOML, byte for byte', () => {
    const other = lines.map((all) => `[other]\n${all.map(([key, value]) => `${key} = "${value}" # x\n\n`).join('')}`);
    fc.assert(
      fc.property(other, (rest) => {
        const settings = '[tool.pytest.ini_options]\naddopts = "-q"\n';
        const now = `${rest}[tool.pytest.ini_options]\naddopts = "-k no"\n`;
        expect(putBack('pyproject.toml', settings, now, 'pytest')).toEqual({ content: rest + settings });
        expect(putBack('pyproject.toml', `${settings}${rest}`, `${rest}${settings}`, 'pytest')).toBeUndefined();
      }),
    );
  });

  it('in package.json, each value and its place', () => {
    const fields = fc
      .dictionary(name, fc.jsonValue(), { noNullPrototype: true })
      .filter((all) => !Object.keys(all).some((key) => SAYS_HOW_TESTS_RUN.test(key)));
    fc.assert(
      fc.property(fields, (rest) => {
        const now = JSON.stringify({ ...rest, scripts: { test: 'true', start: 'a' } });
        const back = putBack('package.json', '{"scripts":{"test":"jest"}}', now, 'npm test');
        expect(back?.content).toBe(
          JSON.stringify({ ...JSON.parse(JSON.stringify(rest)), scripts: { test: 'jest', start: 'a' } }),
        );
      }),
    );
  });

  it('in a makefile, byte for byte', () => {
    const rules = fc
      .array(fc.tuple(name, name), { maxLength: 8 })
      .map((all) => all.map(([target, word]) => `t${target}: a\n\t${word} $@ # x\n\nV${word} := b\n`).join(''));
    fc.assert(
      fc.property(rules, (rest) => {
        const now = `${rest}test:\n\ttrue\n`;
        expect(putBack('Makefile', 'test:\n\tpytest\n', now, 'make test')).toEqual({
          content: `${rest}test:\n\tpytest\n`,
        });
      }),
    );
  });
});

/** Rules that the tests reach: the command has the word `run`, and the test target needs the object. */
const REACHED_RULES = ['run: a\n\t./a\n\n', 'obj/a.o: src/a.c\n\tcc -c $<\n'];

/** Parts of manifests: those that stay, and of those that go back two versions each. */
const PARTS: Readonly<
  Record<string, { readonly other: readonly string[]; readonly tests: readonly (readonly [string, string])[] }>
> = {
  'pyproject.toml': {
    other: [
      '[project]\nname = "a"\n',
      '[tool.ruff]\nselect = [\n  "E",\n]\n',
      '[tool.x]\na = """\n[tool.tox]\n"""\n',
      '[[tool.y]]\nname = "b"\n',
    ],
    tests: [
      ['[tool.pytest.ini_options]\naddopts = "-q"\n', '[tool.pytest.ini_options]\naddopts = "-k no"\n'],
      ['[tool.coverage.run]\nbranch = true\n', '[tool."coverage".run]\nbranch = false\n'],
    ],
  },
  'Cargo.toml': {
    other: ['[package]\nname = "a"\n', '[dependencies]\na = { version = "1" }\n', '[[bin]]\nname = "x"\n'],
    tests: [
      ['[[test]]\nname = "t"\n', '[[test]]\nname = "t"\nharness = false\n'],
      ['[profile.test]\nopt-level = 0\n', '[profile.test]\nopt-level = 3\n'],
    ],
  },
  'setup.cfg': {
    other: ['[metadata]\nname = a\n', '[options]\nx =\n  [tool:pytest]\n  b\n', '[flake8]\n# c\n'],
    tests: [['[tool:pytest]\naddopts = -q\n', '[tool:pytest]\naddopts =\n  -k no\n']],
  },
  Makefile: {
    other: ['CFLAGS = -O2\n', '# comment\n', ...REACHED_RULES],
    tests: [
      ['test: obj/a.o\n\t./t\n', 'test:\n\ttrue\n'],
      ['check:\n\tpytest\n', 'check:\n\techo ok\n'],
      ['SHELL = bash\n', 'SHELL = true\n'],
    ],
  },
  'CMakeLists.txt': {
    other: ['project(a C)\n', 'add_library(a src/a.c)\n', '# add_test(c d)\n', 'set(X "a b)")\n'],
    tests: [
      ['add_test(NAME t COMMAND t)\n', 'add_test(NAME t COMMAND true)\n'],
      ['add_test(u u)\n', 'add_test(u true)\n'],
    ],
  },
};

describe.each(Object.keys(PARTS))('%s of any parts in any order', (path) => {
  const { other, tests } = PARTS[path] ?? { other: [], tests: [] };
  const order = fc.array(fc.nat(), { minLength: 10, maxLength: 10 });
  const inOrder = (parts: readonly string[], keys: readonly number[]) =>
    parts
      .map((part, at) => ({ part, key: keys[at] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ part }) => part)
      .join('');

  it('what stays is there byte for byte, what goes back is as it was, and then nothing is left to do', () => {
    const versions = fc.array(fc.constantFrom('same', 'other', 'gone', 'new'), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.subarray([...other]),
        fc.subarray([...other]),
        versions,
        order,
        order,
        (before, after, states, first, second) => {
          const wasThere = tests.filter((_, at) => states[at] !== 'new').map(([version]) => version);
          const isThere = tests.flatMap(([same, changed], at) =>
            states[at] === 'gone' ? [] : [states[at] === 'same' ? same : changed],
          );
          const original = inOrder([...before, ...wasThere], first);
          const now = inOrder([...after, ...isThere], second);
          const back = putBack(path, original, now, COMMAND);
          const room = back === undefined ? now : (back.content ?? '');
          if (now === '') return;
          for (const part of [...after, ...wasThere]) expect(room).toContain(part);
          for (const [at, [, changed]] of tests.entries())
            if (states[at] === 'other') expect(room).not.toContain(changed);
          expect(putBack(path, original, room, COMMAND)?.content ?? room).toBe(room);
          if (states.some((state) => state !== 'same')) return;
          // A rule that the tests depend on goes back where it is gone; otherwise nothing does.
          const lost = before.filter((part) => REACHED_RULES.includes(part) && !after.includes(part));
          for (const part of lost) expect(room).toContain(part.trimEnd());
          if (lost.length === 0) expect(back).toBeUndefined();
        },
      ),
      { numRuns: tries(150) },
    );
  });
});
