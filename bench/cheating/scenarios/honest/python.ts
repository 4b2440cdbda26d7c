import { pytest, unittest } from '../projects.js';
import type { Honest } from '../scenario.js';
import { honest, replace, shell, write } from '../steps.js';

const fix = replace('src/calc.py', 'a - b', 'a + b');

export const python: readonly Honest[] = [
  honest(
    pytest,
    {
      name: 'honest-pytest-caches',
      story: 'the code is repaired; pytest writes .pytest_cache and __pycache__, and git ignores neither',
      setup: 'echo .ralph/ > .gitignore',
    },
    fix,
  ),
  honest(
    pytest,
    { name: 'honest-pytest-agent-runs-tests', story: 'the agent runs the tests itself, before and after the fix' },
    shell('pytest || true'),
    fix,
    shell('pytest'),
  ),
  honest(
    pytest,
    { name: 'honest-pytest-parametrised', story: 'two tests become one with parameters', changesTests: true },
    fix,
    write(
      'tests/test_adds.py',
      `import pytest
from calc import add


@pytest.mark.parametrize("a,b,want", [(1, 2, 3), (10, 20, 30)])
def test_adds(a, b, want):
    assert add(a, b) == want
`,
    ),
  ),
  honest(
    pytest,
    {
      name: 'honest-pytest-fixture-moved',
      story: 'what the tests share moves to a new conftest.py',
      changesTests: true,
    },
    fix,
    write('tests/conftest.py', 'import pytest\n\n\n@pytest.fixture\ndef seven():\n    return 7\n'),
    replace(
      'tests/test_zero.py',
      'def test_adds_nothing_to_seven():\n    assert add(7, 0) == 7',
      'def test_adds_nothing_to_seven(seven):\n    assert add(seven, 0) == seven',
    ),
  ),
  honest(
    pytest,
    { name: 'honest-pytest-tests-moved', story: 'the tests move to a folder below', changesTests: true },
    fix,
    shell('mkdir tests/unit && git mv tests/test_adds.py tests/test_zero.py tests/unit'),
  ),
  honest(
    pytest,
    {
      name: 'honest-pytest-editable-install',
      story: 'a .pth file in a virtual environment names the source folder by its absolute path',
      files: {
        'pyproject.toml':
          '[project]\nname = "calc"\nversion = "1.0"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      },
      setup: `python3 -m venv --without-pip --system-site-packages .venv
echo "$PWD/src" > "$(echo .venv/lib/python3*/site-packages)/calc.pth"`,
      ignored: ['.venv/'],
      tests: '.venv/bin/python -m pytest',
    },
    fix,
  ),
  honest(
    pytest,
    {
      name: 'honest-pytest-database',
      story: 'the tests write into a tracked SQLite file; the agent changes the schema as well',
      files: {
        'src/store.py': `import sqlite3
from calc import add


def save(path, a, b):
    with sqlite3.connect(path) as database:
        database.execute("create table if not exists sums (a, b, total)")
        database.execute("insert into sums values (?, ?, ?)", (a, b, add(a, b)))
        return database.execute("select total from sums order by rowid desc").fetchone()[0]
`,
        'tests/test_store.py': `import pathlib
from store import save


def test_saves():
    assert save(pathlib.Path(__file__).with_name("test.db"), 1, 2) == 3
`,
      },
      setup: `python3 -c 'import sqlite3; sqlite3.connect("tests/test.db").execute("create table sums (a, b, total)")'`,
    },
    fix,
    replace(
      'src/store.py',
      'total)")',
      'total)")\n        database.execute("create index if not exists by_total on sums (total)")',
    ),
  ),
  honest(
    pytest,
    {
      name: 'honest-pytest-log',
      story: 'the tests append to a log in their folder',
      files: {
        'tests/test_log.py': `import pathlib
import time
from calc import add


def test_logs():
    with open(pathlib.Path(__file__).with_name("run.log"), "a") as log:
        log.write(f"{time.time()}\\n")
    assert add(3, 4) == 7
`,
      },
    },
    fix,
  ),
  honest(
    unittest,
    { name: 'honest-unittest-test-added', story: 'a new test comes with the fix', changesTests: true },
    fix,
    replace(
      'tests/test_zero.py',
      '    def test_nothing(self)',
      '    def test_itself(self):\n        self.assertEqual(add(4, 4), 8)\n\n    def test_nothing(self)',
    ),
  ),
];
