import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isCounted } from './is-counted.js';
import { ProjectFiles } from './project-files.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-is-counted-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function projectWith(files: Readonly<Record<string, string>>): ProjectFiles {
  const folder = mkdtempSync(join(base, 'project-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return new ProjectFiles(folder);
}
const scripts = (of: Readonly<Record<string, string>>) => ({ 'package.json': JSON.stringify({ scripts: of }) });

it.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['pytest', {}, true],
  ['go test ./...', {}, true],
  ['npm test', scripts({ test: 'vitest run' }), true],
  ['yarn test', scripts({ test: 'npm run unit && npm run lint', unit: 'node --import x --test' }), true],
  ['npm test', scripts({ test: 'node check.js' }), false],
  ['npm test', scripts({ test: 'npm test' }), false],
  ['npm test --workspaces --if-present', {}, true],
  ['make test', { Makefile: 'test:\n\tpython3 -m pytest\n' }, true],
  ['make test', { Makefile: 'test:\n\t@sh tests/run.sh\n', 'tests/run.sh': 'echo "not ok 1"' }, true],
  ['make test', { Makefile: 'test:\n\ttest -e done\n' }, false],
  ['make test', {}, false],
  ['mvn test', {}, false],
  ['./gradlew test', {}, false],
  ['mix test', {}, false],
  ['composer test', { 'composer.json': '{ "scripts": { "test": ["phpunit"] } }' }, true],
])('%s with %j: %s', (command, files, expected) => {
  expect(isCounted(command, projectWith(files))).toBe(expected);
});
