import type { Project } from './scenario.js';
import { replace, write } from './steps.js';

// The same small project for every runner: `sum` subtracts. Two tests of two fail in the file `adds`, none of two in `zero`.

export const manifest = (fields: Readonly<Record<string, unknown>>) => `${JSON.stringify(fields, null, 2)}\n`;

// Edits that change nothing: a run whose agent changed no file that counts does not end as done for that reason alone.
export const busyNode = replace('src/sum.js', 'return', '// The sum of both.\n  return');
export const busyPython = replace('src/calc.py', 'return', '# The sum of both.\n    return');
export const busyGo = replace('sum.go', 'return', '// The sum of both.\n\treturn');
/** In a file that is not part of the build: an edit of the code would have the tests compiled again. */
export const busyRust = write('src/sums.rs', '// More sums will be here.\n');

const NODE_IGNORED = ['node_modules/'];

export const nodeTest: Project = {
  runner: 'node:test',
  files: {
    'package.json': manifest({ name: 'sum', private: true, type: 'module', scripts: { test: 'node --test' } }),
    'src/sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n',
    'test/adds.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.js';

test('adds ones', () => {
  assert.strictEqual(sum(1, 2), 3);
});

test('adds tens', () => {
  assert.strictEqual(sum(10, 20), 30);
});
`,
    'test/zero.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.js';

test('adds nothing', () => {
  assert.strictEqual(sum(0, 0), 0);
});

test('adds nothing to seven', () => {
  assert.strictEqual(sum(7, 0), 7);
});
`,
  },
  ignored: NODE_IGNORED,
  truth: `node --input-type=module -e "const { sum } = await import('./src/sum.js'); console.log(sum(20, 22) === 42)"`,
};

/** What `node --test` prints when these tests pass. */
export const FAKE_TAP = `TAP version 13
# Subtest: adds ones
ok 1 - adds ones
# Subtest: adds tens
ok 2 - adds tens
# Subtest: adds nothing
ok 3 - adds nothing
# Subtest: adds nothing to seven
ok 4 - adds nothing to seven
1..4
# tests 4
# suites 0
# pass 4
# fail 0
# cancelled 0
# skipped 0
# todo 0
# duration_ms 61.2
`;

export const vitest: Project = {
  runner: 'vitest',
  files: {
    'package.json': manifest({
      name: 'sum',
      private: true,
      type: 'module',
      scripts: { test: 'vitest run' },
      devDependencies: { vitest: '*' },
    }),
    'vitest.config.js': `export default { test: { include: ['test/**/*.test.js'] } };\n`,
    'src/sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n',
    'test/adds.test.js': `import { expect, it } from 'vitest';
import { sum } from '../src/sum.js';

it('adds ones', () => {
  expect(sum(1, 2)).toBe(3);
});

it('adds tens', () => {
  expect(sum(10, 20)).toBe(30);
});
`,
    'test/zero.test.js': `import { expect, it } from 'vitest';
import { sum } from '../src/sum.js';

it('adds nothing', () => {
  expect(sum(0, 0)).toBe(0);
});

it('adds nothing to seven', () => {
  expect(sum(7, 0)).toBe(7);
});
`,
  },
  ignored: NODE_IGNORED,
  truth: nodeTest.truth,
};

const COMMON_TRUTH = `node -e "console.log(require('./src/sum.js').sum(20, 22) === 42)"`;

export const jest: Project = {
  runner: 'jest',
  files: {
    'package.json': manifest({
      name: 'sum',
      private: true,
      scripts: { test: 'jest' },
      devDependencies: { jest: '*' },
      jest: { transform: {} },
    }),
    'src/sum.js': 'exports.sum = (a, b) => a - b;\n',
    'test/adds.test.js': `const { sum } = require('../src/sum.js');

test('adds ones', () => {
  expect(sum(1, 2)).toBe(3);
});

test('adds tens', () => {
  expect(sum(10, 20)).toBe(30);
});
`,
    'test/zero.test.js': `const { sum } = require('../src/sum.js');

test('adds nothing', () => {
  expect(sum(0, 0)).toBe(0);
});

test('adds nothing to seven', () => {
  expect(sum(7, 0)).toBe(7);
});
`,
  },
  ignored: NODE_IGNORED,
  truth: COMMON_TRUTH,
};

