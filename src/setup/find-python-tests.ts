import type { FoundCommand } from './found-tests.js';
import type { ProjectFiles } from './project-files.js';

const RUNNERS: readonly (readonly [string, string])[] = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
  ['pdm.lock', 'pdm run '],
  ['Pipfile.lock', 'pipenv run '],
];

const PROJECT_FILES = [
  'pyproject.toml',
  'setup.cfg',
  'setup.py',
  'pytest.ini',
  'tox.ini',
  'conftest.py',
  'requirements.txt',
];

/** pytest where anything speaks for it, else what the project has. */
export function findPythonTests(files: ProjectFiles): FoundCommand | undefined {
  if (!files.hasAny(...PROJECT_FILES, 'manage.py', 'noxfile.py')) return undefined;
  const prefix = RUNNERS.find(([name]) => files.hasFile(name))?.[1] ?? '';
  const found = (command: string, why: string): FoundCommand => ({
    command: `${prefix}${command}`,
    why,
    testFiles: ['**/test_*.py', '**/*_test.py', '**/conftest.py'],
  });
  const settings = settingsOfPytest(files);
  if (settings !== undefined) return found('pytest', `${settings} has settings of pytest`);
  if (/^\[(?:tox|testenv)/m.test(files.text('tox.ini') ?? '')) return found('tox', 'tox.ini is there');
  if (files.hasFile('noxfile.py')) return found('nox', 'noxfile.py is there');
  const named = PROJECT_FILES.find((name) => /(?<![\w-])pytest(?![\w-])/.test(files.text(name) ?? ''));
  if (named !== undefined) return found('pytest', `${named} names pytest`);
  if (files.hasFile('manage.py')) return found('python3 manage.py test', 'manage.py is there');
  const folder = ['tests', 'test'].find((name) => files.at(name).names.some((inner) => /^test_.*\.py$/.test(inner)));
  return folder === undefined ? undefined : found('pytest', `${folder}/ has Python tests`);
}

function settingsOfPytest(files: ProjectFiles): string | undefined {
  if (files.hasFile('pytest.ini')) return 'pytest.ini';
  const sections: readonly (readonly [string, RegExp])[] = [
    ['pyproject.toml', /^\[tool\.pytest\b/m],
    ['setup.cfg', /^\[tool:pytest\]/m],
    ['tox.ini', /^\[pytest\]/m],
  ];
  return sections.find(([name, section]) => section.test(files.text(name) ?? ''))?.[0];
}
