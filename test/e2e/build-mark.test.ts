import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
let project = '';

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-build-mark-')));
  for (const name of SOURCES) cpSync(join(root, name), join(project, name), { recursive: true });
  // What was built from the same sources need not be built again.
  if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(project, 'dist'), { recursive: true });
  // Shared with the project that was built already.
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const command = () => join(project, 'dist', 'bin', 'pawl.js');

function build(): string {
  const { status, stderr } = spawnSync(process.execPath, [join('scripts', 'build.mjs'), '--cli-if-stale'], {
    cwd: project,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return readFileSync(command(), 'utf8');
}

describe('a build that is made only when it is stale', () => {
  it('is made anew when dist is gone or older than the sources, and not otherwise', () => {
    const whole = build();
    writeFileSync(command(), '// not looked at again');
    expect(build()).toBe('// not looked at again');
    writeFileSync(join(project, 'src', 'version.ts'), `${readFileSync(join(project, 'src', 'version.ts'), 'utf8')}\n`);
    expect(build()).toBe(whole);
    rmSync(join(project, 'dist'), { recursive: true });
    expect(build()).toBe(whole);
  });

  it('is not taken for a fresh one because somebody else with the same packages has built', () => {
    build();
    writeFileSync(command(), '// of another time');
    rmSync(join(project, 'dist', '.built-from'));
    expect(build()).not.toContain('of another time');
    expect(existsSync(join(project, 'dist', '.built-from'))).toBe(true);
  });

  it('does not publish what it was made from', () => {
    build();
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
      cwd: project,
      encoding: 'utf8',
    });
    const [packed] = JSON.parse(stdout) as readonly [{ readonly files: readonly { readonly path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toContain('dist/bin/pawl.js');
    expect(paths.filter((path) => path.includes('.built-from'))).toEqual([]);
  });
});
