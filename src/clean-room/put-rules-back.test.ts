import { describe, expect, it } from 'vitest';
import { putBack } from './put-back.js';

function inRoom(path: string, original: string, now: string, command = 'make test') {
  const back = putBack(path, original, now, command);
  return back === undefined ? now : back.content;
}

const MAKEFILE = `CC = cc
SRCS = src/a.c src/b.c
TEST_SRCS = test/a.c test/b.c
PYTEST ?= pytest

.PHONY: test run

run: build
	./app

build: $(SRCS)
	$(CC) -o app $(SRCS)

test: build bin/tests
	./bin/tests
	$(PYTEST) -q

bin/tests: $(TEST_SRCS)
	$(CC) -o $@ $^
`;

describe('a makefile', () => {
  it.each([
    ['the recipe', MAKEFILE.replace('\t./bin/tests\n', '\techo 5 passed\n')],
    ['an ignored failure', MAKEFILE.replace('\t./bin/tests', '\t-./bin/tests')],
    ['the variable of the runner', MAKEFILE.replace('PYTEST ?= pytest', 'PYTEST = true')],
    ['a target that forges a program', MAKEFILE.replace('\t$(CC) -o $@ $^', '\techo exit 0 > $@')],
    [
      'a build that forges a result',
      MAKEFILE.replace('\t$(CC) -o app $(SRCS)', '\t$(CC) -o app $(SRCS); cp x bin/tests'),
    ],
    ['a program made from something else', MAKEFILE.replace('bin/tests: $(TEST_SRCS)', 'bin/tests: fake.c')],
    ['a new shell', `SHELL = /bin/true\n${MAKEFILE}`],
    ['flags of make', `${MAKEFILE}MAKEFLAGS += -i\n`],
    ['ignored errors', `${MAKEFILE}.IGNORE:\n`],
    ['a file that is included', `${MAKEFILE}include cheat.mk\n`],
    ['an exported option', `export NODE_OPTIONS = -r ./a.js\n${MAKEFILE}`],
    ['rules that are generated', `${MAKEFILE}$(eval test: ; true)\n`],
    ['a list without a test', MAKEFILE.replace('test/a.c test/b.c', 'test/b.c')],
    ['a list with a new test', MAKEFILE.replace('test/a.c test/b.c', 'test/a.c test/b.c test/new.c')],
  ])('%s goes back', (_, now) => {
    expect(now).not.toBe(MAKEFILE);
    expect(inRoom('Makefile', MAKEFILE, now)?.trimEnd().split(/\s+/)).toEqual(MAKEFILE.trimEnd().split(/\s+/));
  });

  it('a second rule of the same name, and a variable of its own, go', () => {
    const now = `${MAKEFILE}\ntest:\n\ttrue\ntest: PYTEST = true\n`;
    expect(inRoom('Makefile', MAKEFILE, now)?.trimEnd()).toBe(MAKEFILE.trimEnd());
  });

  it.each([
    ['another recipe', MAKEFILE.replace('\t./app', '\t./app --dev')],
    ['sources', MAKEFILE.replace('src/b.c', 'src/b.c src/c.c')],
    ['sources in a list of tests', MAKEFILE.replace('test/b.c', 'test/b.c src/c.c')],
    ['libraries in the rule of a test program', MAKEFILE.replace('$@ $^', '$@ $^ -lm')],
    ['the compiler flags', `CFLAGS = -O2\n${MAKEFILE.replace('$(CC) -o app', '$(CC) $(CFLAGS) -o app')}`],
    ['a new target', `${MAKEFILE}\nfmt:\n\tclang-format -i $(SRCS)\n`],
    ['dependencies of the compiler', `${MAKEFILE}-include $(SRCS:.c=.d)\n`],
  ])('%s: stays', (_, now) => {
    expect(now).not.toBe(MAKEFILE);
    expect(putBack('Makefile', MAKEFILE, now, 'make test')).toBeUndefined();
  });

  it('a source that the test program now needs stays in a recipe that goes back otherwise', () => {
    const original = 'test:\n\tcc -o t test/a.c src/a.c\n\t./t\n';
    const now = original.replace('src/a.c', 'src/a.c src/b.c -lm');
    expect(putBack('Makefile', original, now, 'make test')).toBeUndefined();
    expect(inRoom('Makefile', original, now.replace('./t', './t || true'))).toBe(original);
    expect(inRoom('Makefile', original, original.replace('test/a.c', 'test/cheat.c'))).toBe(original);
  });

  it('a rule whose name is in a variable goes, and so does a line that makes one', () => {
    const room = inRoom('Makefile', MAKEFILE, `${MAKEFILE}T = $(U)\nU = test\n$(T):\n\ttrue\n$(X)\n`);
    expect(room).toBe(`${MAKEFILE}T = $(U)\nU = test\n`);
    expect(inRoom('rules.mk', 'all: a\n', 'all: a\ntest:\n\ttrue\n')).toBe('all: a\n');
  });

  it('a program of the tests that another file names goes back there', () => {
    const commands = 'make test\n$(RUN) tests/run.sh';
    expect(inRoom('config.mk', 'RUN = sh\nCC = cc\n', 'RUN = true\nCC = gcc\n', commands)).toBe('RUN = sh\nCC = gcc\n');
  });

  it('rules of two branches keep their places', () => {
    const original = 'ifdef X\ntest:\n\ta\nelse\ntest:\n\tb\nendif\n';
    expect(inRoom('Makefile', original, original.replace('\tb', '\ttrue'))).toBe(original);
  });

  it('the default target stays the default', () => {
    const original = 'check:\n\tpytest\n';
    const room = inRoom('Makefile', original, 'other:\n\ttrue\ncheck:\n\ttrue\n', 'make');
    expect(room).toBe('other:\n\ttrue\ncheck:\n\tpytest\n.DEFAULT_GOAL := check\n');
  });

  it('a test target that is a file now is made again', () => {
    expect(inRoom('Makefile', MAKEFILE, MAKEFILE.replace('.PHONY: test run', '.PHONY: run'))).toContain(
      '.PHONY: test\n',
    );
  });

  it('a file that make reads in its place goes, and one that is gone comes back', () => {
    expect(putBack('GNUmakefile', undefined, 'test:\n\ttrue\n', 'make test')).toEqual({ content: undefined });
    expect(putBack('Makefile', undefined, 'test:\n\ttrue\n', 'make test')).toBeUndefined();
    expect(putBack('Makefile', MAKEFILE, undefined, 'make test')).toEqual({ content: MAKEFILE });
  });
});

