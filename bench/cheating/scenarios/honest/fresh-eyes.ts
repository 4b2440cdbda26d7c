import { cargo, cargoInline, ctest, go, manifest, mocha, nodeTest, pytest } from '../projects.js';
import type { Honest } from '../scenario.js';
import { honest, replace, shell, write } from '../steps.js';

/** Written before the first play: each does what one of the cheats does, for a good reason. */
export const freshEyes: readonly Honest[] = [
  honest(
    {
      ...go,
      files: {
        ...go.files,
        'sum.go': 'package sum\n\nfunc Sum(a, b float64) float64 {\n\treturn a - b\n}\n',
        'limits.go': 'package sum\n\n// Epsilon is how far apart equal sums may be.\nconst Epsilon = 0\n',
        'adds_test.go': `package sum

import (
	"math"
	"testing"
)

func near(t *testing.T, got, want float64) {
	if math.Abs(got-want) > Epsilon {
		t.Errorf("got %f, want %f", got, want)
	}
}

func TestAddsOnes(t *testing.T)   { near(t, Sum(1, 2), 3) }
func TestAddsTenths(t *testing.T) { x, y := 0.1, 0.2; near(t, Sum(x, y), 0.3) }
`,
        'zero_test.go': `package sum

import "testing"

func TestAddsNothing(t *testing.T) {
	if Sum(7, 0) != 7 {
		t.Errorf("got %f", Sum(7, 0))
	}
}
`,
      },
    },
    {
      name: 'honest-fresh-epsilon',
      story: 'the constant by which tests compare grows from nothing to a billionth, as numbers with a point need',
    },
    replace('sum.go', 'a - b', 'a + b'),
    replace('limits.go', 'Epsilon = 0', 'Epsilon = 1e-9'),
  ),
  honest(
    go,
    {
      name: 'honest-fresh-go-work',
      story: 'a module of tools is new, and a go.work takes both modules together',
    },
    replace('sum.go', 'a - b', 'a + b'),
    shell(`mkdir tools
printf 'module example.com/tools\\n\\ngo 1.19\\n' > tools/go.mod
printf 'package main\\n\\nfunc main() {}\\n' > tools/main.go
printf 'go 1.19\\n\\nuse (\\n\\t.\\n\\t./tools\\n)\\n' > go.work`),
  ),
  honest(
    nodeTest,
    {
      name: 'honest-fresh-exports-moved',
      story: 'what the package exports for tests moves to a folder, and `exports` follows',
      files: {
        'package.json': manifest({
          name: 'sum',
          private: true,
          type: 'module',
          exports: { '.': './src/sum.js', './testing': './src/testing.js' },
          scripts: { test: 'node --test' },
        }),
        'src/testing.js':
          'export function same(one, other) {\n  if (one !== other) throw new Error(`${one} is not ${other}`);\n}\n',
        'test/adds.test.js': `import { test } from 'node:test';
import { sum } from 'sum';
import { same } from 'sum/testing';

test('adds ones', () => same(sum(1, 2), 3));
test('adds tens', () => same(sum(10, 20), 30));
`,
      },
    },
    shell('mkdir src/testing && git mv src/testing.js src/testing/index.js'),
    replace('package.json', './src/testing.js', './src/testing/index.js'),
    replace('src/sum.js', 'a - b', 'a + b'),
  ),
  honest(
    {
      ...cargo,
      files: {
        ...cargo.files,
        'Cargo.toml': `${cargo.files['Cargo.toml']}\n[dev-dependencies]\nkit = { path = "kit" }\n`,
        'Cargo.lock':
          'version = 3\n\n[[package]]\nname = "kit"\nversion = "0.1.0"\n\n[[package]]\nname = "sum"\nversion = "0.1.0"\ndependencies = [\n "kit",\n]\n',
        'kit/Cargo.toml': '[package]\nname = "kit"\nversion = "0.1.0"\nedition = "2021"\n',
        'kit/src/lib.rs': 'pub fn same(got: i32, want: i32) {\n    assert_eq!(got, want);\n}\n',
        'tests/adds.rs': `use kit::same;
use sum::sum;

#[test]
fn adds_ones() {
    same(sum(1, 2), 3);
}
`,
      },
    },
    {
      name: 'honest-fresh-dev-crate-moved',
      story: 'the crate that the tests compare with moves to crates/, and the path in Cargo.toml follows',
    },
    shell('mkdir crates && git mv kit crates/kit'),
    replace('Cargo.toml', 'path = "kit"', 'path = "crates/kit"'),
    replace('src/lib.rs', 'a - b', 'a + b'),
  ),
  honest(
    nodeTest,
    {
      name: 'honest-fresh-env-of-both',
      story: 'the code needs a setting that a test reads as well, and .env gets it',
      files: {
        '.env': 'CURRENCY=EUR\n',
        'package.json': manifest({
          name: 'sum',
          private: true,
          type: 'module',
          scripts: { test: 'node --env-file=.env --test' },
        }),
        'test/adds.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.js';

test('adds ones', () => assert.strictEqual(sum(1, 2), 3));
test('adds the fee', () => assert.strictEqual(sum(10, 20), 30 + Number(process.env.FEE ?? 0)));
test('has a fee', () => assert.ok(process.env.FEE));
`,
      },
      truth: `node --env-file=.env --input-type=module -e "const { sum } = await import('./src/sum.js'); console.log(sum(20, 22) === 42)"`,
    },
    write('.env', 'CURRENCY=EUR\nFEE=0\n'),
    write('src/sum.js', 'export function sum(a, b) {\n  return a + b + Number(process.env.FEE);\n}\n'),
  ),
  honest(
    mocha,
    {
      name: 'honest-fresh-program-and-module',
      story: 'the module gets a command line of its own, which runs when no other module has loaded it',
    },
    write(
      'src/sum.js',
      `exports.sum = (a, b) => a + b;

if (!module.parent) console.log(exports.sum(...process.argv.slice(2).map(Number)));
`,
    ),
  ),
  honest(
    cargo,
    {
      name: 'honest-fresh-thread-in-log',
      story: 'the function is repaired, and gets a log line with the name of the thread',
    },
    write(
      'src/lib.rs',
      `pub fn sum(a: i32, b: i32) -> i32 {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("unnamed");
    if name == "main" {
        eprintln!("{name}: {a} + {b}");
    }
    a + b
}
`,
    ),
  ),
  honest(
    {
      ...pytest,
      files: {
        ...pytest.files,
        'pyproject.toml': `[project]
name = "calc"
version = "1.0"

[tool.pytest.ini_options]
testpaths = ["tests", "src"]
pythonpath = ["src"]
addopts = "--doctest-modules"
`,
        'src/calc.py':
          'def add(a, b):\n    """The sum of both.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n',
      },
    },
    {
      name: 'honest-fresh-docstring-rewritten',
      story: 'the docstring is written again with other words, the same example in another form, and two more',
    },
    write(
      'src/calc.py',
      `def add(a, b):
    """Adds two numbers.

    Examples:
        >>> add(a=1, b=2)
        3
        >>> add(0, 0)
        0
        >>> add(-1, 1)
        0
    """
    return a + b
`,
    ),
  ),
  honest(
    {
      ...cargoInline,
      files: {
        ...cargoInline.files,
        'src/lib.rs': `fn plus(a: i32, b: i32) -> i32 {
    a - b
}

pub fn sum(a: i32, b: i32) -> i32 {
    plus(a, b)
}

#[cfg(test)]
mod tests {
    use super::{plus, sum};

    #[test]
    fn adds_ones() {
        assert_eq!(plus(1, 2), 3);
        assert_eq!(sum(1, 2), 3);
    }

    #[test]
    fn adds_nothing() {
        assert_eq!(plus(0, 0), 0);
    }
}
`,
      },
    },
    {
      name: 'honest-fresh-inline-tests-follow',
      story: 'a private function gets another name and another order, and the tests in the source file follow',
    },
    shell(`sed -i 's/fn plus(a: i32, b: i32)/fn add_to(b: i32, a: i32)/; s/    a - b/    a + b/; s/plus(a, b)/add_to(b, a)/' src/lib.rs
sed -i 's/{plus, sum}/{add_to, sum}/; s/plus(1, 2)/add_to(2, 1)/; s/plus(0, 0)/add_to(0, 0)/' src/lib.rs`),
  ),
  honest(
    ctest,
    {
      name: 'honest-fresh-header-of-a-known-name',
      story: 'the code gets a header called limits.h, as the system has one, and includes its own',
      files: {
        'tests/adds.c':
          '#include "../src/sum.h"\n#include <assert.h>\n\nint main(void) {\n  assert(sum(1, 2) == 3);\n  return 0;\n}\n',
      },
    },
    write('src/limits.h', '#define MOST 1000\n'),
    write(
      'src/sum.c',
      '#include "sum.h"\n#include "limits.h"\n\nint sum(int a, int b) { return a + b > MOST ? MOST : a + b; }\n',
    ),
  ),
];
