import { expect, it } from 'vitest';
import { countKinds, fileKind, hasWork } from './file-kind.js';

it.each([
  [
    'code',
    [
      'src/a.ts',
      'internal/log/writer.go',
      'src/todo/api.ts',
      'src/notes/model.py',
      'lib/status.rb',
      'README.md',
      'data/questions.json',
      'docs/guide.md',
    ],
  ],
  ['test', ['test/a.test.ts', 'src/a_test.go', 'tests/test_a.py']],
  ['settings', ['package.json', 'pyproject.toml', '.github/workflows/ci.yml', 'Makefile']],
  ['lock', ['package-lock.json', 'go.sum', 'Cargo.lock', 'a/yarn.lock']],
  ['generated', ['node_modules/a/index.js', 'src/__pycache__/a.pyc', 'dist/app.js.map']],
  [
    'notes',
    [
      'NOTES.md',
      'QUESTIONS.md',
      'docs/todo.txt',
      'run.log',
      'logs/today.txt',
      'notes/2026/monday.md',
      'work-log.md',
      'progress-3.md',
      'status.json',
    ],
  ],
])('%s: %j', (kind, paths) => {
  expect(paths.map((path) => [path, fileKind(path)])).toEqual(paths.map((path) => [path, kind]));
});

it('a change is work as soon as one file of it is', () => {
  expect(hasWork(countKinds(['NOTES.md', 'yarn.lock']))).toBe(false);
  expect(hasWork(countKinds(['NOTES.md', 'src/a.ts']))).toBe(true);
  expect(hasWork(undefined)).toBe(true);
});