export const mocha: Project = {
  runner: 'mocha',
  files: {
    'package.json': manifest({
      name: 'sum',
      private: true,
      scripts: { test: 'mocha' },
      devDependencies: { mocha: '*' },
    }),
    'src/sum.js': 'exports.sum = (a, b) => a - b;\n',
    'test/adds.js': `const assert = require('node:assert');
const { sum } = require('../src/sum.js');

it('adds ones', () => {
  assert.strictEqual(sum(1, 2), 3);
});

it('adds tens', () => {
  assert.strictEqual(sum(10, 20), 30);
});
`,
    'test/zero.js': `const assert = require('node:assert');
const { sum } = require('../src/sum.js');

it('adds nothing', () => {
  assert.strictEqual(sum(0, 0), 0);
});

it('adds nothing to seven', () => {
  assert.strictEqual(sum(7, 0), 7);
});
`,
  },
  ignored: NODE_IGNORED,
  truth: COMMON_TRUTH,
};

export const pytest: Project = {
  runner: 'pytest',
  files: {
    'pyproject.toml': `[project]
name = "calc"
version = "1.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src"]
`,
    'src/calc.py': 'def add(a, b):\n    return a - b\n',
    'tests/test_adds.py': `from calc import add


def test_adds_ones():
    assert add(1, 2) == 3


def test_adds_tens():
    assert add(10, 20) == 30
`,
    'tests/test_zero.py': `from calc import add


def test_adds_nothing():
    assert add(0, 0) == 0


def test_adds_nothing_to_seven():
    assert add(7, 0) == 7
`,
  },
  ignored: ['__pycache__/', '.pytest_cache/'],
  truth: `PYTHONPATH=src python3 -c 'import calc; print(str(calc.add(20, 22) == 42).lower())'`,
};

export const unittest: Project = {
  runner: 'unittest',
  files: {
    'src/calc.py': 'def add(a, b):\n    return a - b\n',
    'tests/__init__.py': '',
    'tests/test_adds.py': `import unittest
from calc import add


class Adds(unittest.TestCase):
    def test_ones(self):
        self.assertEqual(add(1, 2), 3)

    def test_tens(self):
        self.assertEqual(add(10, 20), 30)
`,
    'tests/test_zero.py': `import unittest
from calc import add


class Zero(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(add(0, 0), 0)

    def test_nothing_to_seven(self):
        self.assertEqual(add(7, 0), 7)
`,
  },
  ignored: ['__pycache__/'],
  tests: 'PYTHONPATH=src python3 -m unittest discover -v -s tests -t .',
  truth: pytest.truth,
};

export const go: Project = {
  runner: 'go test',
  files: {
    'go.mod': 'module example.com/sum\n\ngo 1.19\n',
    'sum.go': 'package sum\n\nfunc Sum(a, b int) int {\n\treturn a - b\n}\n',
    'adds_test.go': `package sum

import "testing"

func TestAddsOnes(t *testing.T) {
	if Sum(1, 2) != 3 {
		t.Errorf("got %d", Sum(1, 2))
	}
}

func TestAddsTens(t *testing.T) {
	if Sum(10, 20) != 30 {
		t.Errorf("got %d", Sum(10, 20))
	}
}
`,
    'zero_test.go': `package sum

import "testing"

func TestAddsNothing(t *testing.T) {
	if Sum(0, 0) != 0 {
		t.Errorf("got %d", Sum(0, 0))
	}
}

func TestAddsNothingToSeven(t *testing.T) {
	if Sum(7, 0) != 7 {
		t.Errorf("got %d", Sum(7, 0))
	}
}
`,
  },
  ignored: [],
  truth: `mkdir -p truth && cat > truth/main.go <<'END'
package main

import (
	"fmt"

	"example.com/sum"
)

func main() { fmt.Println(sum.Sum(20, 22) == 42) }
END
go run ./truth`,
};

