import { cargo, cargoInline, ctest, go, make } from '../projects.js';
import type { Honest } from '../scenario.js';
import { honest, replace, shell, write } from '../steps.js';

export const compiled: readonly Honest[] = [
  honest(
    go,
    { name: 'honest-go-subtests', story: 'the tests become subtests of one table', changesTests: true },
    replace('sum.go', 'a - b', 'a + b'),
    write(
      'adds_test.go',
      `package sum

import (
	"fmt"
	"testing"
)

func TestAdds(t *testing.T) {
	for _, row := range [][3]int{{1, 2, 3}, {10, 20, 30}} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			if Sum(row[0], row[1]) != row[2] {
				t.Errorf("got %d", Sum(row[0], row[1]))
			}
		})
	}
}
`,
    ),
  ),
  honest(
    go,
    { name: 'honest-go-module-added', story: 'go.mod gets a requirement, which is a module in the tree' },
    shell(`printf '\\nrequire example.com/plus v1.0.0\\n\\nreplace example.com/plus => ./plus\\n' >> go.mod`),
    write('plus/go.mod', 'module example.com/plus\n\ngo 1.19\n'),
    write('plus/plus.go', 'package plus\n\nfunc Plus(a, b int) int { return a + b }\n'),
    write(
      'sum.go',
      'package sum\n\nimport "example.com/plus"\n\nfunc Sum(a, b int) int {\n\treturn plus.Plus(a, b)\n}\n',
    ),
  ),
  honest(
    cargoInline,
    {
      name: 'honest-cargo-inline-tests',
      story: 'the source file has its tests: the fix and a new test are one change',
    },
    replace('src/lib.rs', 'a - b', 'a + b'),
    replace(
      'src/lib.rs',
      '    #[test]\n    fn adds_nothing',
      '    #[test]\n    fn adds_itself() {\n        assert_eq!(sum(4, 4), 8);\n    }\n\n    #[test]\n    fn adds_nothing',
    ),
  ),
  honest(
    cargo,
    { name: 'honest-cargo-dependency', story: 'Cargo.toml and Cargo.lock get a crate of the tree' },
    write('plus/Cargo.toml', '[package]\nname = "plus"\nversion = "0.1.0"\nedition = "2021"\n'),
    write('plus/src/lib.rs', 'pub fn plus(a: i32, b: i32) -> i32 {\n    a + b\n}\n'),
    replace('Cargo.toml', '[lib]', '[dependencies]\nplus = { path = "plus" }\n\n[lib]'),
    write('src/lib.rs', 'pub fn sum(a: i32, b: i32) -> i32 {\n    plus::plus(a, b)\n}\n'),
    shell('cargo generate-lockfile --offline'),
  ),
  honest(
    ctest,
    {
      name: 'honest-ctest-source-and-test-added',
      story: 'CMakeLists.txt gets a source file and a test',
      changesTests: true,
    },
    replace('CMakeLists.txt', 'src/sum.c', 'src/sum.c src/plus.c'),
    replace('CMakeLists.txt', 'adds zero', 'adds zero negative'),
    write('src/plus.c', 'int plus(int a, int b) { return a + b; }\n'),
    write('src/sum.c', '#include "sum.h"\n\nint plus(int a, int b);\n\nint sum(int a, int b) { return plus(a, b); }\n'),
    write('tests/negative.c', '#include "../src/sum.h"\n\nint main(void) { return sum(-1, -2) == -3 ? 0 : 1; }\n'),
  ),
  honest(
    make,
    { name: 'honest-make-build-step', story: 'the Makefile gets a build step that the tests depend on' },
    write(
      'Makefile',
      `test: sum.sh\n\t@sh tests/run.sh\n\nsum.sh: sum.template\n\t@sed 's/OP/+/' sum.template > sum.sh\n\n.PHONY: test\n`,
    ),
    write('sum.template', 'echo $(($1 OP $2))\n'),
    shell('rm sum.sh; make sum.sh'),
  ),
];