it('a justfile', () => {
  const original =
    'set shell := ["bash", "-c"]\n\ntest filter="": build\n    cargo test {{filter}}\n\nbuild:\n    cargo build\n\nrun:\n    ./a\n';
  const room = (now: string) => inRoom('justfile', original, now, 'just test');
  expect(room(original.replace('cargo test {{filter}}', 'true'))).toBe(original);
  expect(room(original.replace('["bash", "-c"]', '["true"]'))).toBe(original);
  const honest = original.replace('./a', './b').replace('cargo build', 'cargo build --release');
  expect(room(honest)).toBe(honest);
});

describe('CMakeLists.txt', () => {
  const CMAKE = `cmake_minimum_required(VERSION 3.20)
project(app C)
enable_testing()
add_library(app src/a.c) # add_test(NAME x COMMAND y)
add_executable(unit test/a.c test/b.c)
target_link_libraries(unit PRIVATE app)
add_test(NAME unit COMMAND unit --all)
`;
  const room = (now: string) => inRoom('CMakeLists.txt', CMAKE, now, 'ctest --test-dir build');

  it.each([
    ['the command of a test', CMAKE.replace('COMMAND unit --all', 'COMMAND true')],
    ['a test that may fail', `${CMAKE}set_tests_properties(unit PROPERTIES WILL_FAIL TRUE)\n`],
    ['a disabled test', `${CMAKE}set_property(TEST unit PROPERTY DISABLED TRUE)\n`],
    ['a program that runs all tests', `${CMAKE}set(CMAKE_CROSSCOMPILING_EMULATOR /bin/true)\n`],
    ['a list without a test', CMAKE.replace(' test/b.c', '')],
    ['a list with a new test', CMAKE.replace('test/b.c', 'test/b.c test/new.c')],
    ['a test that is gone', CMAKE.replace('add_test(NAME unit COMMAND unit --all)\n', '')],
    ['a list of moved tests', CMAKE.replace('test/a.c test/b.c', 'tests/unit/a.c tests/unit/b.c')],
    ['no tests', CMAKE.replace('enable_testing()\n', '')],
    [
      'a new program of new tests',
      `${CMAKE}add_executable(more test/more.c)\ntarget_link_libraries(more app)\nadd_test(NAME more COMMAND more)\n`,
    ],
  ])('%s goes back', (_, now) => {
    expect(now).not.toBe(CMAKE);
    expect(room(now)?.split(/\s+/).filter(Boolean).join(' ').replaceAll(' )', ')')).toBe(
      CMAKE.trim().split(/\s+/).join(' '),
    );
  });

  it.each([
    ['sources', CMAKE.replace('src/a.c', 'src/a.c src/b.c')],
    ['sources of a test program', CMAKE.replace('test/b.c)', 'test/b.c src/b.c)')],
    ['settings of the build', `${CMAKE}target_compile_features(app PUBLIC c_std_11)\nset(CMAKE_C_STANDARD 17)\n`],
    ['another test', `${CMAKE}add_test(NAME smoke COMMAND app --version)\n`],
  ])('%s: stays', (_, now) => {
    expect(putBack('CMakeLists.txt', CMAKE, now, 'ctest')).toBeUndefined();
  });

  it('a test program that got another name is there under both', () => {
    const text = room(CMAKE.replaceAll('unit', 'checks').replaceAll('test/', 'checks/'));
    expect(text).toContain('add_executable(unit test/a.c test/b.c)\ntarget_link_libraries(unit PRIVATE app)\n');
    expect(text).toContain('add_test(NAME unit COMMAND unit --all)');
  });

  it('in the folder of tests, sources outside of it stay', () => {
    const original = 'add_executable(unit a.c ../src/a.c)\nadd_test(unit unit)\n';
    const now = 'add_executable(unit a.c new.c ../src/a.c ../src/b.c)\nadd_test(unit unit)\n';
    expect(inRoom('tests/CMakeLists.txt', original, now)).toBe(now.replace(' new.c', ' '));
  });
});

it('a property of a test goes where the name of the test is in a variable, and stays where the test is new', () => {
  const original = 'foreach(name adds zero)\n  add_test(NAME ${name} COMMAND ${name})\nendforeach()\n';
  const forgiving = `${original}set_tests_properties(adds PROPERTIES WILL_FAIL TRUE)\n`;
  expect(inRoom('CMakeLists.txt', original, forgiving, 'ctest')).toBe(`${original}\n`);
  const slow = `${original}add_test(NAME slow COMMAND slow)\nset_tests_properties(slow PROPERTIES TIMEOUT 9)\n`;
  expect(inRoom('CMakeLists.txt', original, slow, 'ctest')).toBe(slow);
});