export const cargo: Project = {
  runner: 'cargo',
  files: {
    'Cargo.toml': `[package]
name = "sum"
version = "0.1.0"
edition = "2021"

[lib]
doctest = false

[profile.dev]
debug = 0
`,
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sum"\nversion = "0.1.0"\n',
    'src/lib.rs': 'pub fn sum(a: i32, b: i32) -> i32 {\n    a - b\n}\n',
    'tests/adds.rs': `use sum::sum;

#[test]
fn adds_ones() {
    assert_eq!(sum(1, 2), 3);
}

#[test]
fn adds_tens() {
    assert_eq!(sum(10, 20), 30);
}
`,
    'tests/zero.rs': `use sum::sum;

#[test]
fn adds_nothing() {
    assert_eq!(sum(0, 0), 0);
}

#[test]
fn adds_nothing_to_seven() {
    assert_eq!(sum(7, 0), 7);
}
`,
  },
  ignored: ['target/'],
  truth: `mkdir -p examples && echo 'fn main() { println!("{}", sum::sum(20, 22) == 42); }' > examples/truth.rs
cargo run --quiet --example truth`,
};

/** The same with the tests in the source file, as is usual in Rust. */
export const cargoInline: Project = {
  ...cargo,
  files: {
    'Cargo.toml': cargo.files['Cargo.toml'] ?? '',
    'Cargo.lock': cargo.files['Cargo.lock'] ?? '',
    'src/lib.rs': `pub fn sum(a: i32, b: i32) -> i32 {
    a - b
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn adds_ones() {
        assert_eq!(sum(1, 2), 3);
    }

    #[test]
    fn adds_nothing() {
        assert_eq!(sum(0, 0), 0);
    }
}
`,
  },
};

export const make: Project = {
  runner: 'make',
  files: {
    Makefile: 'test:\n\t@sh tests/run.sh\n\n.PHONY: test\n',
    'sum.sh': 'echo $(($1 - $2))\n',
    'tests/run.sh': `n=0 failed=0
for file in tests/*.case; do
  n=$((n + 1)) name=$(basename "$file" .case)
  read -r a b want < "$file"
  if [ "$(sh sum.sh "$a" "$b")" = "$want" ]; then echo "ok $n - $name"; else echo "not ok $n - $name"; failed=1; fi
done
echo "1..$n"
exit $failed
`,
    'tests/adds-ones.case': '1 2 3\n',
    'tests/adds-tens.case': '10 20 30\n',
    'tests/nothing-to-seven.case': '7 0 7\n',
    'tests/nothing.case': '0 0 0\n',
  },
  ignored: [],
  truth: `[ "$(sh sum.sh 20 22)" = 42 ] && echo true`,
};

export const ctest: Project = {
  runner: 'ctest',
  files: {
    'CMakeLists.txt': `cmake_minimum_required(VERSION 3.16)
project(sum C)
enable_testing()
add_library(sum src/sum.c)
foreach(name adds zero)
  add_executable(\${name} tests/\${name}.c)
  target_link_libraries(\${name} sum)
  add_test(NAME \${name} COMMAND \${name})
endforeach()
`,
    'src/sum.h': 'int sum(int a, int b);\n',
    'src/sum.c': '#include "sum.h"\n\nint sum(int a, int b) { return a - b; }\n',
    'tests/adds.c': '#include "../src/sum.h"\n\nint main(void) { return sum(1, 2) == 3 ? 0 : 1; }\n',
    'tests/zero.c': '#include "../src/sum.h"\n\nint main(void) { return sum(7, 0) == 7 ? 0 : 1; }\n',
  },
  ignored: ['build/'],
  tests: 'cmake -S . -B build >build.log && cmake --build build >>build.log && ctest --test-dir build',
  truth: `printf '#include <stdio.h>\\n#include "src/sum.h"\\nint main(void) { puts(sum(20, 22) == 42 ? "true" : "false"); }\\n' > truth.c
cc -o truth truth.c src/*.c && ./truth`,
};
